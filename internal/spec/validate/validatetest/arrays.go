// SPDX-License-Identifier: Apache-2.0

package validatetest

import "strings"

// Arrays are cases about baselines on md arrays.
func Arrays() map[string]Case {
	const (
		at     = "spec.baselines[0].filesystem"
		md     = at + ".md"
		places = "to compare with devices and variants costs too much in CEL"
	)
	cases := map[string]Case{
		"raid0":             {Patch: onArray(`level: raid0, devices: [d0, d1]`)},
		"raid1":             {Patch: onArray(`level: raid1, devices: [d0, d1], bitmap: Internal`)},
		"raid1 of three":    {Patch: onArray(`level: raid1, devices: [d0, d1, d2]`)},
		"raid5":             {Patch: onArray(`level: raid5, devices: [d0, d1, d2], chunkSize: 64Ki`)},
		"raid6":             {Patch: onArray(`level: raid6, devices: [d0, d1, d2, d3], chunkSize: 1Mi, bitmap: None`)},
		"raid10":            {Patch: onArray(`level: raid10, devices: [d0, d1, d2, d3]`)},
		"raid10 of five":    {Patch: onArray(`level: raid10, devices: [d0, d1, d2, d3, d4]`)},
		"a chunk in bytes":  {Patch: onArray(`level: raid0, devices: [d0, d1], chunkSize: "65536"`)},
		"the least chunk":   {Patch: onArray(`level: raid0, devices: [d0, d1], chunkSize: 4Ki`)},
		"the largest chunk": {Patch: onArray(`level: raid0, devices: [d0, d1], chunkSize: 64Mi`)},
		"raw":               {Patch: withDisks(`{name: a, raw: {md: {level: raid1, devices: [d0, d1]}}}`)},
		"partitions": {Patch: `{spec: {pool: null, devices: [
			{name: d0, path: /dev/disk/by-id/a, partitions: [{name: p0, size: 1Gi}, {name: p1}]},
			{name: d1, path: /dev/disk/by-id/b}],
			baselines: [{name: a, raw: {md: {level: raid1, devices: [p0, p1]}}}, {name: b, raw: {device: d1}}]}}`},
		"beside a disk": {Patch: withDisks(`{name: a, raw: {md: {level: raid1, devices: [d0, d1]}}}, {name: b, raw: {device: d0}}`)},

		"neither": {Patch: withDisks(`{name: a, filesystem: {type: ext4}}`), Field: at,
			Message: "exactly one of device and md must be set"},
		"both": {Patch: withDisks(
			`{name: a, filesystem: {type: ext4, device: d0, md: {level: raid1, devices: [d0, d1]}}}`), Field: at,
			Message: "exactly one of device and md must be set"},
		"neither, raw": {Patch: withDisks(`{name: a, raw: {}}`), Field: "spec.baselines[0].raw",
			Message: "exactly one of device and md must be set"},
		"both, raw": {Patch: withDisks(`{name: a, raw: {device: d0, md: {level: raid1, devices: [d0, d1]}}}`),
			Field: "spec.baselines[0].raw", Message: "exactly one of device and md must be set"},
		"an unknown level": {Patch: onArray(`level: raid4, devices: [d0, d1, d2]`), Field: md + ".level",
			Message: `Unsupported value: "raid4"`},
		"linear": {Patch: onArray(`level: linear, devices: [d0, d1]`), Field: md + ".level",
			Message: `Unsupported value: "linear"`},
		"one device": {Patch: onArray(`level: raid1, devices: [d0]`), Field: md + ".devices",
			Message: "should have at least 2 items"},
		"raid5 of two": {Patch: onArray(`level: raid5, devices: [d0, d1]`), Field: md + ".devices",
			Message: "devices must be at least 3 for level raid5"},
		"raid6 of three": {Patch: onArray(`level: raid6, devices: [d0, d1, d2]`), Field: md + ".devices",
			Message: "devices must be at least 4 for level raid6"},
		"raid10 of three": {Patch: onArray(`level: raid10, devices: [d0, d1, d2]`), Field: md + ".devices",
			Message: "devices must be at least 4 for level raid10"},
		"a device twice": {Patch: onArray(`level: raid1, devices: [d0, d0]`), Field: md + ".devices[1]",
			Message: "Duplicate value"},
		"a path": {Patch: onArray(`level: raid1, devices: [d0, /dev/sda]`), Field: md + ".devices[1]",
			Message: "should match"},
		"a long name": {Patch: onArray(`level: raid1, devices: [d0, ` + strings.Repeat("a", 33) + `]`),
			Field: md + ".devices[1]", Message: "may not be more than 32"},
		"65 devices": {Patch: onArray(`level: raid0, devices: [` + many(65, "d%d") + `]`), Field: md +
			".devices", Message: "must have at most 64 items"},
		"a chunk for raid1": {Patch: onArray(`level: raid1, devices: [d0, d1], chunkSize: 64Ki`), Field: md +
			".chunkSize", Message: "chunkSize is for levels that stripe, and raid1 does not: remove it"},
		"a chunk with a bad unit": {Patch: onArray(`level: raid0, devices: [d0, d1], chunkSize: 64k`), Field: md +
			".chunkSize", Message: "should match"},
		"a bitmap for raid0": {Patch: onArray(`level: raid0, devices: [d0, d1], bitmap: None`), Field: md + ".bitmap",
			Message: "bitmap is for levels with redundancy, and raid0 has none: remove it"},
		"a bitmap in a file": {Patch: onArray(`level: raid1, devices: [d0, d1], bitmap: /x`), Field: md + ".bitmap",
			Message: `Unsupported value: "/x"`},
		"an option of mdadm's own": {Patch: onArray(`level: raid1, devices: [d0, d1], assumeClean: true`),
			Message: "unknown field"},
	}
	for name, c := range map[string]Case{
		"no such device": {Patch: onArray(`level: raid1, devices: [d0, d9]`), Field: md + ".devices[1]",
			Message: "devices names d9, which is not in spec.devices", GoOnly: places},
		"a file": {Patch: `{spec: {devices: [{name: d0, path: /dev/disk/by-id/a}, {name: f0, file: {size: 1Gi}}],
			pool: {vdevs: [{type: stripe, devices: [d0]}]},
			baselines: [{name: a, filesystem: {type: ext4, md: {level: raid1, devices: [d0, f0]}}}]}}`,
			Field: md + ".devices[1]", Message: "devices names f0, which is a file: a baseline needs a disk", GoOnly: places},
	} {
		cases[name] = c
	}
	for _, chunk := range []string{"2Ki", "128Mi", "48Ki", "0", "65537"} {
		cases["a chunk of "+chunk] = Case{
			Patch: onArray(`level: raid0, devices: [d0, d1], chunkSize: "` + chunk + `"`), Field: md + ".chunkSize",
			Message: "chunkSize must be a power of two from 4Ki to 64Mi, for example 64Ki",
			GoOnly:  "a quantity that may be a power of two costs too much in CEL",
		}
	}
	return cases
}

// onArray is a benchmark with ext4 on an array of some of five disks.
func onArray(array string) string {
	return withDisks(`{name: a, filesystem: {type: ext4, md: {` + array + `}}}`)
}

// withDisks is a benchmark of baselines alone, and of five more so that each of five disks has a place.
func withDisks(baselines string) string {
	return `{spec: {pool: null, devices: [` + many(5, "{name: d%d, path: /dev/disk/by-id/d%d}") + `], baselines: [` +
		baselines + `, ` + many(5, "{name: raw%d, raw: {device: d%d}}") + `]}}`
}
