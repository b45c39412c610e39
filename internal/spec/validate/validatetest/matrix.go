// SPDX-License-Identifier: Apache-2.0

package validatetest

import (
	"fmt"
	"strings"
)

const (
	// perVariant is why the API server leaves to Go what is wrong with a variant.
	perVariant = "to make the variants and check each costs too much in CEL"

	striped  = `{name: stripe, pool: {vdevs: [{type: stripe, devices: [d0, d1]}]}}`
	mirrored = `{name: mirror}`
	layouts  = `{name: layout, values: [` + striped + `, ` + mirrored + `]}`
	records  = `{name: recordsize, property: recordsize, propertyValues: [16K, 128K, 1M]}`
)

// Matrix are cases about what is varied, and about the variants that come of it.
func Matrix() map[string]Case {
	const at = "spec.matrix."
	all := map[string]Case{
		"a property":             varied(`axes: [` + records + `]`),
		"a pool property":        varied(`axes: [{name: trim, property: autotrim, propertyValues: ["on", "off"]}]`),
		"a feature":              varied(`axes: [{name: cloning, property: feature@block_cloning, propertyValues: [enabled, disabled]}]`),
		"ashift":                 varied(`axes: [{name: ashift, property: ashift, propertyValues: ["9", "12"]}]`),
		"layouts and properties": varied(`axes: [` + layouts + `, ` + records + `]`),
		"exclude": varied(`axes: [` + layouts + `, ` + records +
			`], exclude: [{layout: stripe, recordsize: 1M}, {recordsize: 16K}]`),
		"include": varied(`axes: [` + layouts +
			`], include: [{name: large, dataset: {properties: {recordsize: 16M}}}]`),
		"include alone":    varied(`include: [{name: a}]`),
		"an included copy": varied(`axes: [` + layouts + `], include: [{name: same}, {name: again}]`),
		"1,024 variants":   varied(`axes: [` + ashifts(8) + `, ` + recordsizes + `, ` + compressions(8) + `]`),
		"the pool in the matrix": {Patch: `{spec: {pool: null, matrix: {axes: [{name: layout, values: [` + striped +
			`, {name: mirror, pool: {vdevs: [{type: mirror, devices: [d0, d1]}]}}]}]}}}`},
		"devices of some variants": {
			Patch: "{" + files(3) + `pool: {vdevs: [{type: mirror, devices: [f0, f1]}]}, matrix: {axes: [{name: log, values: [{name: none}, {name: slog, pool: {log: [{type: stripe, devices: [f2]}]}}]}]}}}`,
		},
		"an empty list": {
			Patch: "{" + files(2) + `pool: {vdevs: [{type: stripe, devices: [f0]}], cache: [{type: stripe, devices: [f1]}]}, matrix: {axes: [{name: cache, values: [{name: none, pool: {cache: []}}, {name: l2arc}]}]}}}`,
		},
		"files and volumes": varied(`axes: [{name: kind, values: [{name: file, dataset: {properties: {recordsize: 16K}}}, {name: zvol, dataset: {type: Volume, volume: {size: 2Gi, sparse: true}, properties: {volblocksize: 16K}}}]}]`),

		"nothing": refusedVaried(``, "spec.matrix", "matrix must have an axis or an included variant"),
		"no axes": refusedVaried(`axes: []`, "spec.matrix", "matrix must have an axis or an included "+
			"variant"),
		"9 axes": refusedVaried(`axes: [`+many(9, "{name: a%d, values: [{name: v}]}")+`]`, at+"axes",
			"must have at most 8 items"),
		"an axis twice": refusedVaried(`axes: [`+records+`, `+records+`]`, at+"axes[1]", "Duplicate value"),
		"an axis in capitals": refusedVaried(`axes: [{name: Layout, values: [{name: a}]}]`, at+"axes[0].name",
			"name becomes part of the names of variants: it must be lower-case letters"),
		"an axis with an =": refusedVaried(`axes: [{name: a=b, values: [{name: a}]}]`, at+"axes[0].name",
			"name becomes part of the names of variants"),
		"an axis without a name": refusedVaried(`axes: [{name: "", values: [{name: a}]}]`, at+"axes[0].name",
			"name becomes part of the names of variants"),
		"an axis of a long name": refusedVaried(`axes: [{name: `+strings.Repeat("a", 33)+`, values: [{name: a}]}]`, at+
			"axes[0].name", "may not be more than 32"),
		"an axis of nothing": refusedVaried(`axes: [{name: a}]`, at+"axes[0]", "exactly one of values and "+
			"propertyValues must be set"),
		"an axis of both": refusedVaried(`axes: [{name: a, values: [{name: a}], property: sync, propertyValues: [always]}]`,
			at+"axes[0]", "exactly one of values and propertyValues must be set"),
		"no property": refusedVaried(`axes: [{name: a, propertyValues: [always]}]`, at+"axes[0]", "property "+
			"and propertyValues belong together"),
		"a property of overlays": refusedVaried(`axes: [{name: a, property: sync, values: [{name: a}]}]`, at+"axes[0]",
			"property and propertyValues belong together"),
		"a property with spaces": refusedVaried(`axes: [{name: a, property: "a b", propertyValues: [always]}]`, at+
			"axes[0].property", "property must be the name of a property"),
		"a property, long": refusedVaried(`axes: [{name: a, property: `+strings.Repeat("a", 65)+
			`, propertyValues: [always]}]`, at+"axes[0].property", "may not be more than 64"),
		"no values": refusedVaried(`axes: [{name: a, values: []}]`, at+"axes[0].values",
			"should have at least 1 items"),
		"65 values": refusedVaried(`axes: [{name: a, values: [`+many(65, "{name: v%d}")+`]}]`, at+
			"axes[0].values", "must have at most 64 items"),
		"a value twice": refusedVaried(`axes: [{name: a, values: [{name: b}, {name: b}]}]`, at+"axes[0].values[1]",
			"Duplicate value"),
		"a value with a comma": refusedVaried(`axes: [{name: a, values: [{name: "b,c"}]}]`, at+"axes[0].values[0].name",
			"name becomes part of the names of variants: it must be letters, digits, '-', '.', '_' and '+'"),
		"a value of a long name": refusedVaried(`axes: [{name: a, values: [{name: `+strings.Repeat("v", 64)+`}]}]`, at+
			"axes[0].values[0].name", "may not be more than 63"),
		"no property values": refusedVaried(`axes: [{name: a, property: sync, propertyValues: []}]`, at+
			"axes[0].propertyValues", "should have at least 1 items"),
		"65 property values": refusedVaried(`axes: [{name: a, property: sync, propertyValues: [`+many(65, "v%d")+`]}]`,
			at+"axes[0].propertyValues", "must have at most 64 items"),
		"a property value twice": refusedVaried(`axes: [{name: a, property: sync, propertyValues: [always, always]}]`, at+
			"axes[0].propertyValues[1]", `Duplicate value: "always"`),
		"a property value with =": refusedVaried(`axes: [{name: a, property: sync, propertyValues: ["a=b"]}]`, at+
			"axes[0].propertyValues[0]", "name becomes part of the names of variants"),
		"65 entries of exclude": refusedVaried(`axes: [`+axisOfValues("a", 64)+`, `+axisOfValues("b", 2)+
			`], exclude: [{b: v0}, `+many(64, "{a: v%d}")+`]`, at+"exclude", "must have at most 64 items"),
		"exclude of nobody": refusedVaried(`axes: [`+layouts+`], exclude: [{}]`, at+"exclude[0]", "should have at "+
			"least 1 properties"),
		"exclude of another axis": refusedVaried(`axes: [`+layouts+`], exclude: [{lay: stripe}]`, "", "which the matrix "+
			"does not have"),
		"exclude without axes": refusedVaried(`include: [{name: a}], exclude: [{lay: stripe}]`, "", "which the matrix "+
			"does not have"),
		"65 included":    refusedVaried(`include: [`+many(65, "{name: v%d}")+`]`, at+"include", "must have at most 64 items"),
		"included twice": refusedVaried(`include: [{name: a}, {name: a}]`, at+"include[1]", "Duplicate value"),
		"included with an =": refusedVaried(`include: [{name: layout=stripe}]`, at+"include[0].name", "name becomes "+
			"part of the names of variants"),
		"1,025 variants": refusedVaried(`axes: [`+axisOfValues("a", 32)+`, `+axisOfValues("b", 32)+
			`], include: [{name: a}]`, "spec.matrix", "variants, at most 1"),
		"2,187 variants": refusedVaried(`axes: [`+many(7, "{name: a%d, values: [{name: a}, {name: b}, {name: c}]}")+
			`]`, "spec.matrix", "variants, at most 1"),
		"2^48 variants": refusedVaried(`axes: [`+many(8, axisOfValues("a%d", 64))+`]`, "spec.matrix",
			"variants, at most 1"),
		"too many to exclude": refusedVaried(`axes: [`+many(3, axisOfValues("a%d", 64))+`], exclude: [{a0: v0}]`,
			"spec.matrix", "combinations: at most 65"),
		"an ashift of 17": refusedVaried(`axes: [{name: a, values: [{name: b, pool: {ashift: 17}}]}]`, "",
			"should be less than or equal to 16"),
		"a type of nothing": refusedVaried(`axes: [{name: a, values: [{name: b, pool: {vdevs: [{type: raid5, devices: [d0, d1]}]}}]}]`, "", `Unsupported value: "raid5"`),
		"a dataset of nothing": refusedVaried(`axes: [{name: a, values: [{name: b, dataset: {type: Snapshot}}]}]`, "",
			`supported values: "Filesystem", "Volume"`),
		"a volume of nothing": refusedVaried(`axes: [{name: a, values: [{name: b, dataset: {type: Volume, volume: {size: "2e9"}}}]}]`, "", "size"),
		"a size of no number": {Patch: `{spec: {matrix: {include: [{name: a, dataset: {volume: {size: large}}}]}}}`,
			Field: at + "include[0].dataset.volume.size", Message: "should match"},
		"a value of no property": refusedVaried(`axes: [{name: a, values: [{name: b, dataset: {properties: {sync: "a\nb"}}}]}]`, "", "sync"),
		"an unknown field": {Patch: `{spec: {matrix: {axes: [{name: a, values: [{name: b, workloads: []}]}]}}}`,
			Message: "unknown field"},

		"a base pool that is wrong": {
			Patch: `{spec: {pool: {vdevs: [{type: raidz2, devices: [d0, d1]}]}, matrix: {axes: [` + layouts + `]}}}`,
			Field: "spec.pool.vdevs[0].devices", Message: "devices must be at least 3 for type raidz2",
		},
		"more than anything takes": {
			Patch: "{" + files(64) + "pool: {vdevs: [{type: stripe, devices: [f0]}]}, matrix: {axes: [" +
				many(8, "{name: a%d, values: ["+overlays(64, `dataset: {properties: {`+everyFilesystemProperty+`}}`)+"]}") + "], " +
				"exclude: [" + many(64, "{a0: v%d, a1: v%d, a2: v%d, a3: v%d, a4: v%d, a5: v%d, a6: v%d, a7: v%d}") + "], " +
				"include: [" + overlays(64, `dataset: {properties: {`+everyFilesystemProperty+`}}`) + "]}}}",
			Field: "spec.matrix", Message: "combinations: at most 65",
		},
	}
	for name, c := range variants() {
		c.GoOnly = perVariant
		all[name] = c
	}
	return all
}

