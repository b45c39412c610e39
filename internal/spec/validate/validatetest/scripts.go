// SPDX-License-Identifier: Apache-2.0

package validatetest

import "strings"

// Scripts are cases about scripts.
func Scripts() map[string]Case {
	const at, rest = ".script", `, command: [run], metrics: [{name: load, unit: Seconds}], size: 1Gi`
	const image = `image: "registry.example/tools/sqlite:3.46"`
	accepted := func(options string) Case { return Case{Patch: toolPatch("script", options)} }
	refused := func(options, field, message string) Case {
		return Case{Patch: toolPatch("script", options), Field: "spec.workloads[0]" + at + field, Message: message}
	}
	refusedAt := func(options string) Case {
		return Case{Patch: toolPatch("script", image+options), Field: "spec.workloads", Message: "the commands of all " +
			"scripts together must be at most 65536 bytes"}
	}
	return map[string]Case{
		"a script, the least": accepted(image + rest),
		"a script, everything": accepted(`image: "sqlite@sha256:` + strings.Repeat("0a", 32) + `",
  command: [/bin/sh, -c, "a\nb", ""], timeout: 24h, size: 64Ti,
  metrics: [{name: load, unit: Seconds}, {name: rows, unit: PerSecond}, {name: moved, unit: BytesPerSecond}]`),
		"a script without an image": refused(`command: [run], metrics: [{name: load, unit: Seconds}], size: 1Gi`, ".image",
			"value"),
		"a script of an image without a tag": refused(`image: registry.example/tools/sqlite`+rest, ".image", "must be a "+
			"container image with a tag or a digest"),
		"a script of an image with a space": refused(`image: "a b:1"`+rest, ".image", "must be a container image with a "+
			"tag or a digest"),
		"a script of an image with a glob": refused(`image: "tools/*:1"`+rest, ".image", "must be a container image "+
			"with a tag or a digest"),
		"a script of an image too long": refused(`image: "`+strings.Repeat("a", 254)+`:1"`+rest, ".image",
			"may not be more than 255"),
		"a script without a command": refused(image+
			`, command: [], metrics: [{name: load, unit: Seconds}], size: 1Gi`, ".command", "should have at least 1 items"),
		"a script of no program": refused(image+
			`, command: ["", x], metrics: [{name: load, unit: Seconds}], size: 1Gi`, ".command",
			"command must begin with a program"),
		"a script of too many words": refused(image+`, command: [`+many(65, "w%d")+
			`], metrics: [{name: load, unit: Seconds}], size: 1Gi`, ".command", "must have at most 64 items"),
		"a script without metrics": refused(image+`, command: [run], metrics: [], size: 1Gi`, ".metrics",
			"should have at least 1 items"),
		"a script, a metric of no unit": refused(image+
			`, command: [run], metrics: [{name: load, unit: Apples}], size: 1Gi`, ".metrics[0].unit", "Apples"),
		"a script, a metric that is no word": refused(image+
			`, command: [run], metrics: [{name: the load, unit: Seconds}], size: 1Gi`, ".metrics[0].name",
			"name must be letters and digits, and begin with a lower-case letter"),
		"a script, a metric twice": refused(image+
			`, command: [run], metrics: [{name: a, unit: Seconds}, {name: a, unit: PerSecond}], size: 1Gi`, ".metrics[1]",
			"Duplicate value"),
		"a script without a size": refused(image+`, command: [run], metrics: [{name: load, unit: Seconds}]`,
			".size", "value"),
		"a script for too long": refused(image+rest+`, timeout: 25h`, ".timeout", "timeout must be whole "+
			"seconds from 1s to 24h"),
		"a script as root": {Patch: toolPatch("script", image+rest+`, privileged: true`), Message: "unknown field"},
		"scripts of five images": goOnly(Case{
			Patch: `{spec: {workloads: [` + many(5, `{name: w%d, script: {image: "i:%d"`+rest+`}}`) + `]}}`,
			Field: "spec.workloads", Message: "the workloads use too many different images: at most 4",
		}, "CEL would have to compare all workloads"),
		"scripts too long": goOnly(refusedAt(`, command: [`+many(17, `"`+strings.Repeat("x", 4000)+`%d"`)+
			`], metrics: [{name: load, unit: Seconds}], size: 1Gi`), "CEL does not add up lists"),
		"a script in a block device": goOnly(Case{
			Patch: `{spec: {dataset: {type: Volume, volume: {size: 1Gi}}, workloads: [{name: a, script: {` + image + rest +
				`}}]}}`, Field: "spec.workloads[0]", Message: "it makes files, and the variant is a block device",
		}, "the matrix is expanded by the controller"),
	}
}
