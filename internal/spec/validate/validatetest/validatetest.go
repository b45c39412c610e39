// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"
)

// Case is a manifest and what becomes of it.
type Case struct {
	// Patch is a JSON merge patch, in YAML, to the base manifest: null removes a field, a list replaces the list.
	Patch string
	// Field and Message are the path and a part of the text of one of the errors. Both empty: the manifest is accepted.
	Field, Message string
	// GoOnly is the reason why Go refuses the manifest and the CRD does not.
	GoOnly string
	// GoToo is the reason why Go refuses the manifest after the CRD has done so.
	GoToo string
}

// Refused says whether anything refuses the manifest.
func (c Case) Refused() bool { return c.Message != "" }

// Manifest is the base with the patch applied, as JSON.
func (c Case) Manifest(base string) ([]byte, error) {
	doc, err := yaml.YAMLToJSONStrict([]byte(base))
	if err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	patch, err := yaml.YAMLToJSONStrict([]byte(c.Patch))
	if err != nil {
		return nil, fmt.Errorf("patch: %w", err)
	}
	if !json.Valid(patch) || string(patch) == "null" {
		return doc, nil
	}
	merged, err := jsonpatch.MergePatch(doc, patch)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return merged, nil
}

// Benchmark is the base of benchmark cases: a mirror of two disks.
const Benchmark = `
apiVersion: zfsbench.io/v1alpha1
kind: ZfsBenchmark
metadata: {name: case, namespace: default}
spec:
  nodes: {names: [storage-0]}
  devices:
  - {name: d0, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d0}
  - {name: d1, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d1}
  pool:
    vdevs: [{type: mirror, devices: [d0, d1]}]
  workloads:
  - {name: seq-write, fio: {rw: write, bs: 128k, size: 1Gi}}
`

// Policy is the base of policy cases.
const Policy = `
apiVersion: zfsbench.io/v1alpha1
kind: BenchmarkDevicePolicy
metadata: {name: case}
spec:
  node: {name: storage-0, uid: 0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11}
  namespaces: [team-a]
  devices:
  - {path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d0, serial: S1, size: 8589934592}
`

// Update is a change to a benchmark that exists.
type Update struct {
	// Patch is a JSON merge patch, in YAML, to the base manifest.
	Patch string
	// Field and Message are the path and a part of the text of one of the errors. Both empty: the change is allowed.
	Field, Message string
}

