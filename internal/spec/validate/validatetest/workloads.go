// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

// Workloads are cases about workloads.
func Workloads() map[string]Case {
	const at = "spec.workloads[0].fio."
	return map[string]Case{
		"a workload's name twice": {Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi}}, {name: a, fio: {rw: read, size: 1Gi}}]}}`, Field: "spec.workloads[1]", Message: "Duplicate value"},
		"a workload's name with a /": {Patch: `{spec: {workloads: [{name: a/../b, fio: {rw: read, size: 1Gi}}]}}`,
			Field: "spec.workloads[0].name", Message: "name becomes part of file names"},
		"a workload's name with [": {Patch: `{spec: {workloads: [{name: "a\n[b]", fio: {rw: read, size: 1Gi}}]}}`,
			Field: "spec.workloads[0].name", Message: "name becomes part of file names"},
		"a workload's name too long": {Patch: `{spec: {workloads: [{name: ` + strings.Repeat("a", 41) +
			`, fio: {rw: read, size: 1Gi}}]}}`, Field: "spec.workloads[0].name", Message: "may not be more than 40"},
		"a workload without a tool": {Patch: `{spec: {workloads: [{name: a}]}}`, Field: "spec.workloads[0]",
			Message: "exactly one tool must be set: fio, bonnie, "},
		"a workload with two tools":  {Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi}, bonnie: {size: 1Gi}}]}}`, Field: "spec.workloads[0]", Message: "exactly one tool must be set"},
		"a workload of another tool": {Patch: `{spec: {workloads: [{name: a, filebench: {}}]}}`, Message: "unknown field"},
		"17 workloads": {Patch: `{spec: {workloads: [` + many(17, "{name: w%d, fio: {rw: read, size: 1Gi}}") +
			`]}}`, Field: "spec.workloads", Message: "must have at most 16 items"},
		"cache": {Patch: `{spec: {workloads: [{name: a, cache: Warm, fio: {rw: read, size: 1Gi}}]}}`},
		"cache unknown": {Patch: `{spec: {workloads: [{name: a, cache: Hot, fio: {rw: read, size: 1Gi}}]}}`,
			Field: "spec.workloads[0].cache", Message: `supported values: "Cold", "Warm"`},

		"fio, the least": fio(`rw: read, size: 1Gi`),
		"an option fio has and we do not": {Patch: fioPatch(`rw: read, size: 1Gi, exec_prerun: reboot`),
			Message: "unknown field"},
		"rw left out":   refusedFio(`size: 1Gi`, at+"rw", "value"),
		"rw unknown":    refusedFio(`rw: trim, size: 1Gi`, at+"rw", `Unsupported value: "trim"`),
		"size left out": refusedFio(`rw: read`, at+"size", "value"),
		"size of zero": refusedFio(`rw: read, size: "0"`, at+"size", "size must be a whole number of "+
			"bytes from 1 to 64Ti, for example 10Gi"),
		"size negative": refusedFio(`rw: read, size: "-1Gi"`, at+"size", "size must be a whole number of "+
			"bytes from 1"),
		"size too large": refusedFio(`rw: read, size: 128Ti`, at+"size", "size must be a whole number of "+
			"bytes from 1"),
		"size no multiple of bs": refusedFio(`rw: read, bs: 3k, size: 1Mi`, at+"size", "size must be a multiple of bs"),
		"size below bs":          refusedFio(`rw: read, bs: 1m, size: 4Ki`, at+"size", "size must be a multiple of bs"),
		"size no multiple of 4k": refusedFio(`rw: read, size: "1000"`, at+"size", "size must be a multiple of bs"),
		"size in powers of 1000": fio(`rw: read, bs: "1000", size: 10G`),
		"bs in bytes":            fio(`rw: read, bs: "512", size: 1Mi`),
		"bs in K":                fio(`rw: read, bs: 64K, size: 1Mi`),
		"bs in M":                fio(`rw: read, bs: 64M, size: 1Gi`),
		"bs in Ki": refusedFio(`rw: read, bs: 4Ki, size: 1Gi`, at+"bs", "bs must be a number of bytes "+
			"from 1 to 64M, with k or M for powers of 1024"),
		"bs of zero": refusedFio(`rw: read, bs: "0", size: 1Gi`, at+"bs", "bs must be a number of bytes "+
			"from 1 to 64M"),
		"bs too large": refusedFio(`rw: read, bs: 65m, size: 65Gi`, at+"bs", "bs must be a number of bytes "+
			"from 1 to 64M"),
		"bs with an injection": refusedFio(`rw: read, bs: "4k\nx", size: 1Gi`, at+"bs", "bs must be a number of "+
			"bytes from 1 to 64M"),
		"bs as a range": refusedFio(`rw: read, bs: "4k,8k", size: 1Gi`, at+"bs", "bs must be a number of "+
			"bytes from 1 to 64M"),
		"buffers of 4 GiB": fio(`rw: read, bs: 1m, size: 1Gi, numJobs: 64, ioEngine: libaio, ioDepth: 64`),
		"buffers of more than 4 GiB": refusedFio(`rw: read, bs: 1m, size: 1Gi, numJobs: 65, ioEngine: libaio, ioDepth: 64`,
			at+"bs", "bs x ioDepth x numJobs, the memory for buffers, must be at most 4 GiB"),
		"numJobs of zero": refusedFio(`rw: read, size: 1Gi, numJobs: 0`, at+"numJobs", "should be greater "+
			"than or equal to 1"),
		"numJobs negative": refusedFio(`rw: read, size: 1Gi, numJobs: -1`, at+"numJobs", "should be greater "+
			"than or equal to 1"),
		"numJobs too large": refusedFio(`rw: read, size: 1Gi, numJobs: 1001`, at+"numJobs", "should be less "+
			"than or equal to 1000"),
		"ioEngine unknown":  refusedFio(`rw: read, size: 1Gi, ioEngine: exec`, at+"ioEngine", `Unsupported value: "exec"`),
		"ioDepth, libaio":   fio(`rw: read, size: 1Gi, ioEngine: libaio, ioDepth: 32`),
		"ioDepth, posixaio": fio(`rw: read, size: 1Gi, ioEngine: posixaio, ioDepth: 2`),
		"ioDepth, psync": refusedFio(`rw: read, size: 1Gi, ioDepth: 2`, at+"ioDepth", "ioDepth above 1 needs "+
			"an asynchronous ioEngine: libaio, io_uring or posixaio"),
		"ioDepth, mmap": refusedFio(`rw: read, size: 1Gi, ioEngine: mmap, ioDepth: 2`, at+"ioDepth", "ioDepth above 1 "+
			"needs an asynchronous ioEngine"),
		"ioDepth too large": refusedFio(`rw: read, size: 1Gi, ioEngine: libaio, ioDepth: 1025`, at+"ioDepth", "should be "+
			"less than or equal to 1024"),
		"direct": fio(`rw: read, size: 1Gi, direct: true`),
		"direct, mmap": refusedFio(`rw: read, size: 1Gi, direct: true, ioEngine: mmap`, at+"direct", "direct has no "+
			"meaning with ioEngine mmap"),
		"direct, bs of 1000": refusedFio(`rw: read, bs: "1000", size: 1M, direct: true`, at+"bs", "bs must be a "+
			"multiple of 512 with direct"),
		"sync": fio(`rw: randwrite, size: 1Gi, sync: Sync`),
		"sync unknown": refusedFio(`rw: write, size: 1Gi, sync: Always`, at+"sync",
			`supported values: "None", "Sync", "Dsync"`),
		"sync, read": refusedFio(`rw: read, size: 1Gi, sync: Sync`, at+"sync", "sync has no effect on rw "+
			"read and randread"),
		"sync, mmap": refusedFio(`rw: write, size: 1Gi, sync: Dsync, ioEngine: mmap`, at+"sync", "sync has no effect with "+
			"ioEngine mmap"),
		"fsync": fio(`rw: write, size: 1Gi, fsync: 32`),
		"fsync, randread": refusedFio(`rw: randread, size: 1Gi, fsync: 1`, at+"fsync", "fsync has no effect "+
			"on rw read and randread"),
		"fdatasync": fio(`rw: write, size: 1Gi, fdatasync: 1`),
		"fdatasync, randread": refusedFio(`rw: randread, size: 1Gi, fdatasync: 1`, at+"fdatasync", "fdatasync has no "+
			"effect on rw read and randread: remove it"),
		"fdatasync and fsync": refusedFio(`rw: write, size: 1Gi, fdatasync: 1, fsync: 1`, at+"fdatasync", "only one of "+
			"fsync and fdatasync can be set: their latencies would be measured together"),
		"fdatasync negative": refusedFio(`rw: write, size: 1Gi, fdatasync: -1`, at+"fdatasync", "should be greater than "+
			"or equal to 0"),
		"fsync negative": refusedFio(`rw: write, size: 1Gi, fsync: -1`, at+"fsync", "should be greater than "+
			"or equal to 0"),
		"rwMixRead": fio(`rw: readwrite, size: 1Gi, rwMixRead: 0`),
		"rwMixRead, write": refusedFio(`rw: write, size: 1Gi, rwMixRead: 50`, at+"rwMixRead", "rwMixRead is "+
			"only for rw readwrite and randrw"),
		"rwMixRead of 101": refusedFio(`rw: randrw, size: 1Gi, rwMixRead: 101`, at+"rwMixRead", "should be "+
			"less than or equal to 100"),
		"runtime": fio(`rw: read, size: 1Gi, runtime: 90s`),
		"runtime of zero": refusedFio(`rw: read, size: 1Gi, runtime: 0s`, at+"runtime", "runtime must be "+
			"whole seconds from 1s to 168h, for example 60s"),
		"runtime over 7 days": refusedFio(`rw: read, size: 1Gi, runtime: 169h`, at+"runtime", "runtime must be "+
			"whole seconds from 1s to 168h"),
		"runtime as a number": {Patch: fioPatch(`rw: read, size: 1Gi, runtime: 60`), Field: at + "runtime",
			Message: "must be of type string"},
		"timeBased": fio(`rw: read, size: 1Gi, runtime: 1m, timeBased: true, rampTime: 10s`),
		"timeBased without a runtime": refusedFio(`rw: read, size: 1Gi, timeBased: true`, at+"runtime", "runtime is "+
			"required with timeBased, for example 60s"),
		"rampTime without timeBased": refusedFio(`rw: read, size: 1Gi, runtime: 1m, rampTime: 10s`, at+"rampTime",
			"rampTime needs timeBased"),
		"rampTime over a day": refusedFio(`rw: read, size: 1Gi, runtime: 1m, timeBased: true, rampTime: 25h`, at+
			"rampTime", "rampTime must be whole seconds from 1s to 24h"),
		"compressible": fio(`rw: write, size: 1Gi, bufferCompressPercentage: 100, dedupePercentage: 0`),
		"too compressible": refusedFio(`rw: write, size: 1Gi, bufferCompressPercentage: 101`, at+
			"bufferCompressPercentage", "should be less than or equal to 100"),
		"dedupePercentage negative": refusedFio(`rw: write, size: 1Gi, dedupePercentage: -1`, at+"dedupePercentage",
			"should be greater than or equal to 0"),

		"preset sequential-read":                fio(`preset: sequential-read, size: 1Gi`),
		"preset sequential-write":               fio(`preset: sequential-write, size: 1Gi`),
		"preset random-4k-read":                 fio(`preset: random-4k-read, size: 1Gi`),
		"preset random-4k-write":                fio(`preset: random-4k-write, size: 1Gi`),
		"preset oltp":                           fio(`preset: oltp, size: 1Gi`),
		"preset openzfs-sequential-reads":       fio(`preset: openzfs-sequential-reads, size: 1Gi`),
		"preset openzfs-sequential-writes":      fio(`preset: openzfs-sequential-writes, size: 1Gi`),
		"preset openzfs-random-reads":           fio(`preset: openzfs-random-reads, size: 1Gi`),
		"preset openzfs-random-writes":          fio(`preset: openzfs-random-writes, size: 1Gi`),
		"preset openzfs-random-readwrite-fixed": fio(`preset: openzfs-random-readwrite-fixed, size: 1Gi`),
		"preset snia-random-4k-write":           fio(`preset: snia-random-4k-write, size: 1Gi`),
		"preset snia-random-8k-mixed":           fio(`preset: snia-random-8k-mixed, size: 1Gi`),
		"preset, other fields": fio(
			`preset: oltp, size: 1Gi, bs: 16k, rw: randwrite, numJobs: 2, timeBased: false, sync: None`),
		"preset with jobs": fio(
			`preset: oltp, size: 1Gi, jobs: [{name: a}, {name: b, rw: read, startDelay: 5s}]`),
		"preset, of which bs is too large": goOnly(refusedFio(`preset: sequential-read, size: 4Ki`, at+"size",
			"size must be a multiple of bs"), "CEL does not know the presets"),
		"preset, with a depth": refusedFio(`preset: oltp, size: 1Gi, ioDepth: 4`, at+"ioDepth",
			"ioDepth above 1 needs an asynchronous ioEngine"),
		"preset that writes nothing, sync": goOnly(refusedFio(`preset: random-4k-read, size: 1Gi, sync: Sync`, at+"sync",
			"sync has no effect on rw read and randread"), "CEL does not know the presets"),
		"preset unknown": refusedFio(`preset: fastest, rw: read, size: 1Gi`, at+"preset",
			`Unsupported value: "fastest"`),
		"preset without a size": fio(`preset: oltp`),
		"preset with jobs, without a size": refusedFio(`preset: oltp, jobs: [{name: a}]`, at+"size", "size is required, in "+
			"fio or in each of its jobs; only a preset without jobs has a default"),

		"rate": fio(`rw: write, size: 1Gi, rate: 10Mi, ownFiles: true`),
		"rate too low": refusedFio(`rw: write, size: 1Gi, rate: "1023"`, at+"rate", "rate must be a whole "+
			"number of bytes per second from 1Ki to 1Ti, for example 10Mi"),
		"rate with an injection": {Patch: fioPatch(`rw: write, size: 1Gi, rate: "1Mi\nexec_prerun=x"`), Field: at + "rate",
			Message: "rate must be a whole number"},
		"rateIOPS": fio(`rw: randread, size: 1Gi, rateIOPS: 100`),
		"rateIOPS negative": refusedFio(`rw: randread, size: 1Gi, rateIOPS: -1`, at+"rateIOPS", "should be greater "+
			"than or equal to"),
		"rate and rateIOPS": refusedFio(`rw: write, size: 1Gi, rate: 1Mi, rateIOPS: 100`, at+"rate", "only one of "+
			"rate and rateIOPS can be set"),
		"jobs":                     fio(`rw: write, size: 1Gi, jobs: [{name: a}, {name: b, startDelay: 30s, numJobs: 5, size: 100Mi, rw: randread, bs: 16k, direct: true, rate: 1Mi}]`),
		"jobs, everything in them": fio(`jobs: [{name: a, rw: randrw, size: 1Gi, rwMixRead: 10, fsync: 1, endFsync: false, sync: Dsync, ioEngine: libaio, ioDepth: 4, runtime: 9s, timeBased: true, rampTime: 1s, bufferCompressPercentage: 1, dedupePercentage: 2, rateIOPS: 5}]`),
		"jobs, what has no meaning for one is not its own": fio(
			`rw: randrw, size: 1Gi, rwMixRead: 70, sync: Sync, fsync: 4, ioEngine: libaio, ioDepth: 8, rate: 1Mi, jobs: [{name: a, rw: read, ioEngine: psync, rateIOPS: 5}, {name: b}]`),
		"jobs, none": refusedFio(`rw: write, size: 1Gi, jobs: []`, at+"jobs",
			"should have at least 1 items"),
		"jobs, nine": refusedFio(`rw: write, size: 1Gi, jobs: [`+many(9, "{name: j%d}")+`]`, at+"jobs",
			"must have at most 8 items"),
		"jobs, a name twice": refusedFio(`rw: write, size: 1Gi, jobs: [{name: a}, {name: a}]`, at+"jobs[1]",
			"Duplicate value"),
		"jobs, a name with a /": refusedFio(`rw: write, size: 1Gi, jobs: [{name: a/b}]`, at+"jobs[0].name",
			"name becomes part of file names: it must be lower-case letters and digits"),
		"jobs, a name with [": refusedFio(`rw: write, size: 1Gi, jobs: [{name: "a\n[b]"}]`, at+"jobs[0].name",
			"name becomes part of file names"),
		"jobs, the name global": refusedFio(`rw: write, size: 1Gi, jobs: [{name: global}]`, at+"jobs[0].name",
			"not be global"),
		"jobs, a name too long": refusedFio(`rw: write, size: 1Gi, jobs: [{name: `+strings.Repeat("a", 21)+`}]`,
			at+"jobs[0].name", "may not be more than 20"),
		"jobs, an option we do not have": {Patch: fioPatch(`rw: write, size: 1Gi, jobs: [{name: a, exec_prerun: reboot}]`),
			Message: "unknown field"},
		"jobs, rw in only one": refusedFio(`size: 1Gi, jobs: [{name: a, rw: read}, {name: b}]`, at+"rw", "value"),
		"jobs, size in none":   refusedFio(`rw: read, jobs: [{name: a}]`, at+"size", "size"),
		"jobs, size no multiple of bs": goOnly(refusedFio(`rw: read, size: 1Mi, jobs: [{name: a, bs: 3k}]`, at+
			"jobs[0].size", "size must be a multiple of bs"), "CEL does not know what a job takes from its workload"),
		"jobs, startDelay over a day": refusedFio(`rw: read, size: 1Gi, jobs: [{name: a, startDelay: 25h}]`, at+
			"jobs[0].startDelay", "startDelay must be whole seconds from 0s to 24h, for example 30s"),
		"jobs, startDelay negative": refusedFio(`rw: read, size: 1Gi, jobs: [{name: a, startDelay: -1s}]`, at+
			"jobs[0].startDelay", "startDelay must be whole seconds from 0s to 24h"),
		"jobs, two rates": refusedFio(`rw: read, size: 1Gi, jobs: [{name: a, rate: 1Mi, rateIOPS: 1}]`, at+
			"jobs[0].rate", "only one of rate and rateIOPS can be set"),
		"jobs, 1001 processes": goOnly(
			refusedFio(`rw: read, size: 1Gi, numJobs: 500, jobs: [{name: a}, {name: b, numJobs: 501}]`, at+"jobs",
				"numJobs of all jobs together must be at most 1000"), "CEL would have to add"),
		"jobs, buffers of more than 4 GiB": goOnly(
			refusedFio(`rw: read, size: 1Gi, bs: 64M, numJobs: 40, jobs: [{name: a}, {name: b}]`, at+"jobs",
				"must be at most 4 GiB for all jobs together"), "CEL would have to add"),
	}
}

