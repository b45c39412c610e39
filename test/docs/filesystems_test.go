// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// enumOf are the values that the marker of a type in a file of the API allows.
func enumOf(t *testing.T, file, name string) []string {
	t.Helper()
	marker := regexp.MustCompile(`validation:Enum=([^\n]*)\ntype ` + name + ` string`)
	match := marker.FindStringSubmatch(read(t, file))
	if match == nil {
		t.Fatalf("%s has no enum %s", file, name)
	}
	return strings.Split(match[1], ";")
}

// TestFilesystemTypesAgree: a type is in the enum of baselines, in the list of the code, and, if few nodes use it, in
// the enum of what a policy may allow. hostfs has a look at each.
func TestFilesystemTypesAgree(t *testing.T) {
	types := enumOf(t, "api/v1alpha1/baseline_types.go", "FilesystemType")
	var rare []string
	for _, name := range types {
		known, ok := filesystem.Of(v1alpha1.FilesystemType(name))
		if !ok {
			t.Errorf("internal/storage/filesystem does not know %s", name)
		}
		if known.RarelyUsed {
			rare = append(rare, name)
		}
		if !strings.Contains(read(t, "internal/storage/hostfs/wholefeatures.go"), `"`+name+`":`) {
			t.Errorf("wholeLooks in internal/storage/hostfs/wholefeatures.go lacks %s", name)
		}
	}
	allowed := enumOf(t, "api/v1alpha1/benchmarkdevicepolicy_types.go", "RarelyUsedFilesystem")
	slices.Sort(allowed)
	slices.Sort(rare)
	if len(rare) == 0 || !slices.Equal(rare, allowed) {
		t.Errorf("a policy may allow %v, and few nodes use %v", allowed, rare)
	}
}
