// SPDX-License-Identifier: Apache-2.0

package validatetest

// Inspections are cases about what zdb looks for after a workload.
func Inspections() map[string]Case {
	inspect := func(what string) string {
		return `{spec: {workloads: [{name: a, inspect: ` + what + `, fio: {rw: write, size: 1Gi}}]}}`
	}
	return map[string]Case{
		"both":             {Patch: inspect(`[Fragmentation, SimulatedDedup]`)},
		"beside baselines": {Patch: `{spec: {baselines: [{name: ext4, filesystem: {type: ext4, device: d0}}], workloads: [{name: a, inspect: [Fragmentation], fio: {rw: write, size: 1Gi}}]}}`},
		"something else": {Patch: inspect(`[Leaks]`), Field: "spec.workloads[0].inspect[0]",
			Message: `Unsupported value: "Leaks"`},
		"twice": {Patch: inspect(`[Fragmentation, Fragmentation]`), Field: "spec.workloads[0].inspect[1]",
			Message: "Duplicate value"},
		"no pool": goOnly(Case{
			Patch: `{spec: {pool: null, baselines: [{name: a, filesystem: {type: ext4, device: d0}}, {name: b, filesystem: {type: ext4, device: d1}}], workloads: [{name: a, inspect: [Fragmentation], fio: {rw: write, size: 1Gi}}]}}`,
			Field: "spec.workloads[0].inspect", Message: "zdb looks at pools, and all variants are baselines",
		}, "the matrix is expanded by the controller"),
	}
}