// Datasets are cases about the dataset, as far as it is no property.
func Datasets() map[string]Case {
	return map[string]Case{
		"a volume": volume(`size: 1Gi`, ``, `size: 1Gi`),
		"ext4 on a volume": volume(
			`size: 1Gi, filesystem: {type: ext4, mkfsOptions: [blockSize=4096], mountOptions: [noatime]}`, ``, `size: 1Gi`),
		"a sparse volume": volume(`size: 1Gi, sparse: true`, `volblocksize: 128K`,
			`size: 512Mi, numJobs: 2`),
		"a volume of 512-byte blocks": volume(`size: "1049088"`, `volblocksize: "512"`, `size: 1Mi`),
		"an unknown filesystem": refusedVolume(`size: 1Gi, filesystem: {type: ntfs}`, ``, `size: 1Gi`,
			"spec.dataset.volume.filesystem.type", `Unsupported value: "ntfs"`),
		"an option on a volume": perTypeOnly(
			refusedVolume(`size: 1Gi, filesystem: {type: ext2, mountOptions: [data=journal]}`, ``, `size: 1Gi`,
				"spec.dataset.volume.filesystem.mountOptions", "ext2: data is not an option")),
		"a volume without its size": {Patch: `{spec: {dataset: {type: Volume}}}`, Field: "spec.dataset.volume",
			Message: "volume is required for type Volume"},
		"a filesystem with a volume": {Patch: `{spec: {dataset: {volume: {size: 1Gi}}}}`,
			Field: "spec.dataset.volume", Message: "volume is only for type Volume"},
		"a dataset of no known type": {Patch: `{spec: {dataset: {type: Snapshot}}}`, Field: "spec.dataset.type",
			Message: `supported values: "Filesystem", "Volume"`},
		"a volume too small": refusedVolume(`size: 512Ki`, ``, `size: 4Ki`, "spec.dataset.volume.size",
			"size must be a whole number of bytes from 1Mi to 64Ti, for example 8Gi"),
		"a volume of odd size": refusedVolume(`size: 1025Ki`, ``, `size: 4Ki`, "spec.dataset.volume.size",
			"size must be a multiple of volblocksize"),
		"a volume of odd blocks": refusedVolume(`size: 1088Ki`, `volblocksize: 128k`, `size: 4Ki`,
			"spec.dataset.volume.size", "size must be a multiple of volblocksize"),
		"jobs that do not fit": refusedVolume(`size: 1Gi`, ``, `size: 512Mi, numJobs: 3`, "spec.workloads",
			"workloads must fit into the volume"),
		"jobs of several kinds that do not fit": goOnly(refusedVolume(`size: 1Gi`, ``,
			`size: 512Mi, jobs: [{name: a, numJobs: 2}, {name: b, size: 1Mi}]`, "spec.workloads",
			"workloads must fit into the volume"), "CEL would have to add"),
		"jobs beyond any volume": refusedVolume(`size: 1Gi`, ``, `size: 64Ti, numJobs: 1000`, "spec.workloads",
			"workloads must fit into the volume"),
		"a volume's size in decimals": refusedVolume(`size: 1.5Gi`, ``, `size: 1Gi`, "spec.dataset.volume.size",
			"size must be a whole number of bytes"),
		"a volume's size of no number": {Patch: `{spec: {dataset: {type: Volume, volume: {size: large}}}}`,
			Field: "spec.dataset.volume.size", Message: "size must be a whole number of bytes from 1Mi"},
	}
}

func fioPatch(job string) string {
	return "{spec: {workloads: [{name: a, fio: {" + job + "}}]}}"
}

func fio(job string) Case {
	return Case{Patch: fioPatch(job)}
}

func refusedFio(job, field, message string) Case {
	return Case{Patch: fioPatch(job), Field: field, Message: message}
}

func perTypeOnly(c Case) Case {
	c.GoOnly = perType
	return c
}

func volume(volume, properties, job string) Case {
	return Case{Patch: fmt.Sprintf("{spec: {dataset: {type: Volume, volume: {%s}, properties: {%s}}, workloads: "+
		"[{name: a, fio: {rw: randwrite, %s}}]}}", volume, properties, job)}
}

func refusedVolume(v, properties, job, field, message string) Case {
	c := volume(v, properties, job)
	c.Field, c.Message = field, message
	return c
}
