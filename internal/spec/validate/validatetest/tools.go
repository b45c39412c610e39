// SPDX-License-Identifier: Apache-2.0

package validatetest

import "fmt"

// Tools are cases about workloads of other tools than fio.
func Tools() map[string]Case {
	const bonnieAt, treeAt = "spec.workloads[0].bonnie", "spec.workloads[0].tree"
	return map[string]Case{
		"bonnie++, throughput": bonnie(`size: 1Gi`),
		"bonnie++, files":      bonnie(`files: {count: 1}`),
		"bonnie++, everything": bonnie(`size: 2Gi, chunkSize: 65536, fast: true, fsync: true, direct: true, files: {count: 128, maxSize: 4096, minSize: 1, directories: 10}`),
		"bonnie++ of nothing": refusedBonnie(`fast: true`, bonnieAt, "at least one of size and files "+
			"must be set"),
		"bonnie++, size no multiple of 1Mi": refusedBonnie(`size: 1M`, bonnieAt+".size", "size must be a multiple "+
			"of 1Mi"),
		"bonnie++, size of zero":           refusedBonnie(`size: "0"`, bonnieAt+".size", "size must be"),
		"bonnie++, size with an injection": {Patch: toolPatch("bonnie", `size: "1Gi:x"`), Message: "size must be"},
		"bonnie++, an odd chunkSize":       refusedBonnie(`size: 1Gi, chunkSize: 1000`, bonnieAt+".chunkSize", "1000"),
		"bonnie++, files without a count":  refusedBonnie(`files: {maxSize: 1}`, bonnieAt+".files.count", "value"),
		"bonnie++, too many files": refusedBonnie(`files: {count: 100001}`, bonnieAt+".files.count", "should be "+
			"less than or equal to 100000"),
		"bonnie++, minSize above maxSize": refusedBonnie(`files: {count: 1, maxSize: 1, minSize: 2}`, bonnieAt+
			".files.minSize", "minSize must be at most maxSize"),
		"bonnie++, an option we do not have": {Patch: toolPatch("bonnie", `size: 1Gi, user: root`), Message: "unknown field"},
		"a tree, the least":                  tree(``),
		"a tree, everything": tree(
			`levels: 2, directories: 9, files: 100, fileSize: 128Ki, workers: 4, phases: [create, rewrite, read, delete], maxTime: 60s, fsync: true`),
		"a tree of directories": tree(`levels: 8, directories: 10, files: 0, maxTime: 60s`),
		"a tree of empty files": tree(`fileSize: "0"`),
		"a tree that is read":   tree(`phases: [read]`),
		"a tree too deep": refusedTree(`levels: 17`, treeAt+".levels", "should be less than or "+
			"equal to 16"),
		"a tree with too many workers": refusedTree(`workers: 257`, treeAt+".workers", "should be less than or "+
			"equal to 256"),
		"a tree with a negative fileSize": refusedTree(`fileSize: "-1"`, treeAt+".fileSize", "fileSize must be a "+
			"whole number of bytes up to 1Ti"),
		"a tree with huge files": refusedTree(`fileSize: 2Ti`, treeAt+".fileSize", "fileSize must be a "+
			"whole number of bytes up to 1Ti"),
		"a tree with a short maxTime": refusedTree(`maxTime: 1ms`, treeAt+".maxTime", "maxTime must be whole "+
			"seconds from 1s to 168h"),
		"a tree without phases":        refusedTree(`phases: []`, treeAt+".phases", "should have at least 1 items"),
		"a tree with an unknown phase": refusedTree(`phases: [create, exec]`, treeAt+".phases[1]", "exec"),
		"a tree with a phase twice":    refusedTree(`phases: [create, stat, stat]`, treeAt+".phases[2]", "Duplicate value"),
		"a tree that is created later": refusedTree(`phases: [stat, create]`, treeAt+".phases", "create must be "+
			"the first of phases"),
		"a tree that is deleted before": refusedTree(`phases: [delete, stat]`, treeAt+".phases", "delete must be "+
			"the last of phases"),
		"directories that are read": goOnly(refusedTree(`files: 0, phases: [create, read]`, treeAt+".phases",
			"read needs files that are not empty"), "CEL would have to know the defaults"),
		"empty files that are rewritten": goOnly(refusedTree(`fileSize: "0", phases: [create, rewrite]`, treeAt+
			".phases", "rewrite needs files that are not empty"), "CEL would have to compute"),
		"a tree without end": goOnly(refusedTree(`levels: 8, directories: 10`, treeAt,
			"are too many without maxTime"), "CEL has no powers"),
		"a tree in a block device": goOnly(Case{
			Patch: `{spec: {dataset: {type: Volume, volume: {size: 1Gi}}, workloads: [{name: a, tree: {}}]}}`,
			Field: "spec.workloads[0]", Message: "it makes files, and the variant is a block device",
		}, "the matrix is expanded by the controller"),
		"a tree in a filesystem on a volume":    {Patch: `{spec: {dataset: {type: Volume, volume: {size: 1Gi, filesystem: {type: xfs}}}, workloads: [{name: a, tree: {}}]}}`},
		"a tree, an option that we do not have": {Patch: toolPatch("tree", `command: reboot`), Message: "unknown field"},
	}
}

// goOnly is a case that only Go refuses.
func goOnly(c Case, reason string) Case {
	c.GoOnly = reason
	return c
}

func toolPatch(tool, options string) string {
	return fmt.Sprintf(`{spec: {workloads: [{name: a, %s: {%s}}]}}`, tool, options)
}

func bonnie(options string) Case { return Case{Patch: toolPatch("bonnie", options)} }

func refusedBonnie(options, field, message string) Case {
	return Case{Patch: toolPatch("bonnie", options), Field: field, Message: message}
}

func tree(options string) Case { return Case{Patch: toolPatch("tree", options)} }

func refusedTree(options, field, message string) Case {
	return Case{Patch: toolPatch("tree", options), Field: field, Message: message}
}
