// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// base is the spec that the tests add to: a mirror of two disks with a log, and a dataset with two properties.
const base = `
pool:
  ashift: 12
  vdevs: [{type: mirror, devices: [d0, d1]}]
  log: [{type: stripe, devices: [log0]}]
  spares: [s0]
  properties: {autotrim: "on"}
dataset:
  type: Filesystem
  properties: {recordsize: 128K, compression: lz4}
`

func spec(t *testing.T, manifest string) v1alpha1.ZfsBenchmarkSpec {
	t.Helper()
	var s v1alpha1.ZfsBenchmarkSpec
	if err := yaml.UnmarshalStrict([]byte(manifest), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	layouts     = `{name: layout, values: [{name: stripe, pool: {vdevs: [{type: stripe, devices: [d0, d1]}]}}, {name: mirror}]}`
	recordsizes = `{name: recordsize, property: recordsize, propertyValues: [16K, 128K, 1M]}`
)

func TestNames(t *testing.T) {
	tests := map[string]struct {
		matrix string
		want   []string
	}{
		"no matrix": {``, []string{"default"}},
		"one axis": {`matrix: {axes: [` + recordsizes + `]}`,
			[]string{"recordsize=16K", "recordsize=128K", "recordsize=1M"}},
		"the first axis is the slowest": {`matrix: {axes: [` + layouts + `, ` + recordsizes + `]}`, []string{
			"layout=stripe,recordsize=16K", "layout=stripe,recordsize=128K", "layout=stripe,recordsize=1M",
			"layout=mirror,recordsize=16K", "layout=mirror,recordsize=128K", "layout=mirror,recordsize=1M",
		}},
		"exclude by one axis": {`matrix: {axes: [` + layouts + `, ` + recordsizes + `], exclude: [{layout: stripe}]}`,
			[]string{
				"layout=mirror,recordsize=16K", "layout=mirror,recordsize=128K", "layout=mirror,recordsize=1M",
			}},
		"exclude by two axes": {`matrix: {axes: [` + layouts + `, ` + recordsizes +
			`], exclude: [{layout: stripe, recordsize: 1M}, {recordsize: 16K}]}`, []string{
			"layout=stripe,recordsize=128K", "layout=mirror,recordsize=128K", "layout=mirror,recordsize=1M",
		}},
		"include": {`matrix: {axes: [` + layouts + `], include: [{name: copy}, {name: other}]}`,
			[]string{"layout=stripe", "layout=mirror", "copy", "other"}},
		"only include": {`matrix: {include: [{name: a}, {name: b}]}`, []string{"a", "b"}},
		"baselines": {`baselines: [{name: ext4, filesystem: {type: ext4, device: d0}}, {name: raw, raw: {device: d0}}]`,
			[]string{"default", "ext4", "raw"}},
		"behind a matrix": {`matrix: {axes: [` + layouts + `], include: [{name: copy}]}` + "\nbaselines: [{name: raw, " +
			"raw: {device: d0}}]", []string{"layout=stripe", "layout=mirror", "copy", "raw"}},
		"exclude to include": {`matrix: {axes: [` + layouts +
			`], exclude: [{layout: stripe}, {layout: mirror}], include: [{name: a}]}`, []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			variants, err := Expand(spec(t, base+tt.matrix))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range variants {
				got = append(got, v.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAxes(t *testing.T) {
	variants, err := Expand(spec(t, base+`matrix: {axes: [`+layouts+`, `+recordsizes+
		`], exclude: [{layout: stripe}, {recordsize: 16K}], include: [{name: copy}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]string
	for _, v := range variants {
		got = append(got, v.Axes)
	}
	want := []map[string]string{{"layout": "mirror", "recordsize": "128K"}, {"layout": "mirror", "recordsize": "1M"}, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("axes (-want +got):\n%s", diff)
	}
}

// TestOverlays compares the target of the last variant with the one that the changes describe, as a whole.
func TestOverlays(t *testing.T) {
	const (
		pool    = `ashift: 12, vdevs: [{type: mirror, devices: [d0, d1]}], log: [{type: stripe, devices: [log0]}], spares: [s0], properties: {autotrim: "on"}`
		dataset = `dataset: {type: Filesystem, properties: {recordsize: 128K, compression: lz4}}`
	)
	value := func(change string) string {
		return base + `matrix: {axes: [{name: a, values: [{name: v, ` + change + `}]}]}`
	}
	tests := map[string]struct {
		spec, want string
	}{
		"no matrix":                {base, `{pool: {` + pool + `}, ` + dataset + `}`},
		"neither pool nor dataset": {``, `{dataset: {type: Filesystem}}`},
		"no change":                {base + `matrix: {include: [{name: a}]}`, `{pool: {` + pool + `}, ` + dataset + `}`},
		"a number replaces": {value(`pool: {ashift: 9}`), `{pool: {` + strings.Replace(pool, "12", "9", 1) + `}, ` +
			dataset + `}`},
		"a list replaces": {
			value(`pool: {vdevs: [{type: draid1, devices: [d2, d3, d4], draid: {data: 1, spares: 1}}], spares: [s1, s2]}`),
			`{pool: {ashift: 12, vdevs: [{type: draid1, devices: [d2, d3, d4], draid: {data: 1, spares: 1}}], log: [{type: stripe, devices: [log0]}], spares: [s1, s2], properties: {autotrim: "on"}}, ` + dataset + `}`,
		},
		"an empty list removes": {
			value(`pool: {log: [], spares: []}`),
			`{pool: {ashift: 12, vdevs: [{type: mirror, devices: [d0, d1]}], properties: {autotrim: "on"}}, ` + dataset + `}`,
		},
		"lists that were not there": {
			value(`pool: {cache: [{type: stripe, devices: [c]}], special: [{type: mirror, devices: [e, f]}], dedup: [{type: mirror, devices: [g, h]}]}`),
			`{pool: {` + pool + `, cache: [{type: stripe, devices: [c]}], special: [{type: mirror, devices: [e, f]}], dedup: [{type: mirror, devices: [g, h]}]}, ` + dataset + `}`,
		},
		"module parameters merge": {
			strings.Replace(value(`moduleParameters: {zfs_txg_timeout: "7", b: "3"}`), "dataset:",
				`moduleParameters: {a: "1", b: "2"}`+"\ndataset:", 1),
			`{pool: {` + pool + `}, ` + dataset + `, moduleParameters: {a: "1", b: "3", zfs_txg_timeout: "7"}}`,
		},
		"module parameters that were not there": {
			value(`moduleParameters: {zfs_txg_timeout: "7"}`), `{pool: {` + pool + `}, ` + dataset +
				`, moduleParameters: {zfs_txg_timeout: "7"}}`,
		},
		"properties merge": {
			value(`pool: {properties: {feature@draid: disabled}}, dataset: {properties: {sync: always, recordsize: 1M}}`),
			`{pool: {` + strings.Replace(pool, `autotrim: "on"`, `autotrim: "on", feature@draid: disabled`, 1) +
				`}, dataset: {type: Filesystem, properties: {recordsize: 1M, compression: lz4, sync: always}}}`,
		},
		"a volume": {
			`pool: {` + pool + "}\n" + `matrix: {axes: [{name: a, values: [{name: v, dataset: {type: Volume, volume: {size: 8Gi, sparse: true}, properties: {volblocksize: 16K}}}]}]}`,
			`{pool: {` + pool + `}, dataset: {type: Volume, volume: {size: 8Gi, sparse: true}, properties: {volblocksize: 16K}}}`,
		},
		"another volume": {
			`dataset: {type: Volume, volume: {size: 8Gi, sparse: true}}` + "\n" +
				`matrix: {include: [{name: a, dataset: {volume: {size: 4Gi}}}]}`,
			`{dataset: {type: Volume, volume: {size: 4Gi}}}`,
		},
		"a pool where there was none": {
			`matrix: {axes: [{name: a, values: [{name: v, pool: {vdevs: [{type: stripe, devices: [d0]}]}}]}, {name: b, property: ashift, propertyValues: ["13"]}]}`,
			`{pool: {ashift: 13, vdevs: [{type: stripe, devices: [d0]}]}, dataset: {type: Filesystem}}`,
		},
		"a later axis wins": {
			base + `matrix: {axes: [{name: a, values: [{name: v, pool: {ashift: 9, spares: []}, dataset: {properties: {recordsize: 16K}}}]}, {name: b, values: [{name: v, pool: {ashift: 13}, dataset: {properties: {recordsize: 1M}}}]}]}`,
			`{pool: {ashift: 13, vdevs: [{type: mirror, devices: [d0, d1]}], log: [{type: stripe, devices: [log0]}], properties: {autotrim: "on"}}, dataset: {type: Filesystem, properties: {recordsize: 1M, compression: lz4}}}`,
		},
		"a layout by name": {
			`pool: {ashift: 12, layout: Mirror, devices: [d0, d1, d2, d3]}`,
			`{pool: {ashift: 12, vdevs: [{type: mirror, devices: [d0, d1]}, {type: mirror, devices: [d2, d3]}]}, dataset: {type: Filesystem}}`,
		},
		"an axis of layouts": {
			`pool: {width: 2, devices: [d0, d1, d2, d3], draid: {spares: 1}}` + "\n" +
				`matrix: {axes: [{name: layout, property: layout, propertyValues: [Draid1, Raidz1]}]}`,
			`{pool: {vdevs: [{type: raidz1, devices: [d0, d1]}, {type: raidz1, devices: [d2, d3]}]}, dataset: {type: Filesystem}}`,
		},
		"draid stays for a draid layout": {
			`pool: {layout: Mirror, devices: [d0, d1, d2], draid: {data: 1, spares: 1}}` + "\n" +
				`matrix: {axes: [{name: layout, property: layout, propertyValues: [Draid1]}]}`,
			`{pool: {vdevs: [{type: draid1, devices: [d0, d1, d2], draid: {data: 1, spares: 1}}]}, dataset: {type: Filesystem}}`,
		},
		"the width does not apply to a stripe": {
			`pool: {width: 2, devices: [d0, d1]}` + "\n" +
				`matrix: {axes: [{name: layout, property: layout, propertyValues: [Stripe]}]}`,
			`{pool: {vdevs: [{type: stripe, devices: [d0, d1]}]}, dataset: {type: Filesystem}}`,
		},
		"a layout in place of vdevs": {
			base + `matrix: {include: [{name: a, pool: {layout: Raidz1, devices: [d2, d3, d4]}}]}`,
			`{pool: {` + strings.Replace(pool, `{type: mirror, devices: [d0, d1]}`, `{type: raidz1, devices: [d2, d3, d4]}`, 1) +
				`}, ` + dataset + `}`,
		},
		"vdevs in place of a layout": {
			`pool: {layout: Draid1, width: 4, devices: [d0, d1, d2, d3], draid: {data: 1}}` + "\n" +
				`matrix: {include: [{name: a, pool: {vdevs: [{type: stripe, devices: [d0]}]}}]}`,
			`{pool: {vdevs: [{type: stripe, devices: [d0]}]}, dataset: {type: Filesystem}}`,
		},
		"a width and devices of an overlay": {
			`pool: {layout: Mirror, devices: [d0, d1]}` + "\n" +
				`matrix: {include: [{name: a, pool: {width: 3, devices: [d0, d1, d2]}}]}`,
			`{pool: {vdevs: [{type: mirror, devices: [d0, d1, d2]}]}, dataset: {type: Filesystem}}`,
		},
		"both forms at once stay, to be refused": {
			base + `matrix: {include: [{name: a, pool: {vdevs: [{type: stripe, devices: [d0]}], layout: Mirror, devices: [d1, d2]}}]}`,
			`{pool: {` + strings.Replace(pool, `{type: mirror, devices: [d0, d1]}`, `{type: stripe, devices: [d0]}`, 1) +
				`, layout: Mirror, devices: [d1, d2]}, ` + dataset + `}`,
		},
		"ashift": {base + `matrix: {axes: [{name: a, property: ashift, propertyValues: ["9"]}]}`, `{pool: {` +
			strings.Replace(pool, "12", "9", 1) + `}, ` + dataset + `}`},
		"a pool property": {base + `matrix: {axes: [{name: a, property: autotrim, propertyValues: ["off"]}]}`, `{pool: {` +
			strings.Replace(pool, `"on"`, `"off"`, 1) + `}, ` + dataset + `}`},
		"a feature": {base + `matrix: {axes: [{name: a, property: feature@draid, propertyValues: [enabled]}]}`,
			`{pool: {` + strings.Replace(pool, `"on"`, `"on", feature@draid: enabled`, 1) + `}, ` + dataset + `}`},
		"a dataset property": {base + `matrix: {axes: [{name: a, property: recordsize, propertyValues: [16K, 1M]}]}`,
			`{pool: {` + pool + `}, ` + strings.Replace(dataset, `128K`, `1M`, 1) + `}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := spec(t, tt.spec)
			variants, err := Expand(s)
			if err != nil {
				t.Fatal(err)
			}
			got, want := variants[len(variants)-1], spec(t, tt.want)
			if diff := cmp.Diff(want, v1alpha1.ZfsBenchmarkSpec{Pool: got.Pool, Dataset: got.Dataset,
				ModuleParameters: got.ModuleParameters}); diff != "" {
				t.Errorf("target (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(spec(t, tt.spec), s); diff != "" {
				t.Errorf("Expand changed the spec (-before +after):\n%s", diff)
			}
		})
	}
}

// TestVariantsShareNothing changes one variant in every place that holds a reference, and looks at the others and at
// the spec.
func TestVariantsShareNothing(t *testing.T) {
	const manifest = base + `matrix: {axes: [{name: a, values: [{name: v, pool: {ashift: 9, cache: [{type: stripe, devices: [c]}]}}]}, {name: b, property: sync, propertyValues: [always, standard]}]}`
	s := spec(t, manifest)
	variants, err := Expand(s)
	if err != nil {
		t.Fatal(err)
	}
	changed := variants[0]
	*changed.Pool.Ashift = 16
	changed.Pool.Vdevs[0].Devices[0] = "x"
	changed.Pool.Cache[0].Devices[0] = "x"
	changed.Pool.Spares[0] = "x"
	changed.Pool.Properties["autotrim"] = "x"
	changed.Dataset.Properties["recordsize"] = "x"
	changed.Axes["a"] = "x"
	if diff := cmp.Diff(spec(t, manifest), s); diff != "" {
		t.Errorf("the spec (-before +after):\n%s", diff)
	}
	again, err := Expand(spec(t, manifest))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(again[1], variants[1]); diff != "" {
		t.Errorf("the other variant (-before +after):\n%s", diff)
	}
}

func TestReferences(t *testing.T) {
	const both = `matrix: {axes: [` + layouts + `, {name: sync, property: sync, propertyValues: [always, standard]}]`
	tests := map[string]struct {
		spec string
		want map[string]string
	}{
		"none": {both + `}`, map[string]string{
			"layout=stripe,sync=always": "", "layout=stripe,sync=standard": "", "layout=mirror,sync=always": "",
			"layout=mirror,sync=standard": "",
		}},
		"a name": {both + `, include: [{name: copy}]}` + "\ncomparison: {reference: 'layout=mirror,sync=always'}",
			map[string]string{
				"layout=stripe,sync=always":   "layout=mirror,sync=always",
				"layout=stripe,sync=standard": "layout=mirror,sync=always",
				"layout=mirror,sync=always":   "", "layout=mirror,sync=standard": "layout=mirror,sync=always",
				"copy": "layout=mirror,sync=always",
			}},
		"a name, with the axes in another order": {both + `, include: [{name: copy}]}` + "\ncomparison: {reference: " +
			"'sync=always,layout=mirror'}", map[string]string{
			"layout=stripe,sync=always": "layout=mirror,sync=always", "layout=stripe,sync=standard": "layout=mirror,sync=always",
			"layout=mirror,sync=always": "", "layout=mirror,sync=standard": "layout=mirror,sync=always",
			"copy": "layout=mirror,sync=always",
		}},
		"the name of an included variant": {`matrix: {axes: [` + layouts + `], include: [{name: copy}]}` + "\ncomparison: " +
			"{reference: copy}", map[string]string{
			"layout=stripe": "copy", "layout=mirror": "copy", "copy": "",
		}},
		"a value of one axis": {both + `, include: [{name: copy}]}` + "\ncomparison: {reference: 'layout=stripe'}",
			map[string]string{
				"layout=stripe,sync=always": "", "layout=stripe,sync=standard": "", "copy": "",
				"layout=mirror,sync=always":   "layout=stripe,sync=always",
				"layout=mirror,sync=standard": "layout=stripe,sync=standard",
			}},
		"a value of the other axis": {both + `}` + "\ncomparison: {reference: 'sync=standard'}", map[string]string{
			"layout=stripe,sync=always": "layout=stripe,sync=standard", "layout=stripe,sync=standard": "",
			"layout=mirror,sync=always": "layout=mirror,sync=standard", "layout=mirror,sync=standard": "",
		}},
		"a counterpart that is excluded": {both + `, exclude: [{layout: stripe, sync: always}]}` + "\ncomparison: " +
			"{reference: 'layout=stripe'}", map[string]string{
			"layout=stripe,sync=standard": "", "layout=mirror,sync=always": "",
			"layout=mirror,sync=standard": "layout=stripe,sync=standard",
		}},
		"a baseline": {both + `}` + "\nbaselines: [{name: raw, raw: {device: d0}}]\ncomparison: {reference: raw}",
			map[string]string{
				"layout=stripe,sync=always": "raw", "layout=stripe,sync=standard": "raw", "layout=mirror,sync=always": "raw",
				"layout=mirror,sync=standard": "raw", "raw": "",
			}},
		"the only variant": {`matrix: {include: [{name: a}]}` + "\ncomparison: {reference: a}", map[string]string{"a": ""}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			variants, err := Expand(spec(t, base+tt.spec))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, v := range variants {
				got[v.Name] = v.Reference
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
}

// values is an axis of n values.
func values(axis string, n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("{name: v%d}", i))
	}
	return fmt.Sprintf("{name: %s, values: [%s]}", axis, strings.Join(names, ", "))
}

func axesOfValues(n, axes int) string {
	var all []string
	for i := range axes {
		all = append(all, values(fmt.Sprintf("a%d", i), n))
	}
	return strings.Join(all, ", ")
}

func TestErrors(t *testing.T) {
	const both = `axes: [` + layouts + `, ` + recordsizes + `]`
	long := strings.Repeat("x", 63)
	tests := map[string]struct {
		spec string
		want []string
	}{
		"a property of nothing": {`matrix: {axes: [` + layouts + `, {name: a, property: recordsiez, propertyValues: [1M]}]}`,
			[]string{
				"matrix.axes[1].property: property recordsiez cannot be set: a benchmark may set layout, ashift, the pool " +
					"properties autotrim, dedup_table_quota and feature@NAME, and the dataset properties atime, checksum, " +
					"compression, copies, dedup, direct, dnodesize, logbias, prefetch, primarycache, recordsize, " +
					"redundant_metadata, relatime, secondarycache, special_small_blocks, sync, volblocksize, volthreading, xattr",
			}},
		"the runner's dataset property": {`matrix: {axes: [{name: a, property: volsize, propertyValues: [1M]}]}`,
			[]string{"matrix.axes[0].property: dataset property volsize belongs to the runner alone: use dataset.volume"}},
		"the runner's pool property": {`matrix: {axes: [{name: a, property: cachefile, propertyValues: [none]}]}`,
			[]string{"matrix.axes[0].property: pool property cachefile belongs to the runner alone: remove it"}},
		"a feature of nothing": {`matrix: {axes: [{name: a, property: feature@warp, propertyValues: [enabled]}]}`,
			[]string{"matrix.axes[0].property: feature@warp is not a feature of OpenZFS 2.1 to 2.4"}},
		"ashift of no number": {`matrix: {axes: [{name: a, property: ashift, propertyValues: ["12", 4K, "99999999999"]}]}`,
			[]string{
				"matrix.axes[0].propertyValues[1]: ashift must be a number from 9 to 16, not 4K",
				"matrix.axes[0].propertyValues[2]: ashift must be a number from 9 to 16, not 99999999999",
			}},
		"an axis without values": {`matrix: {axes: [{name: a}]}`, []string{"matrix: matrix makes no variant: exclude " +
			"leaves none"}},
		"no axes": {`matrix: {}`, []string{"matrix: matrix makes no variant: exclude leaves none"}},

		"exclude of an unknown axis": {`matrix: {` + both + `, exclude: [{recordsize: 1M}, {lay: stripe}]}`,
			[]string{"matrix.exclude[1]: exclude names the axis lay, which the matrix does not have: it has layout, " +
				"recordsize"}},
		"exclude without axes": {`matrix: {include: [{name: a}], exclude: [{lay: stripe}]}`,
			[]string{"matrix.exclude[0]: exclude names the axis lay, which the matrix does not have: it has none"}},
		"exclude of an unknown value": {`matrix: {` + both + `, exclude: [{layout: raidz1}]}`,
			[]string{"matrix.exclude[0]: exclude names layout=raidz1, but the values of layout are stripe, mirror"}},
		"exclude of nothing more": {`matrix: {` + both +
			`, exclude: [{layout: stripe}, {layout: stripe, recordsize: 1M}]}`,
			[]string{"matrix.exclude[1]: exclude leaves nothing out here that the entries before do not: correct it or " +
				"remove it"}},
		"exclude of everything": {`matrix: {` + both + `, exclude: [{layout: stripe}, {layout: mirror}]}`,
			[]string{"matrix: matrix makes no variant: exclude leaves none"}},
		"exclude and property at once": {`matrix:
  axes: [{name: a, property: x, propertyValues: ["1"]}]
  exclude: [{a: "1"}, {b: "2"}]`,
			[]string{
				"matrix.axes[0].property: property x cannot be set: a benchmark may set layout, ashift, the pool properties " +
					"autotrim, dedup_table_quota and feature@NAME, and the dataset properties atime, checksum, compression, copies, " +
					"dedup, direct, dnodesize, logbias, prefetch, primarycache, recordsize, redundant_metadata, relatime, " +
					"secondarycache, special_small_blocks, sync, volblocksize, volthreading, xattr",
				"matrix.exclude[1]: exclude names the axis b, which the matrix does not have: it has a",
			}},

		"a name twice": {`matrix: {include: [{name: a}, {name: b}, {name: a}]}`,
			[]string{"matrix.include[2].name: two variants have the name a: every variant needs a name of its own"}},
		"a combination's name": {`matrix: {axes: [` + layouts + `], include: [{name: layout=stripe}]}`,
			[]string{"matrix.include[0].name: two variants have the name layout=stripe: every variant needs a name of its own"}},
		"a value twice": {`matrix: {axes: [{name: a, values: [{name: b}, {name: b}]}]}`, []string{"matrix.axes: " +
			"two variants have the name a=b: every variant needs a name of its own"}},
		"a name of 253": {`matrix: {axes: [{name: a, values: [{name: ` + long + `}]}, {name: b, values: [{name: ` +
			long + `}]}, {name: c, values: [{name: ` + long + `}]}, {name: dd, values: [{name: ` + long[:52] + `}]}]}`, nil},
		"a name that is longer": {`matrix: {axes: [{name: a, values: [{name: ` + long + `}]}, {name: b, values: [{name: ` +
			long + `}]}, {name: c, values: [{name: ` + long + `}]}, {name: dd, values: [{name: ` + long[:53] + `}]}]}`,
			[]string{"matrix.axes: the name of a variant has 254 characters, at most 253 are allowed: give axes and " +
				"values shorter names"}},

		"1,024 variants": {`matrix: {axes: [` + axesOfValues(32, 2) + `]}`, nil},
		"1,025 variants": {`matrix: {axes: [` + axesOfValues(32, 2) + `], include: [{name: a}]}`,
			[]string{"matrix: matrix makes 1,025 variants, at most 1,024 are allowed: give the axes fewer values, or " +
				"exclude combinations"}},
		"2,187 variants": {`matrix: {axes: [` + axesOfValues(3, 7) + `]}`, []string{"matrix: matrix makes " +
			"2,187 variants, at most 1,024 are allowed: give the axes fewer values, or exclude combinations"}},
		"2^48 variants": {`matrix: {axes: [` + axesOfValues(64, 8) + `]}`, []string{"matrix: matrix makes " +
			"281,474,976,710,656 variants, at most 1,024 are allowed: give the axes fewer values, or exclude combinations"}},
		"more than can be counted": {`matrix: {axes: [` + axesOfValues(64, 40) + `]}`, []string{"matrix: matrix " +
			"makes 1,152,921,504,606,846,976 variants, at most 1,024 are allowed: give the axes fewer values, or exclude " +
			"combinations"}},
		"too many of which exclude one": {`matrix: {axes: [` + axesOfValues(64, 3) + `], exclude: [{a0: v0}]}`,
			[]string{"matrix: axes make 262,144 combinations: at most 65,536 are allowed before exclude " +
				"applies; give the axes fewer values"}},
		"too many are left": {`matrix: {axes: [` + axesOfValues(16, 4) + `], exclude: [{a0: v0}]}`,
			[]string{"matrix: matrix makes 61,440 variants, at most 1,024 are allowed: give the axes fewer values, or " +
				"exclude combinations"}},

		"a reference without a matrix": {`comparison: {reference: default}`, []string{"comparison.reference: " +
			"comparison.reference needs a matrix or baselines: there is only one variant"}},
		"a reference of no variant": {`matrix: {` + both + `, include: [{name: copy}]}` + "\ncomparison: {reference: " +
			"stripe}", []string{"comparison.reference: reference must be the name of a variant, for example " +
			"layout=stripe,recordsize=16K, or axis=value for some of the axes, not stripe: the axes are layout, recordsize, " +
			"the other variants copy"}},
		"a baseline's name twice": {`baselines: [{name: raw, raw: {device: d0}}, {name: default, raw: {device: d0}}]`,
			[]string{"baselines[1].name: two variants have the name default: every variant needs a name of its own"}},
		"a reference of no included": {`matrix: {include: [{name: a}, {name: b}]}` + "\ncomparison: {reference: c}",
			[]string{"comparison.reference: reference must be the name of a variant, for example a, or axis=value for " +
				"some of the axes, not c: the variants are a, b"}},
		"a reference of an unknown axis": {`matrix: {` + both + `}` + "\ncomparison: {reference: lay=stripe}",
			[]string{"comparison.reference: reference names the axis lay, which the matrix does not have: the axes are " +
				"layout, recordsize"}},
		"a reference of no value": {`matrix: {` + both + `}` + "\ncomparison: {reference: recordsize=2M}",
			[]string{"comparison.reference: reference names recordsize=2M, but the values of recordsize are 16K, 128K, 1M"}},
		"a reference with an axis twice": {`matrix: {` + both + `}` + "\ncomparison: {reference: " +
			"'layout=stripe,layout=mirror'}", []string{"comparison.reference: reference names the axis layout more than once"}},
		"a reference that is excluded": {`matrix: {` + both + `, exclude: [{layout: stripe}]}` + "\ncomparison: " +
			"{reference: layout=stripe}", []string{"comparison.reference: reference is in no variant: exclude leaves none " +
			"with layout=stripe"}},
		"a variant that is excluded": {`matrix: {` + both + `, exclude: [{layout: stripe}]}` + "\ncomparison: {reference: " +
			"'recordsize=1M,layout=stripe'}", []string{"comparison.reference: reference is in no variant: exclude leaves " +
			"none with layout=stripe,recordsize=1M"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			variants, err := Expand(spec(t, base+tt.spec))
			var errs Errors
			if err != nil && !errors.As(err, &errs) {
				t.Fatalf("an error of another type: %v", err)
			}
			if (err == nil) != (len(variants) > 0) {
				t.Errorf("%d variants with the error %v", len(variants), err)
			}
			var got []string
			for _, e := range errs {
				got = append(got, e.Field+": "+e.Problem)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorsNameTheirFields(t *testing.T) {
	_, err := Expand(spec(t, `matrix: {axes: [{name: a, property: ashift, propertyValues: [x, z]}]}`))
	const want = "spec.matrix.axes[0].propertyValues[0]: ashift must be a number from 9 to 16, not x; " +
		"spec.matrix.axes[0].propertyValues[1]: ashift must be a number from 9 to 16, not z"
	if err == nil || err.Error() != want {
		t.Errorf("error = %v\nwant %s", err, want)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 65536: "65,536", 1234567: "1,234,567"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

// BenchmarkExpand makes as many variants as there may be, out of as many combinations as are looked at and as many
// rules as there may be.
func BenchmarkExpand(b *testing.B) {
	var axes []v1alpha1.Axis
	var exclude []v1alpha1.AxisSelection
	for i := range 4 {
		a := v1alpha1.Axis{Name: fmt.Sprintf("a%d", i)}
		for j := range 16 {
			a.Values = append(a.Values, v1alpha1.Overlay{Name: v1alpha1.AxisValueName(fmt.Sprintf("v%d", j))})
		}
		axes = append(axes, a)
	}
	for j := 1; j < 16; j++ {
		exclude = append(exclude, v1alpha1.AxisSelection{"a0": v1alpha1.AxisValueName(fmt.Sprintf("v%d", j))})
		if j < 13 {
			exclude = append(exclude, v1alpha1.AxisSelection{"a1": v1alpha1.AxisValueName(fmt.Sprintf("v%d", j))})
		}
	}
	s := v1alpha1.ZfsBenchmarkSpec{Matrix: &v1alpha1.MatrixSpec{Axes: axes, Exclude: exclude}}
	for b.Loop() {
		if variants, err := Expand(s); err != nil || len(variants) != MaxVariants {
			b.Fatal(len(variants), err)
		}
	}
}

func TestOnlyBaselines(t *testing.T) {
	variants, err := Expand(spec(t, `baselines: [
  {name: raw, raw: {device: d0}}, {name: ext4, filesystem: {type: ext4, device: d0}}]
comparison: {reference: raw}`))
	want := []Variant{
		{Name: "raw", Baseline: &v1alpha1.Baseline{Name: "raw", Raw: &v1alpha1.RawBaseline{Device: "d0"}}},
		{Name: "ext4", Baseline: &v1alpha1.Baseline{Name: "ext4",
			Filesystem: &v1alpha1.FilesystemBaseline{FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"}, Device: "d0"}},
			Reference: "raw"},
	}
	if diff := cmp.Diff(want, variants); diff != "" || err != nil {
		t.Errorf("error %v, variants (-want +got):\n%s", err, diff)
	}
}
