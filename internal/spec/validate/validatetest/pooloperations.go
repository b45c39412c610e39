// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

// PoolOperations are cases about what is done with the pool.
func PoolOperations() map[string]Case {
	const at = "spec.workloads[0].pool"
	second := func(field string) string { return "spec.workloads[1].pool." + field }
	return map[string]Case{
		"scrub":              operations(`{scrub: {}}`),
		"trim":               operations(`{trim: {}}`),
		"reimport":           operations(`{reimport: {}}`),
		"snapshots":          operations(`{snapshot: {count: 100}}`),
		"a snapshot":         operations(`{snapshot: {}}`),
		"offline":            operations(`{offline: {device: d1}}`),
		"offline and online": operations(`{offline: {device: d1}}`, `{online: {device: d1}}`, `{offline: {device: d0}}`),
		"replace":            withSpare(`{replace: {device: d1, with: d2}}`),
		"offline and replace": withSpare(`{offline: {device: d1}}`, `{replace: {device: d1, with: d2}}`,
			`{offline: {device: d0}}`),
		"fill": operations(`{fill: {percent: 80}}`,
			`{fill: {percent: 96, method: RandomOverwrites, overwritePercent: 200}}`),
		"fill too far": refusedCase(operations(`{fill: {percent: 97}}`), at+".fill.percent", "should be less "+
			"than or equal to 96"),
		"fill not at all": refusedCase(operations(`{fill: {percent: 0}}`), at+".fill.percent", "should be "+
			"greater than or equal to 1"),
		"fill in another way": refusedCase(operations(`{fill: {percent: 5, method: Randomly}}`), at+".fill.method",
			`supported values: "Sequential", "RandomOverwrites"`),
		"overwrites of nothing": refusedCase(operations(`{fill: {percent: 5, overwritePercent: 50}}`), at+".fill",
			"overwritePercent has a meaning only with method RandomOverwrites"),
		"fill less than before": goOnly(refusedCase(operations(`{fill: {percent: 80}}`, `{fill: {percent: 80}}`),
			second("fill.percent"), "the pool is filled to 80%"), "CEL would have to play it"),
		"fill a volume": goOnly(onVolume(`{fill: {percent: 80}}`), "CEL would have to look into other fields"),
		"send":          operations(`{send: {}}`, `{send: {since: a}}`, `{send: {since: b}}`),
		"clones":        operations(`{clone: {}}`, `{clone: {count: 10000}}`),
		"too many clones": refusedCase(operations(`{clone: {count: 10001}}`), at+".clone.count", "should be "+
			"less than or equal to 10000"),
		"send since an option": refusedCase(operations(`{send: {since: "-F"}}`), at+".send.since", "should match"),
		"send since nothing": goOnly(refusedCase(operations(`{scrub: {}}`, `{send: {since: a}}`), second("send.since"),
			"an earlier workload that sends"), "CEL would have to look into other fields"),
		"send twice since the same": goOnly(refusedCase(operations(`{send: {}}`, `{send: {since: a}}`, `{send: {since: a}}`),
			"spec.workloads[2].pool.send.since", "that no other names"), "CEL would have to play it"),
		"send a volume":  goOnly(onVolume(`{send: {}}`), "CEL would have to look into other fields"),
		"clone a volume": goOnly(onVolume(`{clone: {}}`), "CEL would have to look into other fields"),
		"during a scrub": {Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi}, during: {scrub: {}}}]}}`},
		"during a replacement": {Patch: `{spec: {devices: [
			{name: d0, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d0},
			{name: d1, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d1},
			{name: d2, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d2}],
			         workloads: [{name: a, fio: {rw: read, size: 1Gi}, during: {replace: {device: d1, with: d2}}}]}}`},
		"during nothing": refusedCase(Case{
			Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi}, during: {}}]}}`,
		}, "spec.workloads[0].during", "exactly one operation must be set: scrub, trim, online or replace"),
		"another tool than fio": refusedCase(Case{
			Patch: `{spec: {workloads: [{name: a, tree: {}, during: {scrub: {}}}]}}`,
		}, "spec.workloads[0]", "during needs fio"),
		"an operation during several passes": refusedCase(Case{
			Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi, passes: 2}, during: {scrub: {}}}]}}`,
		}, "spec.workloads[0].during", "the operation runs only once"),
		"an operation until it is steady": refusedCase(Case{
			Patch: `{spec: {workloads: [{name: a, fio: {rw: randread, size: 1Gi, timeBased: true, runtime: 10s, steadyState: {rounds: 6}}, during: {scrub: {}}}]}}`,
		}, "spec.workloads[0].during", "the operation runs only once"),
		"an operation during one": refusedCase(Case{
			Patch: `{spec: {workloads: [{name: a, pool: {scrub: {}}, during: {scrub: {}}}]}}`,
		}, "spec.workloads[0]", "during needs fio"),
		"online that was not off, during a workload": goOnly(refusedCase(Case{
			Patch: `{spec: {workloads: [{name: a, fio: {rw: read, size: 1Gi}, during: {online: {device: d1}}}]}}`,
		}, "spec.workloads[0].during.online.device", "it is not offline"), "CEL would have to play it"),
		"no operation": refusedCase(operations(`{}`), at, "exactly one operation must be set"),
		"two operations": refusedCase(operations(`{scrub: {}, trim: {}}`), at, "exactly one "+
			"operation must be set"),
		"an operation we lack": {Patch: operations(`{destroy: {}}`).Patch, Message: "unknown field"},
		"too many snapshots": refusedCase(operations(`{snapshot: {count: 100001}}`), at+".snapshot.count",
			"should be less than or equal to 100000"),
		"a device with an option": refusedCase(operations(`{offline: {device: "-f"}}`), at+".offline.device",
			"should match"),
		"a device with a path": refusedCase(operations(`{online: {device: /dev/sda}}`), at+".online.device",
			"should match"),
		"a device that is too long": refusedCase(operations(`{offline: {device: `+
			many(1, "d123456789012345678901234567890123%d")+`}}`), at+".offline.device", "32"),
		"a device of nobody": goOnly(refusedCase(operations(`{offline: {device: d7}}`), at+".offline.device",
			"d7 is in none of the vdevs"), "CEL would have to look into other fields"),
		"offline twice": goOnly(refusedCase(operations(`{offline: {device: d1}}`, `{offline: {device: d1}}`),
			second("offline.device"), "it is offline already"), "CEL would have to play it"),
		"more offline than allowed": goOnly(refusedCase(operations(`{offline: {device: d1}}`, `{offline: {device: d0}}`),
			second("offline.device"), "survives the loss of 1 devices"), "CEL would have to play it"),
		"online that was not off": goOnly(refusedCase(operations(`{online: {device: d1}}`), at+".online.device",
			"it is not offline"), "CEL would have to play it"),
		"replaced by nobody": goOnly(refusedCase(operations(`{replace: {device: d1, with: d7}}`), at+".replace.with",
			"not in spec.devices"), "CEL would have to look into other fields"),
		"replaced by a part of it": goOnly(refusedCase(operations(`{replace: {device: d1, with: d0}}`), at+".replace.with",
			"it has, or had, a place in the pool"), "CEL would have to look into other fields"),
		"replaced by itself": goOnly(refusedCase(withSpare(`{replace: {device: d1, with: d2}}`,
			`{replace: {device: d2, with: d1}}`), second("replace.with"), "it has, or had, a place in the pool"),
			"CEL would have to play it"),
		"replaced by a file": goOnly(Case{
			Patch: `{spec: {devices: [
			{name: d0, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d0},
			{name: d1, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d1},
			{name: f, file: {size: 2Gi}}],
			         workloads: [{name: a, pool: {replace: {device: d1, with: f}}}]}}`,
			Field: at + ".replace.with", Message: "a disk is replaced by a disk",
		}, "CEL would have to look into other fields"),
		"replaced by a smaller file": goOnly(Case{
			Patch: `{spec: {devices: [
			{name: f0, file: {size: 2Gi}}, {name: f1, file: {size: 2Gi}}, {name: f2, file: {size: 1Gi}}],
			pool: {vdevs: [{type: mirror, devices: [f0, f1]}]},
			         workloads: [{name: a, pool: {replace: {device: f1, with: f2}}}]}}`,
			Field: at + ".replace.with", Message: "at least as large",
		}, "CEL would have to look into other fields"),
		"a spare device without use": refusedCase(withSpare(`{scrub: {}}`), "spec.devices", "device d2 has no place in "+
			"the pool"),
		"trim of files": goOnly(Case{
			Patch: `{spec: {devices: [{name: f0, file: {size: 2Gi}}], pool: {vdevs: [{type: stripe, devices: [f0]}]}, workloads: [{name: a, pool: {trim: {}}}]}}`,
			Field: at + ".trim", Message: "the pool has file devices",
		}, "CEL would have to look into other fields"),
		"a stripe without redundancy": goOnly(Case{
			Patch: `{spec: {pool: {vdevs: [{type: stripe, devices: [d0, d1]}]}, workloads: [{name: a, pool: {offline: {device: d1}}}]}}`,
			Field: at + ".offline.device", Message: "survives the loss of 0 devices",
		}, "CEL would have to look into other fields"),
		"a baseline": goOnly(Case{
			Patch: `{spec: {baselines: [{name: ext4, filesystem: {type: ext4, device: d0}}], workloads: [{name: a, pool: {scrub: {}}}]}}`,
			Field: at, Message: "there is none of variant ext4, which is a baseline",
		}, "CEL would have to look into other fields"),
		"a baseline that is trimmed and filled": {Patch: `{spec: {baselines: [{name: ext4, filesystem: {type: ext4, device: d0}}], workloads: [{name: a, pool: {trim: {}}}, {name: b, pool: {fill: {percent: 50}}}]}}`},
		"a raw baseline that is trimmed": goOnly(Case{
			Patch: `{spec: {baselines: [{name: raw, raw: {device: d0}}], workloads: [{name: a, pool: {trim: {}}}]}}`, Field: at,
			Message: "it needs a filesystem, and there is none of variant raw",
		}, "CEL would have to look into other fields"),
		"a baseline without redundancy": goOnly(Case{
			Patch: `{spec: {baselines: [{name: ext4, filesystem: {type: ext4, device: d0}}], workloads: [{name: a, pool: {offline: {device: d0}}}]}}`,
			Field: at, Message: "it needs a pool, or an md array with redundancy, and there is none of variant ext4",
		}, "CEL would have to look into other fields"),
		"an array": onMirror(`{scrub: {}}`, `{offline: {device: d1}}`, `{online: {device: d1}}`,
			`{offline: {device: d0}}`, `{replace: {device: d0, with: d2}}`),
		"an array, replaced in use": onMirror(`{replace: {device: d0, with: d2}}`, `{offline: {device: d1}}`),
		"an array, during": {Patch: arrayPatch(
			`{name: a, fio: {rw: read, size: 1Gi}, during: {replace: {device: d0, with: d2}}}`)},
		"an array that is sent":     notOnMirror("", "it does something with a pool, and there is none", `{send: {}}`),
		"an array that is exported": notOnMirror("", "it does something with a pool, and there is none", `{reimport: {}}`),
		"an array without the last": notOnMirror("", "nothing redundant is left to compare", `{offline: {device: d1}}`,
			`{scrub: {}}`),
		"an array with none left": notOnMirror(".offline.device", "survives the loss of 1 devices",
			`{offline: {device: d1}}`, `{offline: {device: d0}}`),
		"an array of others": notOnMirror(".offline.device", "d2 is in none of the devices of the md array",
			`{offline: {device: d2}}`),
		"an array, another offline": notOnMirror("", "in whose place md would put the new one", `{offline: {device: d1}}`,
			`{replace: {device: d0, with: d2}}`),
		"an array with itself": notOnMirror(".replace.with", "it has, or had, a place",
			`{replace: {device: d0, with: d1}}`),
		"a variant without the device": goOnly(Case{
			Patch: `{spec: {matrix: {axes: [{name: layout, values: [{name: mirror}, {name: one, pool: {vdevs: [{type: stripe, devices: [d0]}]}}]}]}, workloads: [{name: a, pool: {offline: {device: d1}}}]}}`,
			Field: at + ".offline.device", Message: "of the pool of variant layout=one",
		}, "CEL would have to look into other fields"),
		"a pool that repetitions share": goOnly(Case{
			Patch: `{spec: {repetitions: {min: 2, order: Sequential, freshPool: PerVariant}, workloads: [{name: a, pool: {snapshot: {}}}]}}`,
			Field: at, Message: "needs freshPool PerRepetition",
		}, "CEL would have to look into other fields"),
		"a scrub of a pool that repetitions share": {
			Patch: `{spec: {repetitions: {min: 2, order: Sequential, freshPool: PerVariant}, workloads: [{name: a, pool: {scrub: {}}}]}}`,
		},
	}
}

// operations are workloads one after the other.
func operations(each ...string) Case {
	return Case{Patch: `{spec: {workloads: [` + listed(each) + `]}}`}
}

// onVolume is an operation that a volume has no place for.
func onVolume(operation string) Case {
	return Case{
		Patch: `{spec: {dataset: {type: Volume, properties: null, volume: {size: 1Gi}}, workloads: [{name: a, pool: ` +
			operation + `}]}}`,
		Field: "spec.workloads[0].pool", Message: "it needs a dataset that is a filesystem",
	}
}

// withSpare are likewise, with a third disk that has no place in the pool.
func withSpare(each ...string) Case {
	return Case{Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d0}, {name: d1, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d1}, {name: d2, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d2}], workloads: [` + listed(each) + `]}}`}
}

