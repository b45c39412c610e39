// SPDX-License-Identifier: Apache-2.0

package validatetest

import "strings"

// Builtins are cases about workloads of the runner's own tools beside trees.
func Builtins() map[string]Case {
	const streamsAt, copyAt, corpusAt = "spec.workloads[0].streams", "spec.workloads[0].copy", "spec.workloads[0].corpus"
	const claimAt = corpusAt + ".persistentVolumeClaim"
	return map[string]Case{
		"streams, the least":     builtin("streams", `size: 1Gi`),
		"streams, everything":    builtin("streams", `counts: [1, 256], size: 64Ti, blockSize: 16Mi, phases: [write, read]`),
		"streams that are read":  builtin("streams", `size: 1Gi, phases: [read]`),
		"streams without a size": refusedBuiltin("streams", `counts: [1]`, streamsAt+".size", "value"),
		"streams, a negative size": refusedBuiltin("streams", `size: "-1"`, streamsAt+".size", "size must "+
			"be a whole number of bytes from 1 to 64Ti"),
		"streams, a count of zero": refusedBuiltin("streams", `size: 1Gi, counts: [0]`, streamsAt+".counts[0]",
			"should be greater than or equal to 1"),
		"streams, a count too large": refusedBuiltin("streams", `size: 1Gi, counts: [1, 257]`, streamsAt+
			".counts[1]", "should be less than or equal to 256"),
		"streams, a count twice": refusedBuiltin("streams", `size: 1Gi, counts: [2, 2]`, streamsAt+
			".counts[1]", "Duplicate value"),
		"streams, too many counts": refusedBuiltin("streams", `size: 1Gi, counts: [1, 2, 3, 4, 5, 6, 7, 8, 9]`,
			streamsAt+".counts", "must have at most 8 items"),
		"streams, small blocks": refusedBuiltin("streams", `size: 1Gi, blockSize: "511"`, streamsAt+
			".blockSize", "blockSize must be a whole number of bytes from 512 to 16Mi"),
		"streams, large blocks": refusedBuiltin("streams", `size: 1Gi, blockSize: 17Mi`, streamsAt+
			".blockSize", "blockSize must be a whole number of bytes from 512 to 16Mi"),
		"streams, an unknown phase": refusedBuiltin("streams", `size: 1Gi, phases: [trim]`, streamsAt+
			".phases[0]", "trim"),
		"streams, a phase twice": refusedBuiltin("streams", `size: 1Gi, phases: [read, read]`, streamsAt+
			".phases[1]", "Duplicate value"),
		"streams that are read before": refusedBuiltin("streams", `size: 1Gi, phases: [read, write]`, streamsAt+
			".phases", "write must come before read in phases"),
		"streams in a block device": goOnly(Case{
			Patch: `{spec: {dataset: {type: Volume, volume: {size: 1Gi}}, workloads: [{name: a, streams: {size: 1Mi}}]}}`,
			Field: "spec.workloads[0]", Message: "it makes files, and the variant is a block device",
		}, "the matrix is expanded by the controller"),
		"streams, an option that we do not have": {Patch: toolPatch("streams", `size: 1Gi, command: reboot`),
			Message: "unknown field"},

		"a copy, the least": builtin("copy", `tool: cp`),
		"a copy, everything": builtin("copy",
			`tool: rsync, levels: 2, directories: 9, files: 100, fileSize: 128Ki, maxTime: 60s`),
		"a copy of directories": builtin("copy", `tool: rsync, files: 0, fileSize: "0"`),
		"a copy without a tool": refusedBuiltin("copy", `levels: 1`, copyAt+".tool", "value"),
		"a copy by another tool": refusedBuiltin("copy", `tool: dd`, copyAt+".tool",
			`Unsupported value: "dd"`),
		"a copy by a tool with an option": refusedBuiltin("copy", `tool: "rsync -e sh"`, copyAt+".tool",
			"Unsupported value"),
		"a copy too deep": refusedBuiltin("copy", `tool: cp, levels: 17`, copyAt+".levels",
			"should be less than or equal to 16"),
		"a copy of huge files": refusedBuiltin("copy", `tool: cp, fileSize: 2Ti`, copyAt+".fileSize",
			"fileSize must be a whole number of bytes up to 1Ti"),
		"a copy with a short maxTime": refusedBuiltin("copy", `tool: cp, maxTime: 1ms`, copyAt+".maxTime",
			"maxTime must be whole seconds from 1s to 168h"),
		"a copy of too many files": goOnly(refusedBuiltin("copy", `tool: cp, levels: 8, files: 0, maxTime: 60s`,
			copyAt, "it has too many directories and files: at most 100000000"), "CEL has no powers"),
		"a copy in a block device": goOnly(Case{
			Patch: `{spec: {dataset: {type: Volume, volume: {size: 1Gi}}, workloads: [{name: a, copy: {tool: cp}}]}}`,
			Field: "spec.workloads[0]", Message: "it makes files, and the variant is a block device",
		}, "the matrix is expanded by the controller"),
		"a copy, an option that we do not have": {Patch: toolPatch("copy", `tool: cp, reflink: auto`),
			Message: "unknown field"},

		"a corpus, the least":  builtin("corpus", `parts: [{content: Text, size: 1Gi}]`),
		"a corpus, everything": builtin("corpus", `parts: [{content: Text, size: 64Ti, copies: 1000}, {content: Image, size: 1Gi}, {content: Zeros, size: 1Gi}, {content: Random, size: 1Gi}], fileSize: 1Gi, seed: 9007199254740991`),
		"a corpus without parts": refusedBuiltin("corpus", `seed: 1`, corpusAt, "exactly one of parts, "+
			"image and persistentVolumeClaim must be set"),
		"a corpus of no parts": refusedBuiltin("corpus", `parts: []`, corpusAt+".parts",
			"should have at least 1 items"),
		"a corpus of an image": builtin("corpus",
			`image: {image: "registry.example:5000/data/sources:2026-03", path: /usr/share/doc, size: 1Gi}`),
		"a corpus of an image by digest": builtin("corpus", `image: {image: "data@sha256:`+strings.Repeat("0f", 32)+
			`", size: 64Ti}`),
		"a corpus of an image and parts": refusedBuiltin("corpus",
			`image: {image: "data:1", size: 1Gi}, parts: [{content: Text, size: 1Gi}]`, corpusAt,
			"exactly one of parts, image and persistentVolumeClaim must be set"),
		"a corpus of an image without a size": refusedBuiltin("corpus", `image: {image: "data:1"}`, corpusAt+".image.size",
			"value"),
		"a corpus of an image without a tag": refusedBuiltin("corpus",
			`image: {image: "registry.example:5000/data", size: 1Gi}`, corpusAt+".image.image",
			"must be a container image with a tag or a digest"),
		"a corpus of an image, a path above it": refusedBuiltin("corpus",
			`image: {image: "data:1", path: /usr/../etc, size: 1Gi}`, corpusAt+".image.path", "path must be an absolute path"),
		"a corpus of an image, a relative path": refusedBuiltin("corpus", `image: {image: "data:1", path: usr, size: 1Gi}`,
			corpusAt+".image.path", "path must be an absolute path"),
		"a corpus of a claim": builtin("corpus",
			`persistentVolumeClaim: {claimName: given.2026, path: /usr/share/doc, size: 1Gi}`),
		"a corpus of a claim, all of it": builtin("corpus", `persistentVolumeClaim: {claimName: given, size: 64Ti}`),
		"a corpus of a claim and an image": refusedBuiltin("corpus",
			`persistentVolumeClaim: {claimName: given, size: 1Gi}, image: {image: "data:1", size: 1Gi}`, corpusAt,
			"exactly one of parts, image and persistentVolumeClaim must be set"),
		"a corpus of a claim and parts": refusedBuiltin("corpus",
			`persistentVolumeClaim: {claimName: given, size: 1Gi}, parts: [{content: Text, size: 1Gi}]`, corpusAt,
			"exactly one of parts, image and persistentVolumeClaim must be set"),
		"a corpus of a claim without a name": refusedBuiltin("corpus",
			`persistentVolumeClaim: {claimName: "", size: 1Gi}`, claimAt+".claimName",
			"claimName must be the name of a PersistentVolumeClaim"),
		"a corpus of a claim elsewhere": refusedBuiltin("corpus",
			`persistentVolumeClaim: {claimName: team-b/given, size: 1Gi}`, claimAt+".claimName",
			"claimName must be the name of a PersistentVolumeClaim"),
		"a corpus of a claim, its name too long": refusedBuiltin("corpus", `persistentVolumeClaim: {claimName: `+
			strings.Repeat("a", 254)+`, size: 1Gi}`, claimAt+".claimName", "may not be more than 253"),
		"a corpus of a claim without a size": refusedBuiltin("corpus", `persistentVolumeClaim: {claimName: given}`,
			claimAt+".size", "value"),
		"a corpus of a claim, a path above it": refusedBuiltin("corpus",
			`persistentVolumeClaim: {claimName: given, path: /a/../../etc, size: 1Gi}`, claimAt+".path",
			"path must be an absolute path"),
		"a corpus of a claim, a relative path": refusedBuiltin("corpus",
			`persistentVolumeClaim: {claimName: given, path: a, size: 1Gi}`, claimAt+".path", "path must be an absolute path"),
		"a corpus of a claim, to be written to": {Patch: toolPatch("corpus",
			`persistentVolumeClaim: {claimName: given, size: 1Gi, readOnly: false}`), Message: "unknown field"},
		"corpora of five claims": goOnly(Case{
			Patch: `{spec: {workloads: [` + many(5, `{name: w%d, corpus: {persistentVolumeClaim: {claimName: c%d, size: 1Mi}}}`) + `]}}`, Field: "spec.workloads", Message: "the workloads use too many different PersistentVolumeClaims: at most 4",
		}, "CEL would have to compare all workloads"),
		"a corpus of a claim beside a script": goOnly(Case{
			Patch: `{spec: {workloads: [{name: given, corpus: {persistentVolumeClaim: {claimName: given, size: 1Mi}}}, {name: look, script: {image: "i:1", command: [sh], metrics: [{name: load, unit: Seconds}], size: 1Mi, timeout: 60s}}]}}`,
			Field: "spec.workloads[1].script", Message: "a script could read what a corpus of a PersistentVolumeClaim has " +
				"stored: measure them in two benchmarks",
		}, "CEL would have to compare all workloads"),
		"a corpus of too many parts": refusedBuiltin("corpus", `parts: [`+many(9, "{content: Text, size: 1Gi}")+
			`]`, corpusAt+".parts", "must have at most 8 items"),
		"a corpus of another content": refusedBuiltin("corpus", `parts: [{content: /etc, size: 1Gi}]`, corpusAt+
			".parts[0].content", `Unsupported value: "/etc"`),
		"a corpus of no size": refusedBuiltin("corpus", `parts: [{content: Text, size: "0"}]`, corpusAt+
			".parts[0].size", "size must be a whole number of bytes from 1 to 64Ti"),
		"a corpus of too many copies": refusedBuiltin("corpus",
			`parts: [{content: Text, size: 4Gi, copies: 1001}]`, corpusAt+".parts[0].copies",
			"should be less than or equal to 1000"),
		"a corpus of more copies than files": goOnly(refusedBuiltin("corpus",
			`parts: [{content: Text, size: 4Mi, copies: 5}]`, corpusAt+".parts[0].copies",
			"the part has only 4 files of 1048576 bytes"), "the size of files has a default"),
		"a corpus of empty files": refusedBuiltin("corpus",
			`parts: [{content: Text, size: 4Gi}], fileSize: "0"`, corpusAt+".fileSize",
			"fileSize must be a whole number of bytes from 1 to 1Ti"),
		"a corpus of too many files": goOnly(refusedBuiltin("corpus",
			`parts: [{content: Text, size: 64Ti}], fileSize: 4Ki`, corpusAt, "it has too many files: at most 100000000"),
			"CEL does not add up lists"),
		"a corpus with a negative seed": refusedBuiltin("corpus", `parts: [{content: Text, size: 4Gi}], seed: -1`,
			corpusAt+".seed", "should be greater than or equal to 0"),
		"a corpus in a block device": goOnly(Case{
			Patch: `{spec: {dataset: {type: Volume, volume: {size: 1Gi}}, workloads: [{name: a, corpus: {parts: [{content: Text, size: 1Mi}]}}]}}`, Field: "spec.workloads[0]", Message: "it makes files, and the variant is a block device",
		}, "the matrix is expanded by the controller"),
		"a corpus, an option that we do not have": {Patch: toolPatch("corpus",
			`parts: [{content: Text, size: 1Gi, path: /etc}]`), Message: "unknown field"},
	}
}

func builtin(tool, options string) Case { return Case{Patch: toolPatch(tool, options)} }

func refusedBuiltin(tool, options, field, message string) Case {
	return Case{Patch: toolPatch(tool, options), Field: field, Message: message}
}
