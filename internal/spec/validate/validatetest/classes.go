// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

// onClass is a patch that gives the benchmark these devices, and a pool.
func onClass(pool string, devices ...string) string {
	if strings.HasPrefix(pool, "layout") {
		pool = "vdevs: null, " + pool
	}
	return fmt.Sprintf("{spec: {devices: [%s], pool: {%s}}}", strings.Join(devices, ", "), pool)
}

// Classes are cases about devices of a class.
func Classes() map[string]Case {
	const (
		mirror   = "layout: Mirror, devices: [d0, d1]"
		two      = "{name: d, class: nvme, count: 2}"
		compared = "names of disks of a class are compared with the names of other devices"
		device   = "spec.devices[0]"
		vdevs    = "spec.pool.vdevs"
	)
	return map[string]Case{
		"two disks":               {Patch: onClass(mirror, two)},
		"two disks in vdevs":      {Patch: onClass("vdevs: [{type: mirror, devices: [d0, d1]}]", two)},
		"one disk, without count": {Patch: onClass("layout: Stripe, devices: [d0]", "{name: d, class: nvme}")},
		"64 disks": {Patch: onClass("layout: Mirror, devices: ["+many(64, "d%d")+"]",
			"{name: d, class: nvme, count: 64}")},
		"two classes, a path and a split disk": {Patch: onClass("layout: Mirror, devices: [d0, d1], log: [{type: stripe, "+
			"devices: [slog]}], cache: [{type: stripe, devices: [l0]}], spares: [s0]", two, "{name: l, class: optane}",
			"{name: s0, path: /dev/disk/by-id/s}",
			"{name: ssd, path: /dev/disk/by-id/ssd, partitions: [{name: slog}]}")},
		"two devices of one class": {Patch: onClass("layout: Mirror, devices: [a0, b0]", "{name: a, class: nvme}",
			"{name: b, class: nvme}")},
		"the name of another device's class": {Patch: onClass("layout: Stripe, devices: [nvme, d0]",
			"{name: nvme, path: /dev/disk/by-id/a}", "{name: d, class: nvme}")},
		"a longer name": {Patch: onClass("layout: Stripe, devices: ["+strings.Repeat("d", 30)+"0]",
			"{name: "+strings.Repeat("d", 30)+", class: nvme}")},
		"a baseline": {Patch: `{spec: {devices: [{name: d, class: nvme, count: 2}], pool: null, baselines: [` +
			`{name: one, filesystem: {type: xfs, device: d0}}, {name: both, raw: {md: {level: raid1, devices: [d0, d1]}}}]}}`},
		"a disk that takes the place of another": {Patch: `{spec: {devices: [{name: d, class: nvme, count: 3}], pool: {` +
			`vdevs: null, layout: Mirror, devices: [d0, d1]}, workloads: [{name: w, pool: {replace: {device: d0, ` +
			`with: d2}}}]}}`},
		"a matrix": {Patch: `{spec: {devices: [{name: d, class: nvme, count: 4}], pool: {vdevs: null, devices: [` +
			`d0, d1, d2, d3]}, matrix: {axes: [{name: layout, property: layout, propertyValues: [Mirror, Raidz1]}]}}}`},

		"class and path": {Patch: onClass(mirror, "{name: d, class: nvme, count: 2, path: /dev/disk/by-id/a}"),
			Field: device, Message: "exactly one of path, file and class must be set"},
		"class and file": {Patch: onClass(mirror, "{name: d, class: nvme, count: 2, file: {size: 1Gi}}"),
			Field: device, Message: "exactly one of path, file and class must be set"},
		"class and partitions": {Patch: onClass(mirror, "{name: d, class: nvme, count: 2, partitions: [{name: a}]}"),
			Field: device + ".partitions", Message: "the disks of a class are used as a whole"},
		"a count of a path": {Patch: onClass(mirror, "{name: d0, path: /dev/disk/by-id/a, count: 1}",
			"{name: d1, path: /dev/disk/by-id/b}"), Field: device + ".count", Message: "count is for a class"},
		"a count of a file": {Patch: onClass(mirror, "{name: d0, file: {size: 1Gi}, count: 2}",
			"{name: d1, file: {size: 1Gi}}"), Field: device + ".count", Message: "count is for a class"},
		"a count of zero": {Patch: onClass(mirror, "{name: d, class: nvme, count: 0}"), Field: device + ".count",
			Message: "should be greater than or equal to 1"},
		"a count of 65": {Patch: onClass(mirror, "{name: d, class: nvme, count: 65}"), Field: device + ".count",
			Message: "should be less than or equal to 64"},
		"65 disks of two classes": {Patch: onClass(mirror, "{name: d, class: nvme, count: 60}",
			"{name: e, class: hdd, count: 5}"), Field: "spec.devices",
			Message: "devices must be at most 64, with each disk of a class counted"},
		"a class with a glob": {Patch: onClass(mirror, `{name: d, class: "*", count: 2}`), Field: device + ".class",
			Message: "class must be lower-case letters, digits and '-'"},
		"a class left empty": {Patch: onClass(mirror, `{name: d, class: "", count: 2}`), Field: device + ".class",
			Message: "class must be lower-case letters, digits and '-'"},
		"a class of 64 characters": {Patch: onClass(mirror, "{name: d, count: 2, class: "+strings.Repeat("a", 64)+"}"),
			Field: device + ".class", Message: "may not be more than 63"},
		"a name of 31 characters": {Patch: onClass(mirror, "{name: "+strings.Repeat("d", 31)+", class: nvme}"),
			Field: device + ".name", Message: "name must be at most 30 characters with class"},

		"a disk named like a device": {Patch: onClass("layout: Mirror, devices: [d0, d1]", two,
			"{name: d0, path: /dev/disk/by-id/a}"), Field: device + ".name",
			Message: "device d of class nvme has a disk d0, and there is device d0", GoOnly: compared},
		"a disk named like a partition": {Patch: onClass("layout: Mirror, devices: [d0, d1]", two,
			"{name: ssd, path: /dev/disk/by-id/a, partitions: [{name: d1}]}"), Field: device + ".name",
			Message: "has a disk d1, and there is partition d1 of device ssd", GoOnly: compared},
		"a disk named like another class's disk": {Patch: onClass("layout: Stripe, devices: ["+many(11, "d%d")+"]",
			"{name: d, class: nvme, count: 11}", "{name: d1, class: hdd}"), Field: "spec.devices[1].name",
			Message: "device d1 of class hdd has a disk d10, and there is a disk d10 of device d", GoOnly: compared},
		"the device instead of its disks": {Patch: onClass("vdevs: [{type: stripe, devices: [d]}]", two), Field: vdevs,
			Message: "vdevs names d, which is not in spec.devices", GoOnly: compared},
		"one disk more than there are": {Patch: onClass("vdevs: [{type: mirror, devices: [d0, d1, d2]}]", two),
			Field: vdevs, Message: "vdevs names d2, which is not in spec.devices", GoOnly: compared},
		"a disk without a place": {Patch: onClass("layout: Stripe, devices: [d0]", two), Field: "spec.devices",
			Message: "device d1 has no place in the pool", GoOnly: compared},
		"a disk in two places": {Patch: onClass("layout: Mirror, devices: [d0, d1], spares: [d1]", two),
			Field: "spec.pool", Message: "pool uses device d1 more than once", GoOnly: compared},
		"disks beside files": {Patch: onClass("layout: Stripe, devices: [d0, d1, f0]", two, "{name: f0, file: {size: 1Gi}}"),
			Field: "spec.pool", Message: "must be all of disks or all of files", GoOnly: compared},
		"a baseline on the device": {Patch: `{spec: {devices: [{name: d, class: nvme}], pool: null, baselines: [` +
			`{name: one, raw: {device: d}}]}}`, Field: "spec.baselines[0].raw.device",
			Message: "device names d, which is not in spec.devices", GoOnly: compared},
	}
}
