// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// Layouts are cases about layouts by name: all cases about vdevs that a layout can say, and those about the short form
// itself.
func Layouts() map[string]Case {
	all := map[string]Case{}
	for name, c := range Pool() {
		addShort(all, name, c)
	}
	for name, c := range Places() {
		addShort(all, name, c)
	}
	// A list without duplicates says so before a device has two places.
	c := all["a device in two vdevs, by layout"]
	c.Field, c.Message = "spec.pool.devices[2]", "Duplicate value"
	all["a device in two vdevs, by layout"] = c
	maps.Copy(all, shortForm())
	for name, c := range layoutVariants() {
		if c.Refused() {
			c.GoOnly = perVariant
		}
		all[name] = c
	}
	return all
}

// addShort adds a case in the short form, if that can say it: with vdevs of one type and width, and no more.
func addShort(all map[string]Case, name string, c Case) {
	var given struct {
		Spec struct {
			Pool map[string]any `json:"pool"`
		} `json:"spec"`
	}
	var patch map[string]map[string]any
	manifest, err := c.Manifest(Benchmark)
	if err == nil {
		err = json.Unmarshal(manifest, &given)
	}
	if err == nil {
		err = yaml.Unmarshal([]byte(c.Patch), &patch)
	}
	text, _ := json.Marshal(given.Spec.Pool["vdevs"])
	var vdevs []v1alpha1.Vdev
	if err != nil || json.Unmarshal(text, &vdevs) != nil || !uniform(vdevs) {
		return
	}
	pool := given.Spec.Pool
	maps.Copy(pool, shortOf(vdevs))
	pool["vdevs"] = nil
	patch["spec"]["pool"] = pool
	short, err := json.Marshal(patch)
	if err != nil {
		return
	}
	c.Patch = string(short)
	c.Field = strings.NewReplacer(".vdevs[0].type", ".layout", ".vdevs[0].", ".", ".vdevs", ".devices").Replace(c.Field)
	c.Message = strings.NewReplacer("vdevs names", "devices names", "for type "+string(vdevs[0].Type),
		"for layout "+layoutOf(vdevs[0]), "the types draid1, draid2 and draid3", "the layouts Draid1, Draid2 and Draid3",
		`"raid5"`, `"Raid5"`).Replace(c.Message)
	all[name+", by layout"] = c
}

func uniform(vdevs []v1alpha1.Vdev) bool {
	for _, v := range vdevs {
		isWide := v.Type != v1alpha1.VdevStripe && len(v.Devices) != len(vdevs[0].Devices)
		if v.Type != vdevs[0].Type || v.Ashift != nil || isWide {
			return false
		}
	}
	return len(vdevs) > 0
}

// shortOf are the fields that make these vdevs, without a width that is the default.
func shortOf(vdevs []v1alpha1.Vdev) map[string]any {
	devices := []string{}
	for _, v := range vdevs {
		devices = append(devices, v.Devices...)
	}
	short := map[string]any{"layout": layoutOf(vdevs[0]), "devices": devices}
	width := len(vdevs[0].Devices)
	switch {
	case vdevs[0].Type == v1alpha1.VdevMirror && width <= 2, vdevs[0].Type == v1alpha1.VdevStripe:
	case len(vdevs) > 1 || vdevs[0].Type == v1alpha1.VdevMirror:
		short["width"] = width
	}
	if vdevs[0].Draid != nil {
		short["draid"] = vdevs[0].Draid
	}
	return short
}

func layoutOf(v v1alpha1.Vdev) string {
	return strings.ToUpper(string(v.Type[:1])) + string(v.Type[1:])
}

