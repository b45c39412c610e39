// SPDX-License-Identifier: Apache-2.0

package validatetest

import "strings"

// With are cases about the other benchmarks that a benchmark is compared with.
func With() map[string]Case {
	const at = "spec.comparison.with"
	with := func(entries string) Case { return Case{Patch: "{spec: {comparison: {with: [" + entries + "]}}}"} }
	refused := func(entries, field, message string) Case {
		c := with(entries)
		c.Field, c.Message = field, message
		return c
	}
	return map[string]Case{
		"a benchmark": with(`{benchmark: before}`),
		"a ConfigMap": with(`{configMap: mirror-results.before}`),
		"eight":       with(many(8, "{benchmark: b%d}")),
		"none":        with(``),
		"nine":        refused(many(9, "{benchmark: b%d}"), at, "must have at most 8 items"),
		"neither":     refused(`{}`, at+"[0]", "exactly one of benchmark and configMap must be set"),
		"both": refused(`{benchmark: a, configMap: b}`, at+"[0]", "exactly one of benchmark and "+
			"configMap must be set"),
		"twice":                 refused(`{benchmark: a}, {benchmark: a}`, at, "with has a name more than once"),
		"a name for two things": refused(`{benchmark: a}, {configMap: a}`, at, "with has a name more than once"),
		"itself":                refused(`{benchmark: case}`, at, "comparison.with names the benchmark itself"),
		"another namespace": refused(`{benchmark: other/before}`, at+"[0].benchmark", "benchmark must be the name "+
			"of a ZfsBenchmark"),
		"a ConfigMap in capitals": refused(`{configMap: Before}`, at+"[0].configMap", "configMap must be the name of a "+
			"ConfigMap"),
		"a benchmark's long name": refused(`{benchmark: `+strings.Repeat("a", 64)+`}`, at+"[0].benchmark",
			"may not be more than 63"),
		"a ConfigMap's long name": refused(`{configMap: `+strings.Repeat("a", 254)+`}`, at+"[0].configMap",
			"may not be more than 253"),
		"a ConfigMap of this name": with(`{configMap: case}`),
	}
}

