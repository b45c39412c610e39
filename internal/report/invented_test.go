// SPDX-License-Identifier: Apache-2.0

package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

var classDiskSize = resource.MustParse("4Gi")

// planOf plans a benchmark for a node whose disks, of 4 GiB each, a policy offers.
func planOf(t testing.TB, b v1alpha1.ZfsBenchmark, node string) plan.Plan {
	t.Helper()
	const uid = "0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11"
	policy := v1alpha1.BenchmarkDevicePolicy{Spec: v1alpha1.BenchmarkDevicePolicySpec{
		Node: v1alpha1.PolicyNode{Name: node, UID: uid}, Namespaces: []string{b.Namespace},
		MDArrays: v1alpha1.MDArraysAllowed,
	}}
	for _, d := range b.Spec.Devices {
		for _, disk := range d.Numbered() {
			if d.Class != "" {
				policy.Spec.Devices = append(policy.Spec.Devices, v1alpha1.PolicyDevice{Class: d.Class, Size: classDiskSize,
					Path: "/dev/disk/by-id/nvme-" + node + "-" + disk.Name, Serial: node + "-" + disk.Name})
			}
		}
		if d.Path != "" {
			policy.Spec.Devices = append(policy.Spec.Devices, v1alpha1.PolicyDevice{Path: d.Path, Serial: d.Name,
				Size: resource.MustParse("4Gi")})
		}
	}
	p, err := plan.Build(plan.Input{
		Benchmark: &b, Node: plan.Node{Name: node, UID: uid}, Policies: []v1alpha1.BenchmarkDevicePolicy{policy},
		Defaults: plan.Defaults{Scratch: plan.Scratch{Directory: "/var/lib/zfs-benchmark", LimitBytes: 1 << 40}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// twoByThree varies layout and recordsize of a pool of four disks.
const twoByThree = `
devices:
- {name: d0, path: /dev/disk/by-id/virtio-zfsbench-d0}
- {name: d1, path: /dev/disk/by-id/virtio-zfsbench-d1}
- {name: d2, path: /dev/disk/by-id/virtio-zfsbench-d2}
- {name: d3, path: /dev/disk/by-id/virtio-zfsbench-d3}
pool: {ashift: 12, vdevs: [{type: raidz1, devices: [d0, d1, d2, d3]}]}
dataset: {properties: {compression: "off"}}
workloads:
- {name: seq-write, fio: {rw: write, bs: 128k, size: 64Mi, numJobs: 4}}
- {name: seq-read, fio: {rw: read, bs: 128k, size: 64Mi, numJobs: 4}}
matrix:
  axes:
  - name: layout
    values:
    - {name: raidz1}
    - {name: raidz2, pool: {vdevs: [{type: raidz2, devices: [d0, d1, d2, d3]}]}}
  - {name: recordsize, property: recordsize, propertyValues: [16K, 128K, 1M]}
`

// reality is how fast something is in an experiment that never was: the median bandwidth, and by how much repetitions
// differ.
type reality struct {
	// speed of a variant, as a part of 100 MiB/s.
	speed map[string]float64
	// cv is the coefficient of variation of trials, drift that of what all trials of a repetition share.
	cv, drift float64
	// slow is the index of a trial that something disturbed; -1 for none.
	slow int
}

// experimentInput plans a benchmark and measures every trial that it needs, on each node.
func experimentInput(t testing.TB, spec string, is reality, nodes ...string) model.Input {
	t.Helper()
	in := capturedInput(t)
	facts := in.Nodes[0].Facts
	in.Benchmark.Name, in.Benchmark.Spec, in.Phase, in.Nodes = "layouts", v1alpha1.ZfsBenchmarkSpec{},
		v1alpha1.PhaseComplete, nil
	if err := yaml.UnmarshalStrict([]byte(spec), &in.Benchmark.Spec); err != nil {
		t.Fatal(err)
	}
	in.Benchmark.Spec.Nodes.Names = nodes
	in.Benchmark.Status.CompletionTime = &metav1.Time{Time: in.Benchmark.Status.StartTime.Add(3 * time.Hour)}
	captured := capturedTrials(t)
	for i, name := range nodes {
		p := planOf(t, in.Benchmark, name)
		random := rand.New(rand.NewPCG(20, uint64(i)))
		node := model.NodeResults{Name: name, Plan: p, PlanDigest: plan.Digest(p), Facts: facts}
		shared := map[int]float64{}
		for _, planned := range p.Trials {
			if shared[planned.Repetition] == 0 {
				shared[planned.Repetition] = math.Exp(is.drift * random.NormFloat64())
			}
			speed := is.speed[planned.Variant] * shared[planned.Repetition]
			if planned.Index == is.slow {
				speed /= 2
			}
			if !slices.Contains(experiment.EndOf(p, node.Trials).Wanted(p), planned) {
				continue
			}
			node.Trials = append(node.Trials, inventedTrial(p, planned, captured[planned.Index%3],
				func() float64 { return speed * math.Exp(is.cv*random.NormFloat64()) }))
		}
		node.Planned = len(experiment.EndOf(p, node.Trials).Wanted(p))
		in.Nodes = append(in.Nodes, node)
	}
	return in
}

// inventedTrial has the samples of a captured trial, at another speed.
func inventedTrial(p plan.Plan, planned plan.Trial, captured result.Trial, speed func() float64) result.Trial {
	trial := model.CopyTrials([]result.Trial{captured})[0]
	trial.PlanDigest, trial.Index, trial.Variant, trial.Repetition = plan.Digest(p), planned.Index, planned.Variant,
		planned.Repetition
	trial.Samples = slices.DeleteFunc(trial.Samples, func(s result.Sample) bool {
		return !slices.ContainsFunc(p.Workloads, func(w v1alpha1.Workload) bool { return w.Name == s.Workload })
	})
	for _, s := range trial.Samples {
		for _, d := range []*result.Operation{s.Read, s.Write} {
			if d != nil {
				d.BandwidthBytesPerSecond = math.Round(speed() * (100 << 20))
				d.IOPS = d.BandwidthBytesPerSecond / (128 << 10)
				d.RuntimeNanoseconds = int64(float64(d.Bytes) / d.BandwidthBytesPerSecond * 1e9)
			}
		}
	}
	return trial
}
