// SPDX-License-Identifier: Apache-2.0

package validatetest

// Recommend are cases about recommendations. The base has one workload, which writes.
func Recommend() map[string]Case {
	const at = "spec.recommend"
	some := func(recommend string) Case { return Case{Patch: "{spec: {recommend: {" + recommend + "}}}"} }
	refused := func(recommend, field, message string) Case {
		c := some(recommend)
		c.Field, c.Message = field, message
		return c
	}
	inGo := func(c Case) Case {
		c.GoOnly = "CEL would repeat what it says of thresholds"
		return c
	}
	const goal = `goals: [{workload: seq-write, metric: writeIOPS}]`
	requires := func(requirement string) string {
		return goal + `, requirements: [{workload: seq-write, ` + requirement + `}]`
	}
	return map[string]Case{
		"a goal":     some(goal),
		"everything": some(`goals: [{workload: seq-write, metric: writeIOPS, weight: 100}, {workload: seq-write, metric: writeLatencyP99}], requirements: [{workload: seq-write, metric: writeBandwidth, atLeast: 5Mi}], minRedundancy: 0, acceptDataLoss: true`),
		"no goals":   refused(`goals: []`, at+".goals", "should have at least 1 items"),
		"17 goals": {Patch: "{spec: {recommend: {goals: [" + many(17, "{workload: seq-write, metric: writeIOPS, "+
			"weight: 1%d}") + "]}}}", Field: at + ".goals", Message: "must have at most 16 items"},
		"a weight of 0": {Patch: `{spec: {recommend: {goals: [{workload: seq-write, metric: writeIOPS, weight: 0}]}}}`,
			Field: at + ".goals[0].weight", Message: "should be greater than or equal to 1"},
		"a weight of 101": refused(`goals: [{workload: seq-write, metric: writeIOPS, weight: 101}]`, at+".goals[0].weight",
			"101"),
		"a goal twice": inGo(refused(`goals: [{workload: seq-write, metric: writeIOPS}, {workload: seq-write, metric: writeIOPS}]`, at+".goals[1]", "Duplicate value")),
		"no such metric": refused(`goals: [{workload: seq-write, metric: speed}]`, at+".goals[0].metric",
			"metric must be an operation followed by Bandwidth"),
		"no such workload": inGo(refused(`goals: [{workload: other, metric: writeIOPS}]`, at+".goals[0].workload",
			"workload is not in spec.workloads")),
		"a goal of reading": inGo(refused(`goals: [{workload: seq-write, metric: readIOPS}]`, at+".goals[0].metric",
			"workload seq-write has write")),
		"a bound": some(requires(`metric: writeLatencyP99, atMost: 2ms`)),
		"a bound in bytes": inGo(refused(requires(`metric: writeLatencyP99, atMost: 2Mi`), at+".requirements[0]",
			"a threshold on a latency is a time, for example 2ms")),
		"a bound in percent": inGo(refused(requires(`metric: writeIOPS, atLeast: 95%`), at+".requirements[0]",
			"a percentage needs relativeTo: say of what")),
		"no bound": refused(requires(`metric: writeIOPS`), at+".requirements[0]", "exactly one of atLeast and "+
			"atMost must be set"),
		"redundancy 4": refused(goal+`, minRedundancy: 4`, at+".minRedundancy", "4"),
	}
}
