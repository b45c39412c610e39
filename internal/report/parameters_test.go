// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
)

// Both documents tell which module parameters a variant set.
func TestModuleParameters(t *testing.T) {
	in := comparedInput(t)
	set := v1alpha1.ModuleParameters{"zfs_txg_timeout": "7", "zfs_fletcher_4_impl": "scalar"}
	in.Nodes[0].Plan.Variants[0].ModuleParameters = set
	in.Nodes[0].Trials[0].ModuleParameters = map[string]string{"zfs_txg_timeout": "7"}
	reports := build(t, in)
	for text, times := range map[string]int{"zfs_fletcher_4_impl=scalar zfs_txg_timeout=7": 1, "Module parameters": 1} {
		if got := strings.Count(string(reports.Markdown), text); got != times {
			t.Errorf("summary.md has %q %d times, want %d:\n%s", text, got, times, reports.Markdown)
		}
	}
	var document model.Report
	if err := json.Unmarshal(reports.JSON, &document); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(set, document.Variants[0].ModuleParameters); diff != "" {
		t.Errorf("variant (-want +got):\n%s", diff)
	}
	if got := document.Nodes[0].Trials[0].ModuleParameters["zfs_txg_timeout"]; got != "7" {
		t.Errorf("zfs_txg_timeout of the trial is %q", got)
	}
}

// Of more variants than are described one by one, the benchmark's own parameters are told.
func TestModuleParametersOfManyVariants(t *testing.T) {
	in := comparedInput(t)
	in.Benchmark.Spec.ModuleParameters = v1alpha1.ModuleParameters{"zfs_txg_timeout": "7"}
	v := in.Nodes[0].Plan.Variants[0]
	for _, name := range []string{"a", "b", "c"} {
		v.Name = name
		in.Nodes[0].Plan.Variants = append(in.Nodes[0].Plan.Variants, v)
	}
	want := "- Module parameters, where a variant does not change them: " + "zfs_txg_timeout=7" + "\n"
	if page := string(build(t, in).Markdown); !strings.Contains(page, want) {
		t.Errorf("summary.md lacks %q:\n%s", want, page)
	}
}