// variants are cases about what becomes of overlays.
func variants() map[string]Case {
	const at = "spec.matrix."
	return map[string]Case{
		"an unknown property": refusedVaried(`axes: [`+layouts+`, {name: a, property: recordsiez, propertyValues: [1M]}]`,
			at+"axes[1].property", "property recordsiez cannot be set: a benchmark may set layout, ashift, the pool "+
				"properties autotrim"),
		"the runner's property": refusedVaried(`axes: [{name: a, property: mountpoint, propertyValues: [none]}]`, at+
			"axes[0].property", "dataset property mountpoint belongs to the runner alone: remove it"),
		"an ashift of 4K": refusedVaried(`axes: [{name: a, property: ashift, propertyValues: ["12", 4K]}]`, at+
			"axes[0].propertyValues[1]", "ashift must be a number from 9 to 16, not 4K"),
		"an ashift of 8": refusedVaried(`axes: [{name: a, property: ashift, propertyValues: ["8"]}]`, "spec.matrix",
			"variant a=8: pool.ashift: should be greater than or equal to 9"),
		"a value of a property": refusedVaried(`axes: [`+layouts+
			`, {name: a, property: recordsize, propertyValues: [1M, 1G]}]`, "spec.matrix",
			"variant layout=stripe,a=1G: dataset.properties: recordsize must be a power of two from 512 to 16M, for "+
				"example 128K, not 1G"),
		"exclude of no value": refusedVaried(`axes: [`+layouts+`], exclude: [{layout: raidz1}]`, at+"exclude[0]",
			"exclude names layout=raidz1, but the values of layout are stripe, mirror"),
		"exclude of nothing": refusedVaried(`axes: [`+layouts+`, `+records+
			`], exclude: [{layout: stripe}, {layout: stripe, recordsize: 1M}]`, at+"exclude[1]",
			"exclude leaves nothing out here"),
		"exclude of everything": refusedVaried(`axes: [`+layouts+`], exclude: [{layout: stripe}, {layout: mirror}]`,
			"spec.matrix", "matrix makes no variant"),
		"too many left": refusedVaried(`axes: [`+many(4, axisOfValues("a%d", 16))+`], exclude: [{a0: v0}]`,
			"spec.matrix", "matrix makes 61,440 variants, at most 1,024 are allowed"),
		"a name of 254": refusedVaried(`axes: [`+
			many(4, `{name: a%d, values: [{name: `+strings.Repeat("v", 63)+`}]}`)+`]`, at+"axes",
			"the name of a variant has 267 characters, at most 253 are allowed"),

		"too few devices": refusedVaried(`axes: [{name: layout, values: [`+mirrored+
			`, {name: raidz2, pool: {vdevs: [{type: raidz2, devices: [d0, d1]}]}}]}, `+records+`]`, "spec.matrix",
			"variant layout=raidz2,recordsize=16K: pool.vdevs[0].devices: devices must be at least 3 for type raidz2"),
		"no such device": refusedVaried(`axes: [{name: a, values: [{name: b, pool: {log: [{type: stripe, devices: [slog]}]}}]}]`, "spec.matrix", "variant a=b: pool.log: log names slog, which is not in spec.devices"),
		"a device twice": refusedVaried(`include: [{name: a, pool: {log: [{type: stripe, devices: [d1]}]}}]`, "spec.matrix",
			"variant a: pool: pool uses device d1 more than once"),
		"no vdevs": refusedVaried(`include: [{name: a, pool: {vdevs: []}}]`, "spec.matrix", "variant a: "+
			"pool: exactly one of vdevs and layout must be set"),
		"a spare twice": refusedVaried(`include: [{name: a, pool: {vdevs: [{type: stripe, devices: [d0]}], spares: [d1, d1]}}]`, "spec.matrix", `variant a: pool.spares[1]: Duplicate value: "d1"`),
		"an unknown name": refusedVaried(`include: [{name: a, dataset: {properties: {recordsiez: 1M}}}]`, "spec.matrix",
			"variant a: dataset.properties: dataset property recordsiez cannot be set"),
		"not of a volume": refusedVaried(`axes: [`+records+
			`], include: [{name: a, dataset: {type: Volume, volume: {size: 2Gi}, properties: {recordsize: 1M}}}]`, "spec.matrix",
			"variant a: dataset.properties: recordsize is a property of type Filesystem only"),
		"no room in a volume": refusedVaried(`include: [{name: a, dataset: {type: Volume, volume: {size: 64Mi}}}]`,
			"spec.matrix", "variant a: workloads: workloads must fit into the volume"),
		"a device of no variant": {
			Patch: "{" + files(3) + `pool: {vdevs: [{type: stripe, devices: [f0]}]}, matrix: {axes: [{name: layout, values: [{name: one}, {name: two, pool: {vdevs: [{type: stripe, devices: [f0, f1]}]}}]}]}}}`,
			Field: "spec.devices", Message: "device f2 has no place in the pool of any variant",
		},
		"no pool": {Patch: `{spec: {pool: null, matrix: {axes: [` + records + `]}}}`, Field: "spec.pool",
			Message: "pool is required: say how to build it from spec.devices"},
		"no pool, included": {Patch: `{spec: {pool: null, matrix: {axes: [{name: layout, values: [` + striped +
			`]}], include: [{name: a}]}}}`, Field: "spec.matrix", Message: "variant a: pool: pool is required"},
		"no pool, no layout": {Patch: `{spec: {pool: null, matrix: {axes: [{name: a, property: ashift, propertyValues: ["12"]}]}}}`, Field: "spec.matrix", Message: "variant a=12: pool: exactly one of vdevs and layout must be set"},
		"equal variants": refusedVaried(`axes: [{name: layout, values: [`+striped+`, `+mirrored+
			`, {name: raid1, pool: {vdevs: [{type: mirror, devices: [d0, d1]}]}}]}]`, "spec.matrix",
			"variants layout=mirror and layout=raid1 have the same pool, dataset and module parameters"),
		"axes that hide each other": refusedVaried(
			`axes: [{name: a, property: sync, propertyValues: [always, standard]}, {name: b, property: sync, propertyValues: [disabled]}]`,
			"spec.matrix", "variants a=always,b=disabled and a=standard,b=disabled have the same pool, dataset and module "+
				"parameters"),
	}
}