// Updates are changes to the benchmark of Benchmark.
func Updates() map[string]Update {
	immutable := func(name, patch string) Update {
		return Update{Patch: patch, Field: "spec." + name, Message: name + " is immutable: delete the benchmark and " +
			"create a new one"}
	}
	return map[string]Update{
		"nothing":                 {Patch: `{}`},
		"suspend":                 {Patch: `{spec: {suspend: true}}`},
		"ttlSecondsAfterFinished": {Patch: `{spec: {ttlSecondsAfterFinished: 3600}}`},
		"cleanupPolicy":           {Patch: `{spec: {cleanupPolicy: Never}}`},
		"a label":                 {Patch: `{metadata: {labels: {a: b}}}`},
		"a default, spelled out":  {Patch: `{spec: {workloads: [{name: seq-write, cache: Cold, fio: {rw: write, bs: 128k, size: 1Gi}}]}}`},
		"nodes":                   immutable("nodes", `{spec: {nodes: {names: [storage-1]}}}`),
		"nodes: maxParallel":      immutable("nodes", `{spec: {nodes: {maxParallel: 1}}}`),
		"devices": immutable("devices",
			`{spec: {devices: [{name: d0, path: /dev/disk/by-id/other}, {name: d1, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d1}]}}`),
		"pool":                   immutable("pool", `{spec: {pool: {ashift: 12}}}`),
		"dataset added":          immutable("dataset", `{spec: {dataset: {properties: {recordsize: 1M}}}}`),
		"moduleParameters added": immutable("moduleParameters", `{spec: {moduleParameters: {zfs_txg_timeout: "7"}}}`),
		"workloads": immutable("workloads",
			`{spec: {workloads: [{name: seq-write, fio: {rw: write, bs: 1m, size: 1Gi}}]}}`),
		"workloads: one more": immutable("workloads",
			`{spec: {workloads: [{name: seq-write, fio: {rw: write, bs: 128k, size: 1Gi}}, {name: b, fio: {rw: read, size: 1Gi}}]}}`),
		"matrix added":      immutable("matrix", `{spec: {matrix: {include: [{name: a}]}}}`),
		"baselines added":   immutable("baselines", onBaselines(`{name: raw, raw: {device: d0}}`)),
		"devicePreparation": immutable("devicePreparation", `{spec: {devicePreparation: None}}`),
		"repetitions added": immutable("repetitions", `{spec: {repetitions: {min: 2}}}`),
		"comparison added":  immutable("comparison", `{spec: {comparison: {margin: 5%}}}`),
		"with added":        immutable("comparison", `{spec: {comparison: {with: [{benchmark: other}]}}}`),
		"thresholds added": immutable("thresholds",
			`{spec: {thresholds: [{workload: seq-write, metric: writeIOPS, atLeast: 1k}]}}`),
		"recommend added": immutable("recommend",
			`{spec: {recommend: {goals: [{workload: seq-write, metric: writeIOPS}]}}}`),
		"dryRun added":                   immutable("dryRun", `{spec: {dryRun: true}}`),
		"timeout added":                  immutable("timeout", `{spec: {timeout: 1h}}`),
		"suspend does not hide a change": immutable("pool", `{spec: {suspend: true, pool: {properties: {autotrim: "on"}}}}`),
	}
}

// Benchmarks are all cases about benchmarks, on the base Benchmark, by the name of their part of the spec and their
// own.
func Benchmarks() map[string]Case {
	parts := map[string]map[string]Case{
		"spec": General(), "pool": Pool(), "places": Places(), "layouts": Layouts(), "properties": Properties(),
		"dataset": Datasets(), "workloads": Workloads(), "fio": FioBlocksAndPasses(),
		"escapes": Escapes(), "tools": Tools(), "externaltools": ExternalTools(), "pgbench": Pgbench(),
		"builtins": Builtins(), "scripts": Scripts(), "pool operations": PoolOperations(),
		"matrix": Matrix(), "repetitions": Repetitions(),
		"comparison": Comparisons(),
		"with":       With(), "thresholds": Thresholds(), "recommend": Recommend(), "moduleParameters": ModuleParameters(),
		"baselines": Baselines(), "claims": Claims(), "children": Children(), "inspections": Inspections(),
		"arrays": Arrays(), "classes": Classes(),
	}
	all := map[string]Case{}
	for part, cases := range parts {
		for name, c := range cases {
			all[part+": "+name] = c
		}
	}
	for name, reason := range again() {
		c := all[name]
		c.GoToo = reason
		all[name] = c
	}
	return all
}

// toolTexts are workloads that together set every text there is in the tools but fio.
const toolTexts = `  - {name: classic, bonnie: {size: 1Gi, files: {count: 1}}}
  - {name: files, tree: {fileSize: 4Ki, maxTime: 60s, phases: [create, delete]}}
  - {name: records, iozone: {size: 1Mi, recordSize: 64Ki, tests: [write, read]}}
  - {name: marks, fsmark: {fileSize: 4Ki, sync: PerFile}}
  - {name: clients, dbench: {runtime: 60s}}
  - {name: tps, pgbench: {script: TPCB, runtime: 60s, sharedBuffers: 128Mi}}
  - {name: streams, streams: {size: 1Gi, blockSize: 1Mi, phases: [write, read]}}
  - {name: given, corpus: {parts: [{content: Text, size: 1Gi, copies: 2}], fileSize: 1Mi, seed: 1}}
  - {name: copying, copy: {tool: rsync, fileSize: 4Ki, maxTime: 60s}}
`
