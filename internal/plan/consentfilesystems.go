// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// mounts is the type of the filesystem, other than ZFS, that a variant mounts; empty for none.
func mounts(v Variant) v1alpha1.FilesystemType {
	switch {
	case v.Baseline != nil && v.Baseline.Filesystem != nil:
		return v.Baseline.Filesystem.Type
	case v.Dataset.Volume != nil && v.Dataset.Volume.Filesystem != nil:
		return v.Dataset.Volume.Filesystem.Type
	}
	return ""
}

// grantFilesystems refuses variants with a filesystem that few nodes use, where no applying policy lists it: to mount
// it, the kernel loads a module that few people look after.
func grantFilesystems(
	variants []Variant, namespace string, node Node, applying []v1alpha1.BenchmarkDevicePolicy,
) error {
	missing := map[v1alpha1.FilesystemType]bool{}
	for _, v := range variants {
		t := mounts(v)
		listed := func(p v1alpha1.BenchmarkDevicePolicy) bool {
			return slices.Contains(p.Spec.Filesystems, v1alpha1.RarelyUsedFilesystem(t))
		}
		if kind, _ := filesystem.Of(t); kind.RarelyUsed && !slices.ContainsFunc(applying, listed) {
			missing[t] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var types []string
	for t := range missing {
		types = append(types, string(t))
	}
	slices.Sort(types)
	text := strings.Join(types, ", ")
	lacks := fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s use %s on node %s, "+
		"whose kernel would load a module that few people look after.", namespace, text, node.Name)
	if len(applying) > 0 {
		return mismatch("%s The storage administrator could add %s to spec.filesystems of BenchmarkDevicePolicy %s.",
			lacks, text, applying[0].Name)
	}
	hint := policyHint(namespace, node, "filesystems: ["+text+"]")
	message := lacks + " The storage administrator could apply this one: " + hint
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: message, Hint: hint}
}