// Repetitions are cases about how often and in which order the variants are measured.
func Repetitions() map[string]Case {
	const at = "spec.repetitions."
	eight := `workloads: [` + many(8, "{name: w%d, fio: {rw: read, size: 1Gi}}") + `]`
	const tooMany = "their results do not fit into 32 MiB"
	return map[string]Case{
		"the most":            repeated(`min: 1000`),
		"from 6 to 15":        repeated(`min: 6, max: 15, targetRelativeError: 0.5%`),
		"up to 15":            repeated(`min: 6, max: 15`),
		"interleaved":         repeated(`min: 6, max: 15, order: Interleaved`),
		"sequential":          repeated(`min: 6, order: Sequential`),
		"sequential, spelled": repeated(`min: 6, max: 6, order: Sequential`),
		"a seed":              repeated(`order: Randomized, seed: 9007199254740991`),
		"zero":                refusedRepeated(`min: 0`, at+"min", "should be greater than or equal to 1"),
		"negative":            refusedRepeated(`min: -1`, at+"min", "should be greater than or equal to 1"),
		"1001":                refusedRepeated(`min: 1001`, at+"min", "should be less than or equal to 1000"),
		"max of zero":         refusedRepeated(`max: 0`, at+"max", "should be greater than or equal to 1"),
		"max of 1001":         refusedRepeated(`min: 6, max: 1001`, at+"max", "should be less than or equal to 1000"),
		"few before max":      refusedRepeated(`min: 5, max: 6`, at+"min", "min must be at least 6 with max above it"),
		"max alone":           refusedRepeated(`max: 15`, at+"min", "min must be at least 6 with max above it"),
		"max below min":       refusedRepeated(`min: 6, max: 5`, at+"max", "max must be at least min"),
		"a target without max": refusedRepeated(`min: 6, targetRelativeError: 1%`, at+"targetRelativeError",
			"targetRelativeError needs max: without it the number of repetitions is min"),
		"a target of zero": refusedRepeated(`min: 6, max: 15, targetRelativeError: 0.0%`, at+"targetRelativeError",
			"must be more than 0% and less than 100%"),
		"a target of 100%": refusedRepeated(`min: 6, max: 15, targetRelativeError: 100%`, at+"targetRelativeError",
			"must be more than 0% and less than 100%"),
		"a target of no %": refusedRepeated(`min: 6, max: 15, targetRelativeError: "0.025"`, at+"targetRelativeError",
			"must be more than 0% and less than 100%, for example 2.5%"),
		"a target of digits": refusedRepeated(`min: 6, max: 15, targetRelativeError: 1.0000%`, at+"targetRelativeError",
			"must be more than 0% and less than 100%"),
		"an unknown order": refusedRepeated(`order: Sorted`, at+"order",
			`supported values: "Randomized", "Interleaved", "Sequential"`),
		"sequential with max": refusedRepeated(`min: 6, max: 15, order: Sequential`, at+"order", "order Sequential has "+
			"no complete blocks to stop after"),
		"one pool each": repeated(`min: 6, order: Sequential, freshPool: PerVariant`),
		"a pool each":   repeated(`min: 6, freshPool: PerRepetition`),
		"one pool, no order": refusedRepeated(`min: 6, freshPool: PerVariant`, at+"freshPool", "freshPool PerVariant "+
			"needs order Sequential"),
		"one pool, mixed": refusedRepeated(`min: 6, order: Interleaved, freshPool: PerVariant`, at+"freshPool",
			"freshPool PerVariant needs order Sequential"),
		"a pool per week": refusedRepeated(`freshPool: Weekly`, at+"freshPool",
			`supported values: "PerRepetition", "PerVariant"`),
		"a negative seed":  refusedRepeated(`seed: -1`, at+"seed", "should be greater than or equal to 0"),
		"confirmed":        confirmed(`confirm: 6`),
		"confirmed often":  confirmed(`min: 6, max: 15, order: Interleaved, confirm: 100`),
		"confirmed by 5":   refusedConfirmed(`confirm: 5`, at+"confirm", "should be greater than or equal to 6"),
		"confirmed by 101": refusedConfirmed(`confirm: 101`, at+"confirm", "should be less than or equal to 100"),
		"confirmed in order": refusedConfirmed(`min: 6, order: Sequential, confirm: 6`, at+"confirm", "order Sequential "+
			"has no repetitions that could confirm a winner"),
		"nothing to confirm": refusedRepeated(`confirm: 6`, at+"confirm", "a winner is confirmed against its reference: "+
			"name one in spec.comparison.reference"),

		"x workloads": {Patch: `{spec: {repetitions: {min: 6, max: 1000}, ` + eight + `}}`},
		"x variants": {Patch: `{spec: {repetitions: {min: 6, max: 655}, matrix: {axes: [` + ashifts(5) + `]}, ` +
			eight + `}}`},
		"x too many": {Patch: `{spec: {repetitions: {min: 6, max: 656}, matrix: {axes: [` + ashifts(5) + `]}, ` +
			eight + `}}`, Field: "spec.repetitions",
			Message: "3,280 trials of 8 workloads each, which must be at most 3,276, or " + tooMany, GoOnly: perVariant},
		"x variants, once": {Patch: `{spec: {matrix: {axes: [` + ashifts(8) + `, ` + recordsizes + `, ` + compressions(8) +
			`]}, ` + eight + `}}`},
		"at 10,000 trials": {Patch: `{spec: {repetitions: {min: 6, max: 625}, matrix: {axes: [` + recordsizes + `]}}}`},
		"10,000 trials": {Patch: `{spec: {repetitions: {min: 6, max: 1000}, matrix: {axes: [` + recordsizes + `]}}}`,
			Field:   "spec.repetitions",
			Message: "16 trials in each of 1,000 repetitions are 16,000, which must be at most 10,000", GoOnly: perVariant},
		"x the reference": {Patch: `{spec: {repetitions: {min: 6, max: 600}, comparison: {reference: a=9}, matrix: {axes: [` +
			ashifts(5) + `]}, ` + eight + `}}`, Field: "spec.repetitions", Message: "3,600 trials of 8 workloads each",
			GoOnly: perVariant},
		"x no reference": {Patch: `{spec: {repetitions: {min: 6, max: 600, order: Interleaved}, comparison: {reference: a=9}, matrix: {axes: [` + ashifts(5) + `]}, ` + eight + `}}`},
	}
}

