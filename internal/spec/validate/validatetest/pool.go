// SPDX-License-Identifier: Apache-2.0

package validatetest

import "fmt"

// Pool are cases about the layout of the pool: its vdevs and their redundancy.
func Pool() map[string]Case {
	return map[string]Case{
		"no pool": {Patch: `{spec: {pool: null}}`, Field: "spec.pool", Message: "pool is required: say how to build " +
			"it from spec.devices"},
		"no vdevs": {Patch: `{spec: {pool: {vdevs: []}}}`, Field: "spec.pool.vdevs", Message: "should have at least 1 items"},
		"ashift 9": {Patch: `{spec: {pool: {ashift: 9}}}`},
		"ashift 8": {Patch: `{spec: {pool: {ashift: 8}}}`, Field: "spec.pool.ashift", Message: "should be greater " +
			"than or equal to 9"},
		"ashift 40": {Patch: `{spec: {pool: {ashift: 40}}}`, Field: "spec.pool.ashift", Message: "should be less than " +
			"or equal to 16"},
		"unknown type": {Patch: `{spec: {pool: {vdevs: [{type: raid5, devices: [d0, d1]}]}}}`,
			Field: "spec.pool.vdevs[0].type", Message: `Unsupported value: "raid5"`},

		"stripe":                      layout(2, `vdevs: [{type: stripe, devices: [f0, f1]}]`),
		"stripes of different widths": layout(3, `vdevs: [{type: stripe, devices: [f0]}, {type: stripe, devices: [f1, f2]}]`),
		"mirror of three":             layout(3, `vdevs: [{type: mirror, devices: [f0, f1, f2]}]`),
		"mirror of one": refusedLayout(1, `vdevs: [{type: mirror, devices: [f0]}]`,
			"spec.pool.vdevs[0].devices", "devices must be at least 2 for type mirror"),
		"raidz1 of two": layout(2, `vdevs: [{type: raidz1, devices: [f0, f1]}]`),
		"raidz1 of one": refusedLayout(1, `vdevs: [{type: raidz1, devices: [f0]}]`,
			"spec.pool.vdevs[0].devices", "devices must be at least 2 for type raidz1"),
		"raidz2 of three": layout(3, `vdevs: [{type: raidz2, devices: [f0, f1, f2]}]`),
		"raidz2 of two": refusedLayout(2, `vdevs: [{type: raidz2, devices: [f0, f1]}]`,
			"spec.pool.vdevs[0].devices", "devices must be at least 3 for type raidz2"),
		"raidz3 of four": layout(4, `vdevs: [{type: raidz3, devices: [f0, f1, f2, f3]}]`),
		"raidz3 of three": refusedLayout(3, `vdevs: [{type: raidz3, devices: [f0, f1, f2]}]`,
			"spec.pool.vdevs[0].devices", "devices must be at least 4 for type raidz3"),
		"no devices in a vdev": {Patch: `{spec: {pool: {vdevs: [{type: mirror, devices: []}]}}}`,
			Field: "spec.pool.vdevs[0].devices", Message: "should have at least 1 items"},

		"draid1 of two": layout(2, `vdevs: [{type: draid1, devices: [f0, f1]}]`),
		"draid1 of one": refusedLayout(1, `vdevs: [{type: draid1, devices: [f0]}]`, "spec.pool.vdevs[0].devices",
			"devices must be at least 2 for type draid1"),
		"draid2 of two": refusedLayout(2, `vdevs: [{type: draid2, devices: [f0, f1]}]`,
			"spec.pool.vdevs[0].devices", "devices must be at least 3 for type draid2"),
		"draid3 of three": refusedLayout(3, `vdevs: [{type: draid3, devices: [f0, f1, f2]}]`,
			"spec.pool.vdevs[0].devices", "devices must be at least 4 for type draid3"),
		"draid2 with data, spares": layout(6, `vdevs: [{type: draid2, devices: [f0, f1, f2, f3, f4, f5], draid: {data: 3, spares: 1}}]`),
		"draid2 too narrow": refusedLayout(5,
			`vdevs: [{type: draid2, devices: [f0, f1, f2, f3, f4], draid: {data: 3, spares: 1}}]`, "spec.pool.vdevs[0].draid",
			"draid needs as many devices as its data, parity and spares"),
		"draid with only spares": refusedLayout(2, `vdevs: [{type: draid1, devices: [f0, f1], draid: {spares: 1}}]`,
			"spec.pool.vdevs[0].draid", "draid needs as many devices as its data, parity and spares"),
		"draid data of zero": refusedLayout(3, `vdevs: [{type: draid1, devices: [f0, f1, f2], draid: {data: 0}}]`,
			"spec.pool.vdevs[0].draid.data", "should be greater than or equal to 1"),
		"draid spares of -1": refusedLayout(3, `vdevs: [{type: draid1, devices: [f0, f1, f2], draid: {spares: -1}}]`,
			"spec.pool.vdevs[0].draid.spares", "should be greater than or equal to 0"),
		"draid in a mirror": refusedLayout(2, `vdevs: [{type: mirror, devices: [f0, f1], draid: {data: 1}}]`,
			"spec.pool.vdevs[0].draid", "draid is only for the types draid1, draid2 and draid3"),

		"two mirrors": layout(4, `vdevs: [{type: mirror, devices: [f0, f1]}, {type: mirror, devices: [f2, f3]}]`),
		"mirror and raidz1": refusedLayout(4,
			`vdevs: [{type: mirror, devices: [f0, f1]}, {type: raidz1, devices: [f2, f3]}]`, "spec.pool.vdevs",
			"vdevs must all be of one type"),
		"mirrors of other widths": refusedLayout(5,
			`vdevs: [{type: mirror, devices: [f0, f1]}, {type: mirror, devices: [f2, f3, f4]}]`, "spec.pool.vdevs",
			"vdevs must all have the same number of devices"),

		"log stripe":     layout(3, `vdevs: [{type: mirror, devices: [f0, f1]}], log: [{type: stripe, devices: [f2]}]`),
		"log mirror":     layout(3, `vdevs: [{type: stripe, devices: [f0]}], log: [{type: mirror, devices: [f1, f2]}]`),
		"log raidz1":     refusedLayout(4, `vdevs: [{type: mirror, devices: [f0, f1]}], log: [{type: raidz1, devices: [f2, f3]}]`, "spec.pool.log", "log must be of type stripe or mirror"),
		"cache stripe":   layout(3, `vdevs: [{type: mirror, devices: [f0, f1]}], cache: [{type: stripe, devices: [f2]}]`),
		"cache mirror":   refusedLayout(4, `vdevs: [{type: mirror, devices: [f0, f1]}], cache: [{type: mirror, devices: [f2, f3]}]`, "spec.pool.cache", "cache must be of type stripe"),
		"special stripe": layout(2, `vdevs: [{type: stripe, devices: [f0]}], special: [{type: stripe, devices: [f1]}]`),

		"special stripe beside a mirror": refusedLayout(3,
			`vdevs: [{type: mirror, devices: [f0, f1]}], special: [{type: stripe, devices: [f2]}]`, "spec.pool.special",
			"special must survive the loss of as many devices as the data vdevs do: use type mirror with 2 devices"),
		"special mirror beside a stripe": refusedLayout(3,
			`vdevs: [{type: stripe, devices: [f0]}], special: [{type: mirror, devices: [f1, f2]}]`, "spec.pool.special",
			"use type stripe"),
		"special mirror of three beside two": refusedLayout(5,
			`vdevs: [{type: mirror, devices: [f0, f1]}], special: [{type: mirror, devices: [f2, f3, f4]}]`, "spec.pool.special",
			"use type mirror with 2 devices"),
		"special mirror beside raidz1": layout(5,
			`vdevs: [{type: raidz1, devices: [f0, f1, f2]}], special: [{type: mirror, devices: [f3, f4]}]`),
		"special mirror beside raidz2": refusedLayout(6,
			`vdevs: [{type: raidz2, devices: [f0, f1, f2, f3]}], special: [{type: mirror, devices: [f4, f5]}]`,
			"spec.pool.special", "use type mirror with 3 devices"),
		"special mirror beside draid3": refusedLayout(6,
			`vdevs: [{type: draid3, devices: [f0, f1, f2, f3]}], special: [{type: mirror, devices: [f4, f5]}]`,
			"spec.pool.special", "use type mirror with 4 devices"),
		"special raidz1 beside raidz1": refusedLayout(4,
			`vdevs: [{type: raidz1, devices: [f0, f1]}], special: [{type: raidz1, devices: [f2, f3]}]`, "spec.pool.special",
			"use type mirror with 2 devices"),
		"dedup mirror beside a mirror": layout(4,
			`vdevs: [{type: mirror, devices: [f0, f1]}], dedup: [{type: mirror, devices: [f2, f3]}]`),
		"dedup stripe beside raidz2": refusedLayout(4,
			`vdevs: [{type: raidz2, devices: [f0, f1, f2]}], dedup: [{type: stripe, devices: [f3]}]`, "spec.pool.dedup",
			"use type mirror with 3 devices"),
	}
}