// shortForm are cases about what only the short form has.
func shortForm() map[string]Case {
	const mirror, devices = `layout: Mirror`, "spec.pool.devices"
	return map[string]Case{
		"vdevs and layout": {Patch: `{spec: {pool: {layout: Mirror, devices: [d0, d1]}}}`, Field: "spec.pool",
			Message: "exactly one of vdevs and layout must be set"},
		"vdevs and width": {Patch: `{spec: {pool: {width: 2}}}`, Field: "spec.pool",
			Message: "exactly one of vdevs and layout must be set"},
		"neither vdevs nor layout": short(2, 2, ``, "spec.pool", "exactly one of vdevs and layout must be set"),
		"neither, with baselines": {Patch: `{spec: {pool: {vdevs: null}, baselines: [{name: raw, raw: {device: d0}}]}}`,
			Field: "spec.pool", Message: "exactly one of vdevs and layout must be set"},
		"a layout without devices": {Patch: `{spec: {pool: {vdevs: null, layout: Mirror}}}`, Field: devices,
			Message: "devices is required with layout"},
		"a layout in lower case": short(2, 2, `layout: mirror`, "spec.pool.layout", `Unsupported value: "mirror"`),
		"width of zero": short(2, 2, mirror+`, width: 0`, "spec.pool.width",
			"should be greater than or equal to 1"),
		"width of 65":           short(2, 2, mirror+`, width: 65`, "spec.pool.width", "should be less than or equal to 64"),
		"a partition by layout": {Patch: `{spec: {devices: [{name: ssd, path: /dev/disk/by-id/a, partitions: [{name: a, size: 1Gi}, {name: b, size: 1Gi}]}], pool: {vdevs: null, layout: Mirror, devices: [a, b]}}}`},
		"a split disk as a whole, by layout": {Patch: `{spec: {devices: [{name: ssd, path: /dev/disk/by-id/a, partitions: [{name: a, size: 1Gi}]}], pool: {vdevs: null, layout: Stripe, devices: [ssd]}}}`,
			Field: "spec.pool.devices", Message: "devices names ssd, which is not in spec.devices",
			GoOnly: "names in pools are compared with the names of partitions"},

		"two raidz2 of five":   short(10, 10, `layout: Raidz2, width: 5`, "", ""),
		"stripes of width 1":   short(3, 3, `layout: Stripe, width: 1`, "", ""),
		"64 devices":           short(64, 64, `layout: Mirror`, "", ""),
		"64 devices, a stripe": short(64, 64, `layout: Stripe`, "", ""),
		"stripes of width 2": short(4, 4, `layout: Stripe, width: 2`, "spec.pool.width",
			"width must be 1 for layout Stripe"),
		"mirrors of width 1": short(2, 2, mirror+`, width: 1`, "spec.pool.width",
			"width must be at least 2 for layout Mirror"),
		"raidz2 of width 2": short(4, 4, `layout: Raidz2, width: 2`, "spec.pool.width",
			"width must be at least 3 for layout Raidz2"),
		"ten in mirrors of four": short(10, 10, mirror+`, width: 4`, devices,
			"10 devices do not divide into mirrors of width 4: use 8 or 12"),
		"three in mirrors": short(3, 3, mirror, devices, "3 devices do not divide into mirrors of width 2: use 2 or 4"),
		"four in raidz1 of six": short(4, 4, `layout: Raidz1, width: 6`, devices,
			"4 devices do not divide into raidz1 vdevs of width 6: use 6"),
		"64 in draid2 of 48": short(64, 64, `layout: Draid2, width: 48`, devices,
			"64 devices do not divide into draid2 vdevs of width 48: use 48 or 96"),
		"two draid, each too narrow": short(8, 8, `layout: Draid1, width: 4, draid: {data: 3, spares: 1}`,
			"spec.pool.draid", "draid needs as many devices as its data, parity and spares together"),
		"two draid": short(8, 8, `layout: Draid1, width: 4, draid: {data: 2, spares: 1}`, "", ""),
		"special beside mirrors of three": short(8, 6, mirror+`, width: 3, special: [{type: mirror, devices: [f6, f7]}]`,
			"spec.pool.special", "use type mirror with 3 devices"),
	}
}

// short is a pool of the first ones of n files, by layout; with a message, refused.
func short(n, used int, pool, field, message string) Case {
	return Case{Patch: fmt.Sprintf("{%spool: {vdevs: null, devices: [%s], %s}}}", files(n), many(used, "f%d"), pool),
		Field: field, Message: message}
}