// Comparisons are cases about what the variants are compared with.
func Comparisons() map[string]Case {
	const at = "spec.comparison."
	const both = `axes: [` + layouts + `, ` + records + `], include: [{name: copy}]`
	compared := func(comparison string) Case {
		return Case{Patch: "{spec: {matrix: {" + both + "}, comparison: {" + comparison + "}}}"}
	}
	refused := func(comparison, field, message string) Case {
		c := compared(comparison)
		c.Field, c.Message = field, message
		return c
	}
	goOnly := func(c Case) Case {
		c.GoOnly = perVariant
		return c
	}
	return map[string]Case{
		"a margin":                compared(`margin: 0.001%`),
		"a variant":               compared(`reference: "layout=mirror,recordsize=16K"`),
		"an included variant":     compared(`reference: copy, margin: 99%`),
		"a value":                 compared(`reference: layout=stripe`),
		"values in another order": compared(`reference: "recordsize=1M,layout=stripe"`),
		"a margin of zero":        refused(`margin: 0%`, at+"margin", "must be more than 0% and less than 100%"),
		"a margin of 100%":        refused(`margin: 100.0%`, at+"margin", "must be more than 0% and less than 100%"),
		"a margin below zero":     refused(`margin: -1%`, at+"margin", "must be more than 0% and less than 100%"),
		"a margin of no %": refused(`margin: "3"`, at+"margin", "must be more than 0% and less than 100%, for "+
			"example 2.5%"),
		"a reference that is long": refused(`reference: `+strings.Repeat("a", 254), at+"reference",
			"may not be more than 253"),
		"a reference with spaces": refused(`reference: "layout = stripe"`, at+"reference", "reference must be the name "+
			"of a variant, or axis=value for some of the axes, for example layout=stripe"),
		"a reference of half": refused(`reference: "layout=stripe,copy"`, at+"reference", "reference must be the "+
			"name of a variant"),
		"a reference with a comma": refused(`reference: "layout=stripe,"`, at+"reference", "reference must be the name "+
			"of a variant"),
		"a reference of no variant": goOnly(refused(`reference: stripe`, at+"reference", "reference must be the name of a "+
			"variant, for example layout=stripe,recordsize=16K, or axis=value for some of the axes, not stripe")),
		"a reference of no axis": goOnly(refused(`reference: lay=stripe`, at+"reference", "reference names the axis "+
			"lay, which the matrix does not have: the axes are layout, recordsize, the other variants copy")),
		"a reference of no value": goOnly(refused(`reference: layout=raidz1`, at+"reference", "reference names "+
			"layout=raidz1, but the values of layout are stripe, mirror")),
		"a reference twice": goOnly(refused(`reference: "layout=stripe,layout=stripe"`, at+"reference",
			"reference names the axis layout more than once")),
		"no matrix": {Patch: `{spec: {comparison: {reference: default}}}`, Field: at + "reference",
			Message: "comparison.reference needs a matrix or baselines: there is only one variant"},
		"a margin without a matrix": {Patch: `{spec: {comparison: {margin: 5%}}}`},
	}
}

