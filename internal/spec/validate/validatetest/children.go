// SPDX-License-Identifier: Apache-2.0

package validatetest

// Children are cases about filesystems below the dataset, and about the jobs that work in them.
func Children() map[string]Case {
	const together = `workloads: [{name: a, fio: {rw: write, size: 1Gi, jobs: [{name: one}, {name: two, dataset: db}, {name: three, dataset: media, rw: read}]}}]`
	const two = `children: [{name: db, properties: {recordsize: 16K, logbias: throughput}}, {name: media}]`
	cases := map[string]Case{
		"two": {Patch: `{spec: {dataset: {` + two + `}, ` + together + `}}`},
		"one for all jobs": {Patch: `{spec: {dataset: {` + two +
			`}, workloads: [{name: a, fio: {rw: write, size: 1Gi, dataset: db}}]}}`},
		"blocks of each": {Patch: `{spec: {dataset: {` + two +
			`}, workloads: [{name: a, fio: {rw: write, bs: recordsize, size: 1Gi, jobs: [{name: one}, {name: two, dataset: db}]}}]}}`},
		"in a matrix": {Patch: `{spec: {` + together +
			`, matrix: {axes: [{name: db, values: [{name: small, dataset: {` + two +
			`}}, {name: large, dataset: {children: [{name: db, properties: {recordsize: 1M}}, {name: media}]}}]}]}}}`},
		"children of a volume": {Patch: `{spec: {dataset: {type: Volume, volume: {size: 4Gi}, ` + two + `}}}`,
			Field: "spec.dataset.children", Message: "children are only for type Filesystem"},
		"children of a claim": {Patch: `{spec: {dataset: {type: PersistentVolume, persistentVolume: {size: 4Gi, fsType: zfs}, ` + two + `}}}`, Field: "spec.dataset.children", Message: "children are only for type Filesystem"},
		"a path": {Patch: `{spec: {dataset: {children: [{name: ../db}]}}}`,
			Field: "spec.dataset.children[0].name", Message: "name becomes part of the name of a dataset"},
		"a snapshot": {Patch: `{spec: {dataset: {children: [{name: db@a}]}}}`,
			Field: "spec.dataset.children[0].name", Message: "name becomes part of the name of a dataset"},
		"a long name": {Patch: `{spec: {dataset: {children: [{name: abcdefghijklmnopqrstu}]}}}`,
			Field: "spec.dataset.children[0].name", Message: "Too long"},
		"twice": {Patch: `{spec: {dataset: {children: [{name: db}, {name: db}]}}}`,
			Field: "spec.dataset.children[1]", Message: "Duplicate value"},
		"too many": {Patch: `{spec: {dataset: {children: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}, {name: g}, {name: h}, {name: i}]}}}`, Field: "spec.dataset.children", Message: "must have at most 8 items"},
		"a mount": {Patch: `{spec: {dataset: {children: [{name: db, properties: {mountpoint: legacy}}]}}}`,
			Field: "spec.dataset.children[0].properties", Message: "mountpoint"},
		"blocks of a volume": {Patch: `{spec: {dataset: {children: [{name: db, properties: {volblocksize: 16K}}]}}}`,
			Field: "spec.dataset.children[0].properties", Message: "volblocksize is a property of type Volume only",
			GoOnly: "the API server does not look at both"},
		"a wrong value": {Patch: `{spec: {dataset: {children: [{name: db, properties: {sync: never}}]}}}`,
			Field: "spec.dataset.children[0].properties", Message: "sync must be standard, always or disabled"},
	}
	const expanded = "the matrix is expanded by the controller"
	for name, c := range map[string]Case{
		"no such child": {Patch: `{spec: {` + together + `}}`, Field: "spec.workloads[0].fio.jobs[1].dataset",
			Message: "the dataset has no child db: name one of dataset.children"},
		"no such child for all": {Patch: `{spec: {dataset: {` + two +
			`}, workloads: [{name: a, fio: {rw: write, size: 1Gi, dataset: log}}]}}`, Field: "spec.workloads[0].fio.dataset",
			Message: "the dataset has no child log"},
		"not in every variant": {Patch: `{spec: {dataset: {` + two + `}, ` + together +
			`, matrix: {axes: [{name: a, values: [{name: with}, {name: without, dataset: {children: []}}]}]}}}`,
			Field: "spec.workloads[0].fio.jobs[1].dataset", Message: "the dataset of variant a=without has no child db"},
		"a child of a volume": {Patch: `{spec: {dataset: {` + two + `}, ` + together +
			`, matrix: {axes: [{name: a, values: [{name: fs}, {name: zvol, dataset: {type: Volume, volume: {size: 8Gi}}}]}]}}}`,
			Field:   "spec.workloads[0].fio.jobs[1].dataset",
			Message: "the dataset of variant a=zvol is a Volume, which has no children"},
		"a child of a baseline": {Patch: `{spec: {dataset: {` + two + `}, ` + together +
			`, baselines: [{name: ext4, filesystem: {type: ext4, device: d0}}]}}`,
			Field: "spec.workloads[0].fio.jobs[1].dataset", Message: "baseline ext4 has no datasets"},
		"blocks that do not fit": {Patch: `{spec: {dataset: {children: [{name: db, properties: {recordsize: 1M}}]}, workloads: [{name: a, fio: {rw: write, bs: recordsize, size: 1536Ki, dataset: db}}]}}`, Field: "spec.workloads[0].fio.size", Message: "where bs is 1M"},
	} {
		cases[name] = goOnly(c, expanded)
	}
	return cases
}
