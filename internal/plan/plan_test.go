// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	testUID     = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"
	testNodeUID = "7d1f3a52-0000-4000-8000-000000000001"
)

// benchmark decodes a spec in YAML.
func benchmark(t testing.TB, spec string) *v1alpha1.ZfsBenchmark {
	t.Helper()
	b := &v1alpha1.ZfsBenchmark{}
	b.Namespace, b.Name, b.UID = "team-a", "mirror", types.UID(testUID)
	if err := yaml.UnmarshalStrict([]byte(spec), &b.Spec); err != nil {
		t.Fatal(err)
	}
	return b
}

// policy decodes a policy's spec in YAML.
func policy(t testing.TB, name, spec string) v1alpha1.BenchmarkDevicePolicy {
	t.Helper()
	p := v1alpha1.BenchmarkDevicePolicy{}
	p.Name = name
	if err := yaml.UnmarshalStrict([]byte(spec), &p.Spec); err != nil {
		t.Fatal(err)
	}
	return p
}

// onDisks is a mirror of two disks, onFiles one of two files.
const (
	onDisks = `
nodes: {names: [storage-0]}
devices:
- {name: d0, path: /dev/disk/by-id/wwn-0}
- {name: d1, path: /dev/disk/by-id/wwn-1}
pool:
  ashift: 12
  vdevs: [{type: mirror, devices: [d0, d1]}]
  properties: {autotrim: "off"}
dataset: {properties: {recordsize: 1M, compression: lz4}}
workloads:
- {name: seq-write, fio: {rw: write, bs: 1m, size: 1Gi, numJobs: 2}}
- {name: rand-read, cache: Warm, fio: {rw: randread, bs: 16k, size: 256Mi, runtime: 30s, timeBased: true, rampTime: 5s}}
repetitions: {min: 2}
timeout: 2h
`
	onFiles = `
nodes: {names: [storage-0]}
devices:
- {name: f0, file: {size: 1Gi}}
- {name: f1, file: {size: 1Gi}}
pool: {vdevs: [{type: mirror, devices: [f0, f1]}]}
workloads: [{name: seq-write, fio: {rw: write, bs: 128k, size: 64Mi}}]
`
	bothDisks = `
node: {name: storage-0, uid: ` + testNodeUID + `}
namespaces: [team-a]
devices:
- {path: /dev/disk/by-id/wwn-0, serial: S0, size: 8589934592}
- {path: /dev/disk/by-id/wwn-1, serial: S1, size: 8589934592}
`
)

func testNode() Node { return Node{Name: "storage-0", UID: testNodeUID} }

func testDefaults() Defaults {
	return Defaults{Scratch: Scratch{Directory: "/var/lib/zfs-benchmark", LimitBytes: 2 << 30}}
}

// built is the plan of a spec, with consent for both disks and for zfs_txg_timeout.
func built(t testing.TB, spec string) Plan {
	t.Helper()
	policies := []v1alpha1.BenchmarkDevicePolicy{policy(t, "storage-0", bothDisks+"moduleParameters: [zfs_txg_timeout]\n")}
	p, err := Build(Input{Benchmark: benchmark(t, spec), Node: testNode(), Policies: policies, Defaults: testDefaults()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLayoutByName: a layout gives the same plan as its vdevs written out.
func TestLayoutByName(t *testing.T) {
	short := strings.Replace(onDisks, "vdevs: [{type: mirror, devices: [d0, d1]}]",
		"layout: Mirror\n  devices: [d0, d1]", 1)
	if short == onDisks {
		t.Fatal("there are no vdevs to replace")
	}
	if diff := cmp.Diff(built(t, onDisks), built(t, short)); diff != "" {
		t.Errorf("plan (-vdevs +layout):\n%s", diff)
	}
}
