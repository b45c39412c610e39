// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

// perType is why the API server leaves to Go which options a filesystem has.
const perType = "the options of each type are in one place, internal/storage/filesystem"

// Baselines are cases about variants that are not ZFS.
func Baselines() map[string]Case {
	const at = "spec.baselines"
	only := func(baselines string) string { return `{spec: {pool: null, baselines: [` + baselines + `]}}` }
	cases := map[string]Case{
		"one":               {Patch: onBaselines(`{name: ext4, filesystem: {type: ext4, device: d0}}`)},
		"raw":               {Patch: onBaselines(`{name: raw, raw: {device: d1}}`)},
		"16":                {Patch: onBaselines(many(16, "{name: raw%d, raw: {device: d0}}"))},
		"equal ones":        {Patch: onBaselines(`{name: a, raw: {device: d0}}, {name: b, raw: {device: d0}}`)},
		"options":           {Patch: onBaselines(`{name: ext4, filesystem: {type: ext4, device: d0, mkfsOptions: [blockSize=4096, journalMiB=64], mountOptions: [data=journal, noatime, nodelalloc]}}`)},
		"a level":           {Patch: onBaselines(`{name: btrfs, filesystem: {type: btrfs, device: d0, mountOptions: ["compress=zstd:3"]}}`)},
		"without a pool":    {Patch: only(`{name: ext4, filesystem: {type: ext4, device: d0}}, {name: raw, raw: {device: d1}}`)},
		"a disk of its own": {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a}, {name: d1, path: /dev/disk/by-id/b}, {name: d2, path: /dev/disk/by-id/c}], baselines: [{name: raw, raw: {device: d2}}]}}`},
		"a partition":       {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a, partitions: [{name: p0, size: 1Gi}, {name: p1}]}], pool: {vdevs: [{type: stripe, devices: [p0]}]}, baselines: [{name: raw, raw: {device: p1}}]}}`},
		"as a reference":    {Patch: `{spec: {baselines: [{name: raw, raw: {device: d0}}], comparison: {reference: raw}}}`},
		"the pool as one":   {Patch: `{spec: {baselines: [{name: raw, raw: {device: d0}}], comparison: {reference: default}}}`},
		"beside a matrix": {Patch: `{spec: {baselines: [{name: raw, raw: {device: d0}}], matrix: {axes: [` + records +
			`]}}}`},

		"none": {Patch: onBaselines(``), Field: at, Message: "should have at least 1 items"},
		"17": {Patch: onBaselines(many(17, "{name: raw%d, raw: {device: d0}}")), Field: at,
			Message: "must have at most 16 items"},
		"nothing": {Patch: onBaselines(`{name: a}`), Field: at + "[0]", Message: "exactly one of filesystem, " +
			"raw and persistentVolume must be set"},
		"both": {Patch: onBaselines(`{name: a, raw: {device: d0}, filesystem: {type: xfs, device: d0}}`),
			Field: at + "[0]", Message: "exactly one of filesystem, raw and persistentVolume must be set"},
		"a name twice": {Patch: onBaselines(`{name: a, raw: {device: d0}}, {name: a, raw: {device: d1}}`), Field: at +
			"[1]", Message: "Duplicate value"},
		"a name with a =": {Patch: onBaselines(`{name: "a=b", raw: {device: d0}}`), Field: at + "[0].name",
			Message: "name becomes part of the names of variants"},
		"a long name": {Patch: onBaselines(`{name: ` + strings.Repeat("a", 64) + `, raw: {device: d0}}`), Field: at +
			"[0].name", Message: "may not be more than 63"},
		"zfs": {Patch: onBaselines(`{name: a, filesystem: {type: zfs, device: d0}}`), Field: at +
			"[0].filesystem.type", Message: `Unsupported value: "zfs"`},
		"a device path": {Patch: onBaselines(`{name: a, raw: {device: /dev/sda}}`), Field: at + "[0].raw.device",
			Message: "should match"},
		"a long device": {Patch: onBaselines(`{name: a, raw: {device: ` + strings.Repeat("a", 33) + `}}`), Field: at +
			"[0].raw.device", Message: "may not be more than 32"},
		"an empty option": {Patch: onBaselines(`{name: a, filesystem: {type: ext4, device: d0, mountOptions: [""]}}`),
			Field: at + "[0].filesystem.mountOptions[0]", Message: "should match"},
		"an option of 65": {Patch: onBaselines(`{name: a, filesystem: {type: ext4, device: d0, mountOptions: [` +
			strings.Repeat("a", 65) + `]}}`), Field: at + "[0].filesystem.mountOptions[0]", Message: "may not be more than 64"},
		"17 options": {Patch: onBaselines(`{name: a, filesystem: {type: ext4, device: d0, mkfsOptions: [` +
			many(17, "a%d=1") + `]}}`), Field: at + "[0].filesystem.mkfsOptions", Message: "must have at most 16 items"},
		"no pool at all": {Patch: `{spec: {pool: null}}`, Field: "spec.pool", Message: "pool is required: say how to " +
			"build it from spec.devices"},
		"a reference of one": {Patch: `{spec: {comparison: {reference: default}}}`, Field: "spec.comparison.reference",
			Message: "comparison.reference needs a matrix or baselines"},
	}
	for name, text := range map[string]string{
		"two options": "data=journal,barrier=0", "a flag": "-F", "a path": "usrjquota=../../x",
		"spaces": "data=journal barrier=0", "capitals": "Data=journal", "only a value": "=journal",
		"a line": "data=journal\nx",
	} {
		cases["an option that is "+name] = Case{Patch: onBaselines(
			fmt.Sprintf(`{name: a, filesystem: {type: ext4, device: d0, mountOptions: [%q]}}`, text)), Field: at +
			"[0].filesystem.mountOptions[0]", Message: "should match"}
	}
	for name, c := range map[string]Case{
		"no such device": {Patch: onBaselines(`{name: a, raw: {device: d9}}`), Field: at + "[0].raw.device",
			Message: "device names d9, which is not in spec.devices"},
		"a file":               {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a}, {name: f0, file: {size: 1Gi}}], pool: {vdevs: [{type: stripe, devices: [d0]}]}, baselines: [{name: a, raw: {device: f0}}]}}`, Field: at + "[0].raw.device", Message: "which is a file: a baseline needs a disk"},
		"a disk that is split": {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a, partitions: [{name: p0}]}], pool: {vdevs: [{type: stripe, devices: [p0]}]}, baselines: [{name: a, raw: {device: d0}}]}}`, Field: at + "[0].raw.device", Message: "device names d0, which is not in spec.devices"},
		"a device of nobody":   {Patch: `{spec: {pool: {vdevs: [{type: stripe, devices: [d0]}]}, baselines: [{name: a, raw: {device: d0}}]}}`, Field: "spec.devices", Message: "device d1 has no place"},
		"the name of the pool": {Patch: onBaselines(`{name: default, raw: {device: d0}}`), Field: at + "[0].name",
			Message: "two variants have the name default"},
		"the name of a variant":  {Patch: `{spec: {baselines: [{name: a, raw: {device: d0}}], matrix: {include: [{name: a}]}}}`, Field: at + "[0].name", Message: "two variants have the name a"},
		"a dataset without pool": {Patch: `{spec: {pool: null, dataset: {type: Filesystem}, baselines: [{name: a, raw: {device: d0}}, {name: b, raw: {device: d1}}]}}`, Field: "spec.dataset", Message: "dataset is for a pool, and there are only baselines"},
		"parameters without pool": {Patch: `{spec: {pool: null, moduleParameters: {zfs_txg_timeout: "7"}, baselines: [{name: a, raw: {device: d0}}, {name: b, raw: {device: d1}}]}}`, Field: "spec.moduleParameters",
			Message: "moduleParameters is for a pool, and there are only baselines"},
	} {
		c.GoOnly = "to compare with devices and variants costs too much in CEL"
		cases[name] = c
	}
	for name, c := range map[string]Case{
		"an unknown option": mountOptions("ext4", "barrier=0", "ext4: barrier is not an option that a benchmark may "+
			"set, which are data, commit"),
		"an option of the runner": mountOptions("ext4", "suid", "suid is not an option"),
		"an option of another":    mountOptions("ext2", "data=journal", "ext2: data is not an option"),
		"another value":           mountOptions("ext3", "data=none", "ext3: data must be journal, ordered or writeback, not"),
		"no value":                mountOptions("ext3", "data", "data must be journal"),
		"a value for a flag":      mountOptions("xfs", "largeio=1", "largeio must be without a value"),
		"twice":                   mountOptions("ext3", "commit=5, commit=5", "commit is set more than once"),
		"mkfs, unknown": {Patch: onBaselines(
			`{name: a, filesystem: {type: xfs, device: d0, mkfsOptions: [protofile=x]}}`), Field: at +
			"[0].filesystem.mkfsOptions", Message: "xfs: protofile is not an option"},
		"mkfs, another value": {Patch: onBaselines(
			`{name: a, filesystem: {type: xfs, device: d0, mkfsOptions: [reflink=2]}}`), Field: at +
			"[0].filesystem.mkfsOptions", Message: "reflink must be 0 or 1"},
	} {
		c.GoOnly = perType
		cases[name] = c
	}
	return cases
}

func onBaselines(baselines string) string { return "{spec: {baselines: [" + baselines + "]}}" }

func mountOptions(kind, options, message string) Case {
	return Case{
		Patch: onBaselines(`{name: a, filesystem: {type: ` + kind + `, device: d0, mountOptions: [` + options + `]}}`),
		Field: "spec.baselines[0].filesystem.mountOptions", Message: message,
	}
}