// Thresholds are cases about bounds. The base has one workload, which writes.
func Thresholds() map[string]Case {
	const at = "spec.thresholds"
	some := func(thresholds string) Case { return Case{Patch: "{spec: {thresholds: [" + thresholds + "]}}"} }
	one := func(threshold string) Case { return some("{workload: seq-write, " + threshold + "}") }
	refused := func(threshold, field, message string) Case {
		c := one(threshold)
		c.Field, c.Message = field, message
		return c
	}
	withOthers := func(c Case, comparison string) Case {
		c.Patch = strings.TrimSuffix(c.Patch, "}}") + ", matrix: {axes: [" + records + "]}, comparison: {" + comparison +
			"}}}"
		return c
	}
	goOnly := func(c Case) Case {
		c.GoOnly = perVariant
		return c
	}
	workload := func(name, message string) Case {
		return Case{Patch: "{spec: {thresholds: [{workload: '" + name + "', metric: writeIOPS, atLeast: 1k}]}}", Field: at,
			Message: message}
	}
	reads := func(rw, metric string) string {
		return `{spec: {workloads: [{name: w, fio: {rw: ` + rw + `, size: 1Gi}}], thresholds: [{workload: w, metric: ` +
			metric + `, atLeast: 1k}]}}`
	}
	phase := func(tool, metric string) string {
		return `{spec: {workloads: [{name: w, ` + tool + `}], thresholds: [{workload: w, metric: ` + metric +
			`, atLeast: 1k}]}}`
	}
	const wrongWay = "thresholds has a metric of reading for a workload that only writes, or of writing for one that " +
		"only reads"
	const notThere = "relativeTo needs comparison.reference, or must be a name in comparison.with"
	const notBound = "must be a number above 0 with the unit of its metric"
	return map[string]Case{
		"none":                some(``),
		"a bandwidth":         one(`metric: writeBandwidth, atLeast: 500Mi`),
		"a bandwidth at most": one(`metric: writeBandwidth, atMost: 1.5G`),
		"IOPS":                one(`metric: writeIOPS, atLeast: 20k`),
		"IOPS without a unit": one(`metric: writeIOPS, atLeast: "800"`),
		"a latency":           one(`metric: writeLatencyP999, atMost: 0.25ms`),
		"a ratio": withOthers(one(`metric: writeLatencyP99, atMost: 105.5%, relativeTo: Reference`),
			`reference: recordsize=16K`),
		"of one variant": withOthers(one(`metric: writeIOPS, variant: recordsize=1M, atLeast: 90%, relativeTo: Reference`),
			`reference: recordsize=16K`),
		"of another benchmark": withOthers(one(`metric: writeIOPS, atLeast: 90%, relativeTo: before`),
			`with: [{configMap: kept}, {benchmark: before}]`),
		"of a ConfigMap": withOthers(one(`metric: writeIOPS, atLeast: 90%, relativeTo: kept`),
			`with: [{configMap: kept}]`),
		"64": some(many(64, "{workload: seq-write, metric: writeIOPS, atLeast: 1%dk}")),
		"65": {Patch: "{spec: {thresholds: [" + many(65, "{workload: seq-write, metric: writeIOPS, "+
			"atLeast: 1%dk}") + "]}}", Field: at, Message: "must have at most 64 items"},
		"reading both":        {Patch: reads("randrw", "readIOPS")},
		"writing both":        {Patch: reads("readwrite", "writeIOPS")},
		"reading":             {Patch: reads("randread", "readIOPS")},
		"reading what writes": {Patch: reads("randwrite", "readIOPS"), Field: at, Message: wrongWay},
		"writing what reads":  {Patch: reads("read", "writeIOPS"), Field: at, Message: wrongWay},
		"no such workload":    workload("seq-read", "thresholds names a workload that is not in spec.workloads"),
		"no such metric": refused(`metric: bandwidth, atLeast: 500Mi`, at+"[0].metric", "metric must be an "+
			"operation followed by Bandwidth"),
		"no such quantity": refused(`metric: writeSpeed, atLeast: 500Mi`, at+"[0].metric", "metric must be an "+
			"operation followed by Bandwidth"),
		"a long metric": refused(`metric: `+strings.Repeat("a", 57)+`IOPS, atLeast: 1k`, at+"[0].metric",
			"may not be more than 60"),
		"a phase of a tree":  {Patch: phase(`tree: {phases: [create, delete]}`, "deleteIOPS")},
		"a test of bonnie++": {Patch: phase(`bonnie: {size: 1Gi, files: {count: 1}}`, "sequentialCreateIOPS")},
		"a job of fio": {Patch: phase(`fio: {rw: write, size: 1Gi, jobs: [{name: reader, rw: read}, {name: backup}]}`,
			"readerReadIOPS")},
		"all jobs of fio": {Patch: phase(`fio: {rw: write, size: 1Gi, jobs: [{name: reader, rw: read}, {name: backup}]}`,
			"readIOPS")},
		"a job that only writes": goOnly(Case{Patch: phase(
			`fio: {rw: write, size: 1Gi, jobs: [{name: reader, rw: read}, {name: backup}]}`, "backupReadIOPS"), Field: at +
			"[0].metric", Message: "metric is for the operation backupRead, but workload w has read, write, readerRead, " +
			"backupWrite"}),
		"jobs that only write": goOnly(Case{Patch: phase(`fio: {rw: write, size: 1Gi, jobs: [{name: a}, {name: b}]}`,
			"readIOPS"), Field: at, Message: wrongWay}),
		"etcd's": {Patch: `{spec: {workloads: [{name: w, fio: {rw: write, size: 1Gi, fdatasync: 1}}],
			thresholds: [{workload: w, metric: syncLatencyP99, atMost: 10ms}]}}`},
		"syncs of a workload without": goOnly(refused(`metric: syncLatencyP99, atMost: 10ms`, at+"[0].metric",
			"metric is for the operation sync, but workload seq-write has write")),
		"a preset": {Patch: phase(`fio: {preset: oltp, size: 1Gi}`, "readIOPS")},
		"a preset that only reads": goOnly(Case{Patch: phase(`fio: {preset: random-4k-read, size: 1Gi}`, "writeIOPS"),
			Field: at, Message: wrongWay}),
		"a phase left out": goOnly(Case{Patch: phase(`tree: {phases: [create, delete]}`, "statIOPS"), Field: at +
			"[0].metric", Message: "metric is for the operation stat, but workload w has create, delete"}),
		"a phase of fio": goOnly(refused(`metric: createIOPS, atLeast: 1k`, at+"[0].metric", "metric is for the "+
			"operation create, but workload seq-write has write")),
		"neither": refused(`metric: writeIOPS`, at+"[0]", "exactly one of atLeast and atMost must be set"),
		"both": refused(`metric: writeIOPS, atLeast: 1k, atMost: 2k`, at+"[0]", "exactly one of atLeast "+
			"and atMost must be set"),
		"zero":        refused(`metric: writeIOPS, atLeast: "0.0"`, at+"[0].atLeast", notBound),
		"below zero":  refused(`metric: writeIOPS, atMost: "-1"`, at+"[0].atMost", notBound),
		"an exponent": refused(`metric: writeIOPS, atMost: "1e9"`, at+"[0].atMost", notBound),
		"a long bound": refused(`metric: writeIOPS, atMost: "`+strings.Repeat("1", 25)+`"`, at+"[0].atMost",
			"may not be more than 24"),
		"a number": {Patch: `{spec: {thresholds: [{workload: seq-write, metric: writeIOPS, atLeast: 800}]}}`, Field: at +
			"[0].atLeast", Message: "must be of type string"},
		"IOPS in bytes": refused(`metric: writeIOPS, atLeast: 1Ki`, at+"[0]", "a threshold on IOPS is a number, "+
			"for example 20k"),
		"IOPS in T": refused(`metric: writeIOPS, atLeast: 1T`, at+"[0]", "a threshold on IOPS is a number, "+
			"for example 20k"),
		"a latency in bytes": refused(`metric: writeLatencyP50, atMost: 1Mi`, at+"[0]", "a threshold on a latency is "+
			"a time, for example 2ms"),
		"a latency alone": refused(`metric: writeLatencyMean, atMost: "2"`, at+"[0]", "a threshold on a latency is "+
			"a time, for example 2ms"),
		"a bandwidth in seconds": refused(`metric: writeBandwidth, atLeast: 2ms`, at+"[0]", "a threshold on a bandwidth "+
			"is bytes per second, for example 500Mi"),
		"a percentage of what": refused(`metric: writeBandwidth, atLeast: 95%`, at+"[0]", "a percentage needs "+
			"relativeTo: say of what"),
		"a ratio in bytes": withOthers(refused(`metric: writeBandwidth, atLeast: 500Mi, relativeTo: kept`, at+"[0]",
			"a threshold with relativeTo is a percentage, for example 95%"), `with: [{configMap: kept}]`),
		"no reference": withOthers(refused(`metric: writeIOPS, atLeast: 95%, relativeTo: Reference`, at, notThere),
			`with: [{configMap: kept}]`),
		"no comparison": refused(`metric: writeIOPS, atLeast: 95%, relativeTo: Reference`, at, notThere),
		"no such benchmark": withOthers(refused(`metric: writeIOPS, atLeast: 95%, relativeTo: before`, at, notThere),
			`with: [{configMap: kept}]`),
		"nothing to refer to": withOthers(refused(`metric: writeIOPS, atLeast: 95%, relativeTo: before`, at, notThere),
			`reference: recordsize=16K`),
		"relative to nonsense": refused(`metric: writeIOPS, atLeast: 95%, relativeTo: "a b"`, at+"[0].relativeTo",
			"relativeTo must be Reference, or a name in comparison.with"),
		"relative to a long one": refused(`metric: writeIOPS, atLeast: 95%, relativeTo: `+strings.Repeat("a", 254), at+
			"[0].relativeTo", "may not be more than 253"),
		"a variant's long name": refused(`metric: writeIOPS, atLeast: 1k, variant: `+strings.Repeat("a", 254), at+
			"[0].variant", "may not be more than 253"),
		"a variant with spaces": refused(`metric: writeIOPS, atLeast: 1k, variant: "a b"`, at+"[0].variant",
			"variant must be the name of a variant"),
		"no such variant": goOnly(refused(`metric: writeIOPS, atLeast: 1k, variant: other`, at+"[0].variant",
			"variant is not one of the benchmark's variants: the first is default")),
		"the reference itself": goOnly(withOthers(refused(
			`metric: writeIOPS, variant: recordsize=16K, atLeast: 90%, relativeTo: Reference`, at+"[0].variant",
			"variant has no reference variant that it could be relative to"), `reference: recordsize=16K`)),
	}
}

// largestWith and largestThresholds are as many as the API takes, and as long.
var (
	largestWith       = many(8, "{configMap: "+strings.Repeat("c", 252)+"%d}")
	largestThresholds = many(64, "{workload: w15, metric: writeLatencyP999, variant: "+
		"'a0=v0,a1=v0,a2=v0,a3=v0,a4=v0,a5=v0,a6=v0,a7=v0', atMost: 1%d.5%, relativeTo: "+
		strings.Repeat("c", 252)+"7}")
)
