// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/runner/target"
	"zfsbench.io/operator/internal/spec/validate"
	"zfsbench.io/operator/internal/spec/validate/validatetest"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/storage/zfs/layout"
	"zfsbench.io/operator/internal/tools/fio"
)

// argvs records commands and runs none.
type argvs struct{ words []string }

func (a *argvs) Run(_ context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
	a.words = append(a.words, cmd.Args...)
	return hostexec.Result{}, nil
}

// TestSerialNumbersReachNoCommand: of all texts of the API, a disk's serial number alone may be hostile. It is in the
// plan, and in nothing that is made of the plan for zpool, zfs and fio.
func TestSerialNumbersReachNoCommand(t *testing.T) {
	tried := 0
	for attack, text := range validatetest.Attacks("S1") {
		p, ok := planWithSerial(t, text)
		if !ok {
			continue // refused, see internal/spec/validate
		}
		tried++
		if !strings.Contains(string(plan.Encode(p)), "S1") {
			t.Fatal("the plan does not hold the serial number: this test proves nothing")
		}
		words := wordsOf(t, p)
		if !slices.Contains(words, "zpool") || !slices.Contains(words, "fio") || !slices.Contains(words, "mdadm") {
			t.Fatalf("commands are missing: %q", words)
		}
		for _, word := range words {
			if strings.Contains(word, "S1") {
				t.Errorf("%s: the serial number is in %q", attack, word)
			}
		}
	}
	if tried == 0 {
		t.Error("no serial number was accepted")
	}
}

// planWithSerial is a plan whose disks all have this serial number; false if the policy is refused.
func planWithSerial(t *testing.T, serial string) (plan.Plan, bool) {
	t.Helper()
	var b v1alpha1.ZfsBenchmark
	if err := yaml.UnmarshalStrict([]byte(validatetest.FullBenchmarks()[0]), &b); err != nil {
		t.Fatal(err)
	}
	b.UID = "0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11"
	b.Spec.Dataset.Properties["compression"] = "lz4"
	policy := v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	policy.Spec = v1alpha1.BenchmarkDevicePolicySpec{
		Node: v1alpha1.PolicyNode{Name: "storage-0", UID: "u"}, Namespaces: []string{b.Namespace},
		ModuleParameters: []string{"zfs_txg_timeout"}, MDArrays: v1alpha1.MDArraysAllowed,
		StorageClasses: []v1alpha1.PolicyStorageClass{{Name: "fast.local", TotalSize: resource.MustParse("4Gi")}},
	}
	var disks []v1alpha1.Device
	for _, d := range b.Spec.Devices {
		for _, disk := range d.Numbered() {
			if disk.Class != "" { // among disks of one serial number there is no choice
				disk = v1alpha1.Device{Name: disk.Name, Path: "/dev/disk/by-id/" + disk.Name}
			}
			disks = append(disks, disk)
			device := v1alpha1.PolicyDevice{Path: disk.Path, Serial: serial}
			device.Size.Set(64 << 30)
			policy.Spec.Devices = append(policy.Spec.Devices, device)
		}
	}
	b.Spec.Devices = disks
	document, err := yaml.Marshal(policy)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := validate.ReadPolicy(document); err != nil {
		return plan.Plan{}, false
	}
	p, err := plan.Build(plan.Input{
		Benchmark: &b, Node: plan.Node{Name: "storage-0", UID: "u"}, Policies: []v1alpha1.BenchmarkDevicePolicy{policy},
		Defaults: plan.Defaults{Scratch: plan.Scratch{Directory: "/var/lib/bench", LimitBytes: 1 << 30}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, true
}

// wordsOf are all arguments and lines that a plan becomes.
func wordsOf(t *testing.T, p plan.Plan) []string {
	t.Helper()
	recorded := &argvs{}
	client, e := zfs.New(recorded), &Engine{plan: p}
	paths := map[string]string{}
	for _, d := range p.Devices {
		for _, part := range d.Parts() {
			paths[part.Name] = d.Path
		}
	}
	create, err := e.poolToCreate(p.Variants[0], "zfsbench-test", paths)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.CreatePool(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	additions, err := layout.Additions("zfsbench-test", p.Variants[0].Pool, paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, add := range additions {
		if err := client.AddVdev(t.Context(), add); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.CreateFilesystem(t.Context(), "zfsbench-test/data",
		target.TextProperties(p.Variants[0].Dataset.Properties)); err != nil {
		t.Fatal(err)
	}
	words := slices.Concat(recorded.words, fio.Argv("/out/job.fio", "/out/fio.json"))
	for _, v := range p.Variants {
		if array := v.Array(); array != nil {
			words = append(words, mdraid.Create{Array: *array, Name: "zfsbench-test", UUID: p.Benchmark.UID,
				Devices: array.Devices}.Argv()...)
		}
	}
	for _, w := range plan.Expand(p, nil).WorkloadsOn(p.Variants[0]) {
		job, err := fio.JobFile(*w.Fio, fio.Target{Directory: sandbox.TargetDir})
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, strings.Split(job, "\n")...)
	}
	return words
}
