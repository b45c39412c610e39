// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	reportjson "zfsbench.io/operator/internal/report/json"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
	"zfsbench.io/operator/internal/text/human"
)

func of[T any](v T) *T { return &v }

// capturedTrials are trials of a real node.
func capturedTrials(t testing.TB) []result.Trial {
	t.Helper()
	var out []result.Trial
	for i := range 4 {
		data, err := os.ReadFile(filepath.Join("testdata", "trials", fmt.Sprintf("storage-0-%d.json", i)))
		if err != nil {
			t.Fatal(err)
		}
		var trial result.Trial
		if err := json.Unmarshal(data, &trial); err != nil {
			t.Fatal(err)
		}
		trial.Repetition = i + 1 // The runner that wrote them still counted from 0.
		out = append(out, trial)
	}
	return out
}

// capturedInput is the benchmark that the captured trials belong to.
func capturedInput(t testing.TB) model.Input {
	t.Helper()
	size := resource.MustParse
	at := func(s string) *metav1.Time {
		parsed, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return &metav1.Time{Time: parsed}
	}
	disk := func(n int) v1alpha1.Device {
		return v1alpha1.Device{Name: fmt.Sprintf("d%d", n), Path: fmt.Sprintf("/dev/disk/by-id/virtio-zfsbench-d%d", n)}
	}
	trials := capturedTrials(t)
	in := model.Input{
		Benchmark: v1alpha1.ZfsBenchmark{
			ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "two-mirrors", UID: "7c9e6679-7425-40de-944b-e07fc1f90ae7"},
			Spec: v1alpha1.ZfsBenchmarkSpec{
				Nodes:   v1alpha1.NodesSpec{Names: []string{"storage-0"}},
				Devices: []v1alpha1.Device{disk(0), disk(1), disk(2), disk(3)},
				Pool: &v1alpha1.PoolSpec{Ashift: of(int32(12)), Vdevs: []v1alpha1.Vdev{
					{Type: v1alpha1.VdevMirror, Devices: []string{"d0", "d1"}},
					{Type: v1alpha1.VdevMirror, Devices: []string{"d2", "d3"}},
				}},
				Dataset: &v1alpha1.DatasetSpec{
					Type: v1alpha1.DatasetFilesystem, Properties: v1alpha1.DatasetProperties{"recordsize": "128K",
						"compression": "lz4"},
				},
				Workloads: []v1alpha1.Workload{
					{Name: "seq-write", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k",
						Size: size("64Mi"), NumJobs: 4, IOEngine: "psync"}},
					{Name: "seq-read", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead, BS: "128k",
						Size: size("64Mi"), NumJobs: 4, IOEngine: "psync"}},
					{Name: "mixed", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{
						RW: v1alpha1.FioRandRW, BS: "16k", Size: size("32Mi"), NumJobs: 2, IOEngine: "libaio", IODepth: 8,
						RWMixRead: of(int32(70)),
						Runtime:   &metav1.Duration{Duration: 8 * time.Second}, TimeBased: new(true),
						RampTime: &metav1.Duration{Duration: time.Second},
					}},
				},
				Repetitions: &v1alpha1.RepetitionsSpec{Min: 4},
			},
			Status: v1alpha1.ZfsBenchmarkStatus{StartTime: at("2026-11-20T17:40:31Z"),
				CompletionTime: at("2026-11-20T17:45:10Z")},
		},
		Phase: v1alpha1.PhaseFailed, OperatorVersion: "v0.1.0",
		Nodes: []model.NodeResults{{
			Name: "storage-0", PlanDigest: trials[0].PlanDigest, Planned: 4, Trials: trials,
			Facts: &result.NodeFacts{
				OpenZFSUserland: "2.3.9-0+deb13u1", OpenZFSModule: "2.3.9-0+deb13u1", Kernel: "6.12.107+deb13-cloud-amd64",
				OS: "Debian GNU/Linux 13 (trixie)", CPUModel: "QEMU TCG CPU version 2.5+", CPUs: 2, MemoryBytes: 5041532 << 10,
				ARCMaxBytes: 4088786944,
			},
		}},
	}
	in.Nodes[0].Plan = planOf(t, in.Benchmark, "storage-0")
	return in
}

