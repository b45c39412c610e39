// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
	"zfsbench.io/operator/internal/tools/bonnie"
	"zfsbench.io/operator/internal/tools/builtin"
)

// classics are workloads that do several things one after the other.
const classics = `
devices: [{name: d0, path: /dev/disk/by-id/virtio-zfsbench-d0}]
pool: {vdevs: [{type: stripe, devices: [d0]}]}
workloads:
- {name: classic, bonnie: {size: 3Gi, fast: true, files: {count: 48, maxSize: 4096, directories: 10}}}
- {name: files, tree: {workers: 2}}
`

const varied = `
matrix: {axes: [{name: atime, property: atime, propertyValues: ["on", "off"]}]}
comparison: {reference: atime=on}
repetitions: {min: 6, seed: 1}
`

// capturedPhases are samples of the real tools.
func capturedPhases(t testing.TB) map[string]result.Sample {
	t.Helper()
	csv, err := os.ReadFile("../tools/bonnie/testdata/bonnie-2.00a-full.csv")
	if err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile("../tools/tree/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	classic, err := bonnie.Parse(bytes.NewReader(csv))
	if err != nil {
		t.Fatal(err)
	}
	files, err := builtin.Parse("tree", bytes.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]result.Sample{"classic": classic, "files": files}
}

// phasesInput is what such a benchmark comes to; without atime everything is a fifth faster.
func phasesInput(t testing.TB, spec string) model.Input {
	t.Helper()
	in := capturedInput(t)
	pool := in.Nodes[0].Trials[0].Samples[0].Pool
	facts := in.Nodes[0].Facts
	in.Benchmark.Name, in.Benchmark.Spec, in.Phase, in.Nodes = "classics", v1alpha1.ZfsBenchmarkSpec{},
		v1alpha1.PhaseComplete, nil
	if err := yaml.UnmarshalStrict([]byte(spec), &in.Benchmark.Spec); err != nil {
		t.Fatal(err)
	}
	in.Benchmark.Spec.Nodes.Names = []string{"storage-0"}
	in.Benchmark.Status.CompletionTime = &metav1.Time{Time: in.Benchmark.Status.StartTime.Add(time.Hour)}
	p := planOf(t, in.Benchmark, "storage-0")
	node := model.NodeResults{Name: "storage-0", Plan: p, PlanDigest: plan.Digest(p), Facts: facts, Planned: len(p.Trials)}
	random := rand.New(rand.NewPCG(3, 3))
	captured := capturedPhases(t)
	for _, planned := range p.Trials {
		trial := result.Trial{
			Version: result.Version, PlanDigest: node.PlanDigest, Index: planned.Index, Variant: planned.Variant,
			Repetition: planned.Repetition, Node: node.Name,
			Started: in.Benchmark.Status.StartTime.UTC(), Finished: in.Benchmark.Status.StartTime.Add(time.Minute).UTC(),
		}
		for _, w := range p.Workloads {
			s := captured[w.Name]
			s.Workload, s.CacheState, s.Pool, s.NodeCPUSeconds = w.Name, "Cold", pool, 10
			s.Started, s.DeviceReadBytes, s.DeviceWrittenBytes = trial.Started, s.BytesRead(), s.BytesWritten()
			s.Phases = slices.Clone(s.Phases)
			for i := range s.Phases {
				speed := math.Exp(0.01 * random.NormFloat64())
				if strings.HasSuffix(planned.Variant, "off") {
					speed *= 1.2
				}
				p := &s.Phases[i]
				p.BandwidthBytesPerSecond, p.IOPS, p.RuntimeNanoseconds = p.BandwidthBytesPerSecond*speed, p.IOPS*speed,
					int64(float64(p.RuntimeNanoseconds)/speed)
			}
			trial.Samples = append(trial.Samples, s)
		}
		node.Trials = append(node.Trials, trial)
	}
	in.Nodes = []model.NodeResults{node}
	return in
}

func TestPhasesGolden(t *testing.T) {
	for name, spec := range map[string]string{"summary-phases.md": classics,
		"summary-phases-varied.md": classics + varied} {
		t.Run(name, func(t *testing.T) {
			page := build(t, phasesInput(t, spec)).Markdown
			checkMarkdown(t, page)
			testfiles.Compare(t, name, string(page))
		})
	}
}

// Each operation has a line of its own, those without bytes have a rate all the same, and what was too fast has none.
func TestPhasesInTheDocuments(t *testing.T) {
	documents := build(t, phasesInput(t, classics+varied))
	rows, err := csv.NewReader(bytes.NewReader(documents.CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(name string) int { return slices.Index(rows[0], name) }
	seen := map[string]int{}
	for _, row := range rows[1:] {
		seen[row[column("workload")]+" "+row[column("operation")]]++
		if row[column("workload")] == "files" && (row[column("sync_nanoseconds")] == "0" || row[column("iops")] == "0") {
			t.Errorf("line %q", row)
		}
	}
	if seen["classic randomDelete"] != 0 || seen["classic seek"] != 18 || seen["files delete"] != 18 {
		t.Errorf("lines by operation: %v", seen)
	}
	var document model.Report
	if err := json.Unmarshal(documents.JSON, &document); err != nil {
		t.Fatal(err)
	}
	compared := map[string]string{}
	for _, c := range document.Comparisons {
		compared[c.Workload+" "+string(c.Operation)] = string(c.Verdict)
	}
	for _, want := range []string{"classic write", "classic seek", "files create", "files stat", "files read"} {
		if compared[want] != "Better" {
			t.Errorf("%s is %q", want, compared[want])
		}
	}
}

// A phase that did not do all that was asked says so.
func TestOddPhases(t *testing.T) {
	in := phasesInput(t, classics)
	phases := in.Nodes[0].Trials[0].Samples[1].Phases
	phases[0].Ended, phases[1].Ended = result.EndedByNoSpace, result.EndedByTime
	page := string(build(t, in).Markdown)
	for _, want := range []string{
		"- classic, randomDelete: over too fast to be measured in 1 trial.",
		"- files, create: ended when there was no space left in 1 trial.",
		"- files, stat: ended when its time was over in 1 trial.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no line %q", want)
		}
	}
}