// Places are cases about which device is where in the pool.
func Places() map[string]Case {
	return map[string]Case{
		"a name that is no device": refusedLayout(2,
			`vdevs: [{type: mirror, devices: [f0, f7]}, {type: mirror, devices: [f1, f7]}]`, "spec.pool.vdevs",
			"vdevs names f7, which is not in spec.devices"),
		"no such log device": refusedLayout(1,
			`vdevs: [{type: stripe, devices: [f0]}], log: [{type: stripe, devices: [slog]}]`, "spec.pool.log",
			"log names slog, which is not in spec.devices"),
		"no such cache device": refusedLayout(1,
			`vdevs: [{type: stripe, devices: [f0]}], cache: [{type: stripe, devices: [l2]}]`, "spec.pool.cache",
			"cache names l2, which is not in spec.devices"),
		"no such special device": refusedLayout(1,
			`vdevs: [{type: stripe, devices: [f0]}], special: [{type: stripe, devices: [s]}]`, "spec.pool.special",
			"special names s, which is not in spec.devices"),
		"no such dedup device": refusedLayout(1,
			`vdevs: [{type: stripe, devices: [f0]}], dedup: [{type: stripe, devices: [s]}]`, "spec.pool.dedup",
			"dedup names s, which is not in spec.devices"),
		"no such spare": refusedLayout(1, `vdevs: [{type: stripe, devices: [f0]}], spares: [s]`,
			"spec.pool.spares", "spares names s, which is not in spec.devices"),
		"a device without a place": refusedLayout(3, `vdevs: [{type: mirror, devices: [f0, f1]}]`, "spec.devices",
			"device f2 has no place in the pool"),
		"a device twice in a vdev": refusedLayout(2,
			`vdevs: [{type: mirror, devices: [f0, f0]}, {type: mirror, devices: [f1, f1]}]`, "spec.pool.vdevs[0].devices[1]",
			"Duplicate value"),
		"a device in two vdevs": refusedLayout(3,
			`vdevs: [{type: mirror, devices: [f0, f1]}, {type: mirror, devices: [f1, f2]}]`, "spec.pool",
			"pool uses device f1 more than once"),
		"a device as data and log": refusedLayout(2,
			`vdevs: [{type: mirror, devices: [f0, f1]}], log: [{type: stripe, devices: [f1]}]`, "spec.pool",
			"pool uses device f1 more than once"),
		"a device as data and cache": refusedLayout(1,
			`vdevs: [{type: stripe, devices: [f0]}], cache: [{type: stripe, devices: [f0]}]`, "spec.pool",
			"pool uses device f0 more than once"),
		"a device as data and spare": refusedLayout(2, `vdevs: [{type: mirror, devices: [f0, f1]}], spares: [f0]`,
			"spec.pool", "pool uses device f0 more than once"),
		"a spare twice": refusedLayout(3, `vdevs: [{type: mirror, devices: [f0, f1]}], spares: [f2, f2]`,
			"spec.pool.spares[1]", "Duplicate value"),
		"a spare": layout(3, `vdevs: [{type: mirror, devices: [f0, f1]}], spares: [f2]`),

		"disks and files in a mirror": {
			Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/d0}, {name: d1, file: {size: 1Gi}}]}}`,
			Field: "spec.pool", Message: "vdevs, special and dedup must be all of disks or all of files",
		},
		"a file as log beside disks": {
			Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/d0}, {name: d1, path: /dev/disk/by-id/d1}, {name: f0, file: {size: 1Gi}}], pool: {log: [{type: stripe, devices: [f0]}]}}}`,
		},
		"files of different sizes in a mirror": {
			Patch: `{spec: {devices: [{name: d0, file: {size: 1Gi}}, {name: d1, file: {size: 1041Mi}}]}}`,
			Field: "spec.pool.vdevs", Message: "devices of one vdev must be of one size",
			GoOnly: "looking up the sizes of every vdev's devices is too costly",
		},
		"files of nearly one size in a mirror": {Patch: `{spec: {devices: [{name: d0, file: {size: 1Gi}}, {name: d1, file: {size: 1040Mi}}]}}`},
		"files of different sizes striped":     {Patch: `{spec: {devices: [{name: d0, file: {size: 1Gi}}, {name: d1, file: {size: 2Gi}}], pool: {vdevs: [{type: stripe, devices: [d0, d1]}]}}}`},
	}
}

// layout is a pool of n files, accepted.
func layout(n int, pool string) Case {
	return Case{Patch: fmt.Sprintf("{%spool: {%s}}}", files(n), pool)}
}

// refusedLayout is a pool of n files, refused.
func refusedLayout(n int, pool, field, message string) Case {
	c := layout(n, pool)
	c.Field, c.Message = field, message
	return c
}