func build(t testing.TB, in model.Input) Output {
	t.Helper()
	out, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func reportOn(t testing.TB, in model.Input) *model.Report {
	t.Helper()
	r, err := model.Of(in)
	if err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestBuildGolden(t *testing.T) {
	out := build(t, capturedInput(t))
	testfiles.Compare(t, "summary.md", string(out.Markdown))
	testfiles.Compare(t, "results.csv", string(out.CSV))
}

// TestBuildInAnyOrder proves that neither the order of trials nor one that comes twice changes anything, and that the
// input stays as it is.
func TestBuildInAnyOrder(t *testing.T) {
	want := build(t, capturedInput(t))
	in := capturedInput(t)
	trials := in.Nodes[0].Trials
	slices.Reverse(trials)
	in.Nodes[0].Trials = slices.Concat(trials, trials[2:3])
	in.Nodes[0].Trials[0].Node = "somewhere-else"
	got := build(t, in)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if in.Nodes[0].Trials[0].Node != "somewhere-else" || in.Nodes[0].Trials[0].Index != 3 {
		t.Error("the input changed")
	}
}

// TestBuildSummary computes the headline by hand: medians of three repetitions.
func TestBuildSummary(t *testing.T) {
	in := capturedInput(t)
	middle := func(sample int, of func(result.Sample) float64) float64 {
		values := []float64{}
		for _, trial := range in.Nodes[0].Trials[:3] {
			values = append(values, of(trial.Samples[sample]))
		}
		slices.Sort(values)
		return values[1]
	}
	out := build(t, in)
	writeBandwidth := middle(0, func(s result.Sample) float64 { return s.Write.BandwidthBytesPerSecond })
	readBandwidth := middle(1, func(s result.Sample) float64 { return s.Read.BandwidthBytesPerSecond })
	if out.Summary.WriteBandwidth != human.Rate(writeBandwidth) || out.Summary.ReadBandwidth != human.Rate(readBandwidth) {
		t.Errorf("got %+v, want %s and %s", out.Summary, human.Rate(writeBandwidth), human.Rate(readBandwidth))
	}
	mixedIOPS := middle(2, func(s result.Sample) float64 { return s.Read.IOPS })
	i := slices.IndexFunc(out.Results, func(r v1alpha1.ResultStatus) bool {
		return r.Workload == "mixed" && r.Operation == v1alpha1.OperationRead
	})
	got := out.Results[i]
	if got.IOPS != int64(mixedIOPS+0.5) || got.Repetitions != 3 || got.Variant != "default" || got.Node != "storage-0" {
		t.Errorf("got %+v, want %v IOPS", got, mixedIOPS)
	}
	merged := result.MergeHistograms(in.Nodes[0].Trials[0].Samples[2].Read.Latency.Histogram,
		in.Nodes[0].Trials[1].Samples[2].Read.Latency.Histogram,
		in.Nodes[0].Trials[2].Samples[2].Read.Latency.Histogram)
	if want := merged.Percentile(99.9); got.P999LatencyNanoseconds != want {
		t.Errorf("p99.9 %d, want %d", got.P999LatencyNanoseconds, want)
	}
}

func TestBuildOfNothing(t *testing.T) {
	in := capturedInput(t)
	in.Phase = v1alpha1.PhaseFailed
	in.Nodes = []model.NodeResults{{Name: "storage-0", Planned: 4, Failure: &result.Failure{
		Reason: v1alpha1.ReasonDeviceRefused, Message: "Device d0 (/dev/disk/by-id/virtio-zfsbench-d0) has an ext4 " +
			"signature.",
	}}}
	out := build(t, in)
	if diff := cmp.Diff(v1alpha1.Summary{}, out.Summary); diff != "" || len(out.Results) != 0 {
		t.Errorf("%d results, summary (-want +got):\n%s", len(out.Results), diff)
	}
	testfiles.Compare(t, "summary-refused.md", string(out.Markdown))
	if lines := strings.Count(string(out.CSV), "\n"); lines != 1 {
		t.Errorf("%d lines of CSV, want the header alone", lines)
	}
}

// manyInput spreads the captured trials over nodes and variants, with repetitions of each.
func manyInput(t testing.TB, nodes, variants, repetitions int) model.Input {
	in := capturedInput(t)
	captured, p := in.Nodes[0].Trials[:3], in.Nodes[0].Plan
	one := p.Variants[0]
	p.Variants, p.Trials = nil, nil
	for i := range variants {
		one.Name = fmt.Sprintf("variant-%d", i)
		p.Variants = append(p.Variants, one)
	}
	in.Nodes = nil
	for n := range nodes {
		node := model.NodeResults{Name: fmt.Sprintf("storage-%d", n), Plan: p, PlanDigest: captured[0].PlanDigest,
			Planned: variants * repetitions}
		node.Plan.Node.Name = node.Name
		for i := range variants * repetitions {
			planned := plan.Trial{Index: i, Repetition: i/variants + 1, Variant: p.Variants[i%variants].Name}
			trial := captured[i%3]
			trial.Index, trial.Repetition, trial.Variant = planned.Index, planned.Repetition, planned.Variant
			node.Trials, node.Plan.Trials = append(node.Trials, trial), append(node.Plan.Trials, planned)
		}
		in.Nodes = append(in.Nodes, node)
	}
	return in
}

func TestBuildBoundsTheStatus(t *testing.T) {
	out := build(t, manyInput(t, 3, 10, 1))
	if len(out.Results) != MaxStatusResults {
		t.Errorf("%d results, want %d", len(out.Results), MaxStatusResults)
	}
	text := string(out.Markdown)
	for _, want := range []string{"Variant", "Node", "variant-9", "storage-2"} {
		if !strings.Contains(text, want) {
			t.Errorf("summary.md lacks %s", want)
		}
	}
}

func TestCSVIsReadable(t *testing.T) {
	in := capturedInput(t)
	in.Nodes[0].Trials[0].Samples[0].Pool.Health = `=HYPERLINK("x")`
	in.Nodes[0].Trials[0].Samples[1].Pool.Health = "a,\"b\"\nc"
	records, err := csv.NewReader(strings.NewReader(string(build(t, in).CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 1+3*4 {
		t.Errorf("%d records, want 13", len(records))
	}
	health := slices.Index(records[0], "pool_health")
	if got := records[1][health]; got != `'=HYPERLINK("x")` {
		t.Errorf("got %q", got)
	}
	if got := records[2][health]; got != "a,\"b\"\nc" {
		t.Errorf("got %q", got)
	}
}

func TestJSONDocument(t *testing.T) {
	in := capturedInput(t)
	var document model.Report
	if err := json.Unmarshal(build(t, in).JSON, &document); err != nil {
		t.Fatal(err)
	}
	if document.Version != model.Version || document.Benchmark.Name != "two-mirrors" || document.Omitted != nil ||
		len(document.Results) != 4 {
		t.Errorf("got %+v", document.Benchmark)
	}
	if diff := cmp.Diff(in.Nodes[0].Trials, document.Nodes[0].Trials); diff != "" {
		t.Errorf("trials (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(in.Benchmark.Spec, document.Spec,
		cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// TestJSONDocumentLeavesOutWhatDoesNotFit holds what is left at which size, down to a size at which nothing fits.
func TestJSONDocumentLeavesOutWhatDoesNotFit(t *testing.T) {
	r := reportOn(t, capturedInput(t))
	names := []string{
		"histograms finer than 4 bits", "latencies of vdevs", "histograms finer than 2 bits", "histograms",
		"properties of pools and datasets", "job files and arguments", "trials", "work",
	}
	tests := map[int][]string{1 << 20: nil, 85_000: names[:1], 70_000: names[:3], 65_000: names[:4], 21_000: names[:5],
		18_000: names[:6], 6_500: names[:7], 1: names}
	for limit, want := range tests {
		data, err := reportjson.Write(r, limit)
		if err != nil {
			t.Fatal(err)
		}
		var document model.Report
		if err := json.Unmarshal(data, &document); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, document.Omitted); diff != "" || limit > 1 && len(data) > limit {
			t.Errorf("%d bytes within %d (-want +got):\n%s", len(data), limit, diff)
		}
		if len(document.Results) != 4 {
			t.Errorf("%d results within %d bytes", len(document.Results), limit)
		}
	}
	if diff := cmp.Diff(capturedInput(t).Nodes[0].Trials, r.Nodes[0].Trials); diff != "" {
		t.Errorf("the report changed:\n%s", diff)
	}
}

// sampleInput is config/samples/dry-run.yaml on the node of the development cluster, with what the tests of
// internal/runner find there.
func sampleInput(t testing.TB, preflight string) model.Input {
	t.Helper()
	in := capturedInput(t)
	text, err := os.ReadFile("../../config/samples/dry-run.yaml")
	if err != nil {
		t.Fatal(err)
	}
	in.Benchmark.ObjectMeta, in.Benchmark.Spec = metav1.ObjectMeta{UID: in.Benchmark.UID}, v1alpha1.ZfsBenchmarkSpec{}
	if err := yaml.UnmarshalStrict(text, &in.Benchmark); err != nil {
		t.Fatal(err)
	}
	text, err = os.ReadFile(filepath.Join("..", "runner", "testdata", preflight+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var found result.Progress
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	in.Phase = v1alpha1.PhaseComplete
	if found.Failure != nil {
		in.Phase = v1alpha1.PhaseFailed
	}
	in.Benchmark.Status.CompletionTime = &metav1.Time{Time: in.Benchmark.Status.StartTime.Add(9 * time.Second)}
	in.Nodes = []model.NodeResults{{Name: "storage-0", PlanDigest: in.Nodes[0].PlanDigest, Planned: 1, Facts: found.Node,
		Preflight: found.Preflight, Failure: found.Failure}}
	return in
}