// layoutVariants are cases about layouts in a matrix.
func layoutVariants() map[string]Case {
	// of is a matrix over n files; the pool has them in the short form, with these fields.
	of := func(n int, pool, matrix, field, message string) Case {
		return Case{Patch: fmt.Sprintf("{%spool: {vdevs: null, devices: [%s], %s}, matrix: {%s}}}", files(n),
			many(n, "f%d"), pool, matrix), Field: field, Message: message}
	}
	axis := func(layouts string) string {
		return `axes: [{name: layout, property: layout, propertyValues: [` + layouts + `]}]`
	}
	return map[string]Case{
		"an axis of layouts":            of(8, ``, axis(`Stripe, Mirror, Raidz1, Raidz2, Raidz3, Draid1, Draid2, Draid3`), "", ""),
		"an axis of layouts beside one": of(4, `layout: Mirror`, axis(`Raidz1, Raidz2`), "", ""),
		"a width where it applies":      of(8, `width: 4`, axis(`Stripe, Mirror, Raidz1`), "", ""),
		"draid where it applies":        of(6, `draid: {data: 2, spares: 1}`, axis(`Stripe, Raidz2, Draid1`), "", ""),
		"an axis of widths":             of(8, `layout: Raidz1`, `axes: [{name: width, values: [{name: "4", pool: {width: 4}}, {name: "8"}]}]`, "", ""),
		"a layout in place of vdevs":    varied(`axes: [{name: layout, values: [{name: mirror}, {name: stripe, pool: {layout: Stripe, devices: [d0, d1]}}]}]`),
		"vdevs in place of a layout": of(2, `layout: Mirror`,
			`axes: [{name: layout, values: [{name: mirror}, `+strings.NewReplacer("d0", "f0", "d1", "f1").Replace(striped)+`]}]`, "", ""),
		"devices of an overlay": of(4, `layout: Mirror`, `axes: [{name: count, values: [{name: two, pool: {devices: [f0, f1]}}, {name: four}]}]`, "", ""),

		"a layout that there is not": of(2, ``, axis(`Mirror, Raid5`), "spec.matrix",
			`variant layout=Raid5: pool.layout: Unsupported value: "Raid5"`),
		"a layout that does not divide": of(5, ``, axis(`Mirror, Raidz1`), "spec.matrix", "variant layout=Mirror: "+
			"pool.devices: 5 devices do not divide into mirrors of width 2: use 4 or 6"),
		"a layout of too few": of(2, ``, axis(`Mirror, Raidz2`), "spec.matrix", "variant layout=Raidz2: "+
			"pool.vdevs[0].devices: devices must be at least 3 for type raidz2"),
		"an axis of layouts over vdevs": varied(axis(`Mirror, Raidz1`)).refused("spec.matrix",
			"variant layout=Mirror: pool.devices: devices is required with layout"),
		"layouts beside special": {Patch: "{" + files(6) + `pool: {vdevs: null, devices: [f0, f1, f2, f3], special: [{type: mirror, devices: [f4, f5]}]}, matrix: {` + axis(`Raidz1, Raidz2`) + `}}}`,
			Field: "spec.matrix", Message: "variant layout=Raidz2: pool.special: special must survive the loss of as many " +
				"devices as the data vdevs do: use type mirror with 3 devices"},
		"no layout in any variant": of(2, ``, `axes: [`+records+`]`, "spec.matrix",
			"variant recordsize=16K: pool: exactly one of vdevs and layout must be set"),
		"both forms in an overlay": varied(`include: [{name: a, pool: {layout: Mirror, devices: [d0, d1], vdevs: [{type: stripe, devices: [d0, d1]}]}}]`).
			refused("spec.matrix", "variant a: pool: exactly one of vdevs and layout must be set"),
		"a layout equal to vdevs": varied(`axes: [{name: layout, values: [{name: mirror}, {name: short, pool: {layout: Mirror, devices: [d0, d1]}}]}]`).
			refused("spec.matrix", "variants layout=mirror and layout=short have the same pool"),
		"a width of an overlay for Stripe": of(4, `layout: Raidz1`, `axes: [{name: a, values: [{name: b}, {name: c, pool: {layout: Stripe, width: 4}}]}]`,
			"spec.matrix", "variant a=c: pool.width: width must be 1 for layout Stripe"),
		"draid of an overlay for Mirror": of(4, `layout: Draid1`, `axes: [{name: a, values: [{name: b}, {name: c, pool: {layout: Mirror, draid: {data: 1}}}]}]`,
			"spec.matrix", "variant a=c: pool.draid: draid is only for the layouts Draid1, Draid2 and Draid3"),
	}
}

// refused is the case with what is wrong with it.
func (c Case) refused(field, message string) Case {
	c.Field, c.Message = field, message
	return c
}
