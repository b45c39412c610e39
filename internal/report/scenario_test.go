// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

// scenarioInput has a workload during which a device is replaced, one after it that fills the pool, and times of
// making and destroying, of which one trial lacks the last.
func scenarioInput(t *testing.T) model.Input {
	in := capturedInput(t)
	spec := &in.Benchmark.Spec
	spec.Workloads[0].During = &v1alpha1.DuringOperation{Replace: &v1alpha1.ReplaceOperation{Device: "d1", With: "d2"}}
	spec.Workloads = append(spec.Workloads, v1alpha1.Workload{
		Name: "fill", Cache: v1alpha1.CacheWarm,
		Pool: &v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 80, Method: v1alpha1.FillRandomOverwrites}},
	})
	in.Nodes[0].Plan.Workloads = spec.Workloads
	operation := func(bytes int64) result.Operation {
		return result.Operation{Bytes: bytes, RuntimeNanoseconds: 2e9, BandwidthBytesPerSecond: float64(bytes) / 2}
	}
	in.Nodes[0].Trials = model.CopyTrials(in.Nodes[0].Trials)
	in.Nodes[0].Trials = slices.DeleteFunc(in.Nodes[0].Trials, func(t result.Trial) bool { return t.Failure != nil })
	for i := range in.Nodes[0].Trials {
		trial := &in.Nodes[0].Trials[i]
		trial.Times = result.Times{PoolCreate: int64(i+1) * 1e8, DatasetDestroy: 3e9}
		if i == 0 {
			trial.Times.DatasetDestroy = 0
		}
		trial.Samples[0].During = &result.During{
			Argv: []string{"zpool", "replace"}, Phase: result.Phase{Name: "replace", Operation: operation(4 << 30)},
			AloneNanoseconds: 5e8,
		}
		trial.Samples = append(trial.Samples, result.Sample{
			Workload: "fill", Tool: "fill", ToolVersion: "fill-v1", CacheState: "Warm", RuntimeNanoseconds: 4e9,
			Pool: trial.Pool,
			Phases: []result.Phase{
				{Name: "fill", Operation: operation(1 << 30), SyncNanoseconds: 1e9},
				{Name: "overwrite", Operation: operation(2 << 30), Ended: result.EndedByNoSpace},
			},
			Filled: &result.Filled{
				Before: result.PoolSpace{CapacityPercent: 10, FragmentationPercent: -1, UsedBytes: 10, AvailableBytes: 90},
				After:  result.PoolSpace{CapacityPercent: 78, FragmentationPercent: 60 + i, UsedBytes: 80, AvailableBytes: 20},
			},
		})
	}
	return in
}

func TestScenarioGolden(t *testing.T) {
	out := build(t, scenarioInput(t))
	checkMarkdown(t, out.Markdown)
	testfiles.Compare(t, "summary-scenario.md", string(out.Markdown))
	rows, err := csv.NewReader(strings.NewReader(string(out.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cell := func(row []string, column string) string { return row[slices.Index(rows[0], column)] }
	var got []string
	for _, row := range rows[1:] {
		words := []string{cell(row, "workload"), cell(row, "operation")}
		for _, column := range []string{"pool_create_nanoseconds", "dataset_destroy_nanoseconds", "filled_after_percent",
			"filled_before_fragmentation_percent", "filled_after_fragmentation_percent", "during_operation",
			"during_alone_nanoseconds"} {
			words = append(words, cell(row, column))
		}
		got = append(got, strings.Join(words, " "))
	}
	for _, want := range []string{
		"fill fill 200000000 3000000000 80 -1 61  ",
		"fill overwrite 200000000 3000000000 80 -1 61  ",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no line %q among\n%s", want, strings.Join(got, "\n"))
		}
	}
	if i := slices.IndexFunc(got, func(line string) bool {
		return strings.HasSuffix(line, " replace 200000000 3000000000    replace 500000000")
	}); i < 0 {
		t.Errorf("no line of the replacement among\n%s", strings.Join(got, "\n"))
	}
}

func TestScenarioDocument(t *testing.T) {
	in := scenarioInput(t)
	var document model.Report
	if err := json.Unmarshal(build(t, in).JSON, &document); err != nil {
		t.Fatal(err)
	}
	n := len(in.Nodes[0].Trials)
	want := []model.SetUp{{
		Variant: in.Nodes[0].Plan.Variants[0].Name, Node: in.Nodes[0].Name, Trials: n,
		PoolCreateSeconds: 0.1 * float64(n+1) / 2, DatasetDestroySeconds: 3, DatasetDestroyedTrials: n - 1,
	}}
	if diff := cmp.Diff(want, document.SetUps); diff != "" {
		t.Errorf("set-ups (-want +got):\n%s", diff)
	}
	if len(document.FillLevels) != 1 || document.FillLevels[0].After.FilledPercent != 80 ||
		document.FillLevels[0].Before.FragmentationPercent != -1 {
		t.Errorf("fill levels %+v", document.FillLevels)
	}
	for _, m := range document.Results {
		switch {
		case m.Workload == "fill" && m.Seconds != 2, m.Operation == "replace" && m.Seconds != 2, m.Operation == "write" &&
			m.Seconds != 0:
			t.Errorf("%s of %s took %v seconds", m.Operation, m.Workload, m.Seconds)
		case m.Workload == in.Benchmark.Spec.Workloads[0].Name && (!m.Meanwhile || m.DeviceBytesPerByte != 0):
			t.Errorf("what devices did for both is said of one: %+v", m)
		}
	}
}

// How long an operation took is told whatever does it: the kernel trims a filesystem, mdadm checks an array.
func TestSecondsOfBaselines(t *testing.T) {
	for _, tool := range []string{"zpool", "mdadm", "FITRIM"} {
		in := scenarioInput(t)
		in.Benchmark.Spec.Workloads[1].Pool = &v1alpha1.PoolOperation{Trim: &v1alpha1.TrimOperation{}}
		for i := range in.Nodes[0].Trials {
			s := &in.Nodes[0].Trials[i].Samples[len(in.Nodes[0].Trials[i].Samples)-1]
			s.Tool, s.Filled = tool, nil
			s.Phases = []result.Phase{{Name: "trim", Operation: result.Operation{IOs: 1, RuntimeNanoseconds: 2e9, IOPS: 0.5}}}
		}
		found := reportOn(t, in).Results
		i := slices.IndexFunc(found, func(m model.Measurement) bool { return m.Operation == "trim" })
		if i < 0 || found[i].Seconds != 2 {
			t.Errorf("%s: %+v", tool, found)
		}
	}
}