func varied(matrix string) Case {
	return Case{Patch: "{spec: {matrix: {" + matrix + "}}}"}
}

func refusedVaried(matrix, field, message string) Case {
	c := varied(matrix)
	c.Field, c.Message = field, message
	return c
}

func repeated(repetitions string) Case {
	return Case{Patch: "{spec: {repetitions: {" + repetitions + "}}}"}
}

// confirmed has a reference to confirm winners against.
func confirmed(repetitions string) Case {
	return Case{Patch: "{spec: {repetitions: {" + repetitions + "}, comparison: {reference: layout=stripe}, matrix: " +
		"{axes: [" + layouts + "]}}}"}
}

func refusedConfirmed(repetitions, field, message string) Case {
	c := confirmed(repetitions)
	c.Field, c.Message = field, message
	return c
}

func refusedRepeated(repetitions, field, message string) Case {
	c := repeated(repetitions)
	c.Field, c.Message = field, message
	return c
}

// axisOfValues is an axis of n values that change nothing.
func axisOfValues(name string, n int) string {
	return "{name: " + name + ", values: [" + overlays(n, "") + "]}"
}

// overlays are n overlays, v0 to vN, of the same change.
func overlays(n int, change string) string {
	return many(n, "{name: v%d, "+change+"}")
}

