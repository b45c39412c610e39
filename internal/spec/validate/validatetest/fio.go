// SPDX-License-Identifier: Apache-2.0

package validatetest

import "strings"

// FioBlocksAndPasses are cases about what sizes the blocks and files of fio have, and how often it runs.
func FioBlocksAndPasses() map[string]Case {
	const (
		at     = "spec.workloads[0].fio."
		adding = "CEL would have to add"
		later  = "CEL knows no variants"
	)
	records := func(dataset, job string) string {
		return `{spec: {dataset: ` + dataset + `, workloads: [{name: a, fio: {` + job + `}}]}}`
	}
	return map[string]Case{
		"bs: recordsize":          fio(`rw: read, bs: recordsize, size: 1Gi`),
		"bs: recordsize in a job": fio(`rw: read, size: 1Gi, jobs: [{name: a, bs: recordsize}, {name: b}]`),
		"bs: another word":        refusedFio(`rw: read, bs: volblock, size: 1Gi`, at+"bs", "or recordsize"),
		"bs: recordsize, volume": {Patch: records(`{type: Volume, volume: {size: 2Gi}, properties: {volblocksize: 64K}}`,
			`rw: read, bs: recordsize, size: 1Gi`)},
		"bs: recordsize, no blocks": goOnly(Case{Patch: records(`{type: Volume, volume: {size: 2Gi}}`,
			`rw: read, bs: recordsize, size: 1Gi`), Field: at + "bs", Message: "set the property volblocksize"}, later),
		"bs: recordsize, odd size": goOnly(Case{Patch: records(`{properties: {recordsize: 1M}}`,
			`rw: read, bs: recordsize, size: 1536Ki`), Field: at + "size",
			Message: "on variant default, where bs is 1M: size must be a multiple of bs"}, later),
		"bs: recordsize, buffers": goOnly(Case{Patch: records(`{properties: {recordsize: 1M}}`,
			`rw: read, bs: recordsize, size: 1Gi, numJobs: 65, ioEngine: libaio, ioDepth: 64`), Field: at + "bs",
			Message: "the memory for buffers, must be at most 4 GiB"}, later),
		"bs: recordsize, baseline": goOnly(Case{Patch: `{spec: {pool: null, baselines: [{name: ext4, filesystem: {type: ext4, device: d0}}, {name: raw, raw: {device: d1}}], workloads: [{name: a, fio: {rw: read, bs: recordsize, size: 1Gi}}]}}`,
			Field: at + "bs", Message: "baseline ext4 has no recordsize: set bs to a size, for example 128k"}, later),

		"bsSplit":               fio(`rw: randread, bsSplit: [{bs: 4k, percent: 60}, {bs: 64K, percent: 39}, {bs: 1M, percent: 1}], size: 1Gi`),
		"bsSplit in a job":      fio(`rw: randread, size: 1Gi, bs: 8k, jobs: [{name: a, bsSplit: [{bs: 4k, percent: 50}, {bs: 8k, percent: 50}]}, {name: b, bs: 16k}]`),
		"bsSplit with a preset": fio(`preset: oltp, size: 1Gi, bsSplit: [{bs: 4k, percent: 50}, {bs: 8k, percent: 50}]`),
		"bsSplit of 99": refusedFio(`rw: read, bsSplit: [{bs: 4k, percent: 60}, {bs: 64k, percent: 39}], size: 1Gi`,
			at+"bsSplit", "the percentages of bsSplit must add up to 100"),
		"bsSplit of one": refusedFio(`rw: read, bsSplit: [{bs: 4k, percent: 99}], size: 1Gi`, at+"bsSplit",
			"should have at least 2 items"),
		"bsSplit of none": refusedFio(`rw: read, bsSplit: [{bs: 4k, percent: 0}, {bs: 64k, percent: 99}], size: 1Gi`,
			at+"bsSplit[0].percent", "should be greater than or equal to 1"),
		"bsSplit and bs":          refusedFio(`rw: read, bs: 4k, bsSplit: [{bs: 4k, percent: 60}, {bs: 64k, percent: 40}], size: 1Gi`, at+"bsSplit", "only one of bs and bsSplit can be set"),
		"bsSplit and bs in a job": refusedFio(`rw: read, size: 1Gi, jobs: [{name: a, bs: 4k, bsSplit: [{bs: 4k, percent: 60}, {bs: 64k, percent: 40}]}]`, at+"jobs[0].bsSplit", "only one of bs and bsSplit can be set"),
		"bsSplit of recordsize":   refusedFio(`rw: read, bsSplit: [{bs: recordsize, percent: 60}, {bs: 64k, percent: 40}], size: 1Gi`, at+"bsSplit[0].bs", "bs must be a number of bytes from 1 to 64M"),
		"bsSplit, injected":       refusedFio(`rw: read, bsSplit: [{bs: "4k/1:8k", percent: 60}, {bs: 64k, percent: 40}], size: 1Gi`, at+"bsSplit[0].bs", "bs must be a number of bytes from 1 to 64M"),
		"bsSplit twice": goOnly(refusedFio(
			`rw: read, bsSplit: [{bs: 4k, percent: 60}, {bs: 4K, percent: 40}], size: 1Gi`, at+"bsSplit[1].bs",
			"Duplicate value"), adding),
		"bsSplit, odd size": goOnly(refusedFio(
			`rw: read, bsSplit: [{bs: 4k, percent: 60}, {bs: 3k, percent: 40}], size: 1Gi`, at+"size",
			"size must be a multiple of bs"), adding),

		"passes":            fio(`rw: randread, size: 1Gi, passes: 32`),
		"passes, one, jobs": fio(`rw: randread, size: 1Gi, passes: 1, jobs: [{name: a}]`),
		"passes of zero": refusedFio(`rw: randread, size: 1Gi, passes: 0`, at+"passes", "should be greater than or "+
			"equal to 1"),
		"passes, 33": refusedFio(`rw: randread, size: 1Gi, passes: 33`, at+"passes", "should be less than or "+
			"equal to 32"),
		"passes of jobs": refusedFio(`rw: randread, size: 1Gi, passes: 2, jobs: [{name: a}]`, at+"passes", "passes and "+
			"jobs cannot be combined"),
		"passes, 96 in all": goOnly(Case{Patch: `{spec: {workloads: [` + many(3, "{name: w%d, fio: {rw: read, size: "+
			"1Gi, passes: 32}}") + `]}}`, Field: "spec.workloads", Message: "the passes of all workloads together must be at " +
			"most 64"}, adding),
		"passes and a metric": {Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi, passes: 3}}], thresholds: [{workload: a, metric: pass3ReadBandwidth, atLeast: 1Mi}]}}`},
		"passes, no metric": goOnly(Case{Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi, passes: 2}}], thresholds: [{workload: a, metric: readBandwidth, atLeast: 1Mi}]}}`,
			Field: "spec.thresholds[0].metric", Message: "workload a has pass1Read, pass2Read"}, later),

		"steadyState":            fio(`rw: randwrite, size: 1Gi, timeBased: true, runtime: 60s, steadyState: {}`),
		"steadyState, all of it": fio(`preset: snia-random-4k-write, size: 1Gi, steadyState: {rounds: 100, window: 20, then: GoesOn}`),
		"steadyState, no time": refusedFio(`rw: randwrite, size: 1Gi, steadyState: {}`, at+"steadyState", "steadyState "+
			"needs timeBased and a runtime"),
		"steadyState of jobs": refusedFio(`rw: randwrite, size: 1Gi, timeBased: true, runtime: 60s, steadyState: {}, jobs: [{name: a}]`, at+"steadyState", "steadyState cannot be combined with jobs or passes"),
		"steadyState, passes": refusedFio(`rw: randwrite, size: 1Gi, timeBased: true, runtime: 60s, steadyState: {}, passes: 2`, at+"steadyState", "steadyState cannot be combined with jobs or passes"),
		"steadyState, window": refusedFio(`rw: randwrite, size: 1Gi, timeBased: true, runtime: 60s, steadyState: {rounds: 4}`,
			at+"steadyState.rounds", "rounds must be at least window"),
		"steadyState, 101": refusedFio(`rw: randwrite, size: 1Gi, timeBased: true, runtime: 60s, steadyState: {rounds: 101}`,
			at+"steadyState.rounds", "should be less than or equal to 100"),
		"steadyState, then": refusedFio(`rw: randwrite, size: 1Gi, timeBased: true, runtime: 60s, steadyState: {then: Explodes}`, at+"steadyState.then", `Unsupported value: "Explodes"`),

		"relativeSize of RAM":     fio(`rw: read, relativeSize: 4xRAM`),
		"relativeSize of the ARC": fio(`rw: read, relativeSize: 0.5xARC, bs: recordsize`),
		"relativeSize of a pool":  fio(`rw: read, relativeSize: 99%Pool, numJobs: 4`),
		"relativeSize and size": refusedFio(`rw: read, relativeSize: 4xRAM, size: 1Gi`, at+"relativeSize",
			"relativeSize cannot be combined with size or jobs"),
		"relativeSize of jobs": refusedFio(`rw: read, relativeSize: 4xRAM, jobs: [{name: a, size: 1Gi}]`, at+
			"relativeSize", "relativeSize cannot be combined with size or jobs"),
		"relativeSize of disks": refusedFio(`rw: read, relativeSize: 4xDisk`, at+"relativeSize", "for example 4xRAM, "+
			"1.5xARC or 50%Pool"),
		"relativeSize of 100%": refusedFio(`rw: read, relativeSize: 100%Pool`, at+"relativeSize", "relativeSize must "+
			"be a number of times"),
		"relativeSize of nothing": refusedFio(`rw: read, relativeSize: 0xRAM`, at+"relativeSize", "relativeSize must be a "+
			"number of times"),
		"relativeSize too long": refusedFio(`rw: read, relativeSize: `+strings.Repeat("x", 13), at+"relativeSize",
			"may not be more than 12"),
	}
}
