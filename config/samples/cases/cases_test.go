// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

const header = `# Question: What
#   is it?
# Runs: Nothing.
# Margin: 5%. Because.
# Answer: So.
# Change: All: of it.
apiVersion: v1
`

func TestParse(t *testing.T) {
	got, err := Parse("x", header)
	want := Case{Name: "x", Manifest: header, Question: "What is it?", Runs: "Nothing.", Margin: "5%. Because.",
		Answer: "So.", Change: "All: of it."}
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	refused := map[string]string{
		"nothing":        "",
		"a part missing": strings.Replace(header, "# Runs: Nothing.\n", "", 1),
		"the last":       strings.Replace(header, "# Change: All: of it.\n", "", 1),
		"a part twice":   strings.Replace(header, "# Runs: Nothing.\n", "# Runs: a\n# Runs: b\n", 1),
		"one more":       strings.Replace(header, "apiVersion", "# Note: x\napiVersion", 1),
		"empty":          strings.Replace(header, "# Runs: Nothing.\n", "# Runs: \n", 1),
		"no part":        "#   more\n" + header,
	}
	for name, text := range refused {
		if got, err := Parse("x", text); err == nil || !strings.HasPrefix(err.Error(), "case x: ") {
			t.Errorf("%s: %+v, error %v", name, got, err)
		}
	}
}

// TestCases checks what all cases have in common.
func TestCases(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range all {
		names = append(names, c.Name+".yaml")
		t.Run(c.Name, func(t *testing.T) {
			var b v1alpha1.ZfsBenchmark
			if err := yaml.UnmarshalStrict([]byte(c.Manifest), &b); err != nil {
				t.Fatal(err)
			}
			if b.Name != c.Name || !strings.HasSuffix(c.Question, "?") {
				t.Errorf("benchmark %s, question %q", b.Name, c.Question)
			}
			checkComparison(t, c, b.Spec)
			checkSizes(t, b.Spec.Workloads)
			checkDevices(t, c, b.Spec)
		})
	}
	var kustomization struct{ Resources []string }
	text, err := os.ReadFile("kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &kustomization); err != nil || !slices.Equal(kustomization.Resources, names) {
		t.Errorf("kustomization.yaml has %q, there are %q; error %v", kustomization.Resources, names, err)
	}
}

// checkComparison: six repetitions give a distribution-free 95% interval of a median. The comments begin with the
// margin of the comparison, or with the limit of all thresholds.
func checkComparison(t *testing.T, c Case, s v1alpha1.ZfsBenchmarkSpec) {
	t.Helper()
	const least = 6
	if s.Repetitions == nil || s.Repetitions.Min < least {
		t.Errorf("repetitions %+v, want at least %d", s.Repetitions, least)
	}
	want := map[string]bool{}
	for _, limit := range s.Thresholds {
		want[cmp.Or(string(limit.AtMost), string(limit.AtLeast))] = true
	}
	if s.Matrix != nil {
		if s.Comparison == nil || s.Comparison.Reference == "" {
			t.Fatal("it compares variants without a reference")
		}
		want[string(s.Comparison.Margin)] = true
	}
	if margin, _, _ := strings.Cut(c.Margin, ". "); len(want) != 1 || !want[margin] {
		t.Errorf("the comments have the margin %q, the benchmark %v", margin, want)
	}
}

// checkSizes: sizes of fio are relative to the node, except those of jobs that run together, which cannot be.
func checkSizes(t *testing.T, workloads []v1alpha1.Workload) {
	t.Helper()
	for _, w := range workloads {
		if f := w.Fio; f != nil && len(f.Jobs) == 0 && f.RelativeSize == "" {
			t.Errorf("workload %s has a fixed size", w.Name)
		}
	}
}

// checkDevices: the layout has a name, and nodes and disks are in one place at the top of the spec.
func checkDevices(t *testing.T, c Case, s v1alpha1.ZfsBenchmarkSpec) {
	t.Helper()
	if s.Pool == nil || s.Pool.Layout == "" {
		t.Error("the pool has no layout by name")
	}
	_, spec, _ := strings.Cut(c.Manifest, "\nspec:\n  # Yours: nodes, and the disks of each.\n  nodes: ")
	place, _, found := strings.Cut(spec, "\n  pool: ")
	if !found || strings.Count(place, "path: /dev/disk/") != len(s.Devices) {
		t.Errorf("nodes and devices are not in one place:\n%s", place)
	}
}