// ashifts is an axis of n values, from 9 on.
func ashifts(n int) string {
	var values []string
	for i := range n {
		values = append(values, fmt.Sprintf("%q", fmt.Sprint(9+i)))
	}
	return "{name: a, property: ashift, propertyValues: [" + strings.Join(values, ", ") + "]}"
}

// recordsizes is an axis of 16 values.
const recordsizes = `{name: r, property: recordsize, propertyValues: ["512", 1K, 2K, 4K, 8K, 16K, 32K, 64K, 128K, 256K, 512K, 1M, 2M, 4M, 8M, 16M]}`

// compressions is an axis of n values, at most 10.
func compressions(n int) string {
	return "{name: c, property: compression, propertyValues: [" + many(n, "zstd-1%d") + "]}"
}

// largestReference is the longest reference to a value of each axis that largestMatrix has.
const largestReference = "a0=v0,a1=v0,a2=v0,a3=v0,a4=v0,a5=v0,a6=v0,a7=v0"

// largestMatrix has as many of everything as the API takes, but no more variants than there is room for results: the
// first axis has 64 values, the second two, of which exclude leaves one, and 64 variants are included. Their overlays
// change the whole pool of largest, and every property of its dataset.
func largestMatrix() string {
	var values []string
	for i := range 64 {
		var vdevs []string
		for j := range 32 {
			vdevs = append(vdevs, fmt.Sprintf("{type: mirror, devices: [f%d, f%d]}", (i+2*j)%64, (i+2*j+1)%64))
		}
		values = append(values, fmt.Sprintf("{name: v%d, pool: {vdevs: [%s]}, dataset: {properties: {%s}}}", i,
			strings.Join(vdevs, ", "), everyFilesystemProperty))
	}
	changes := strings.Join(values, ", ")
	axes := []string{"{name: a0, values: [" + changes + "]}", axisOfValues("a1", 2)}
	for i := 2; i < 8; i++ {
		axes = append(axes, axisOfValues(fmt.Sprintf("a%d", i), 1))
	}
	return "{axes: [" + strings.Join(axes, ", ") + "], " +
		"exclude: [" + many(64, "{a0: v%d, a1: v1, a2: v0, a3: v0, a4: v0, a5: v0, a6: v0, a7: v0}") + "], include: [" +
		changes + "]}"
}