// arrayPatch is a benchmark of ext4 on a mirror of two of three disks, beside a pool that is one, too.
func arrayPatch(workloads string) string {
	return `{spec: {devices: [` + many(3, "{name: d%d, path: /dev/disk/by-id/wwn-0x5000c500a1b2c3d%d}") +
		`], pool: {vdevs: [{type: mirror, devices: [d0, d1]}]}, baselines: [{name: md, filesystem: {type: ext4, md: {level: raid1, devices: [d0, d1]}}}], workloads: [` + workloads + `]}}`
}

// onMirror are operations on both, of which one replaces a device by the third.
func onMirror(each ...string) Case { return Case{Patch: arrayPatch(listed(each))} }

// notOnMirror are operations of which the last does not fit the array.
func notOnMirror(field, message string, each ...string) Case {
	// The third disk must have a place.
	array := strings.NewReplacer("pool: {vdevs: [{type: mirror, devices: [d0, d1]}]}", "pool: null", "}}}], workloads",
		"}}}, {name: raw, raw: {device: d2}}], workloads").Replace(arrayPatch(listed(each)))
	return goOnly(Case{Patch: array, Field: fmt.Sprintf("spec.workloads[%d].pool%s", len(each)-1, field),
		Message: message}, "CEL would have to play it")
}

func listed(operations []string) string {
	text := ""
	for i, o := range operations {
		if i > 0 {
			text += ", "
		}
		text += `{name: ` + string(rune('a'+i)) + `, pool: ` + o + `}`
	}
	return text
}

// refusedCase says what is said of a case.
func refusedCase(c Case, field, message string) Case {
	c.Field, c.Message = field, message
	return c
}
