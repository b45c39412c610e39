// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

// warming is an L2ARC that warms up: each pass is a fifth faster than the one before.
const warming = `
devices: [{name: d0, path: /dev/disk/by-id/virtio-zfsbench-d0}]
pool: {vdevs: [{type: stripe, devices: [d0]}]}
workloads:
- {name: rand-read, fio: {rw: randread, bs: recordsize, relativeSize: 2xARC, numJobs: 2, passes: 4}}
- name: steady
  fio:
    {rw: randwrite, size: 64Mi, timeBased: true, runtime: 60s, steadyState: {rounds: 8},
     bsSplit: [{bs: 4k, percent: 60}, {bs: 64k, percent: 40}]}
`

// passesInput has of each trial a sample for every pass, and one that was steady but in the last trial.
func passesInput(t testing.TB, spec string) model.Input {
	t.Helper()
	in := phasesInput(t, spec)
	trials := in.Nodes[0].Trials
	for i := range trials {
		first, steady := trials[i].Samples[0], trials[i].Samples[1]
		faster := 1 + float64(i%3)/100
		if trials[i].Variant == "atime=off" {
			faster *= 1.2
		}
		operation := func(bytesPerSecond float64) *result.Operation {
			bytes := int64(bytesPerSecond * 10)
			return &result.Operation{Bytes: bytes, IOs: bytes >> 17, RuntimeNanoseconds: 10e9,
				BandwidthBytesPerSecond: bytesPerSecond, IOPS: bytesPerSecond / (1 << 17)}
		}
		trials[i].Samples = nil
		rate := 100e6 * faster
		for pass := range 4 {
			s := first
			s.Tool, s.ToolVersion, s.Phases, s.Pass, s.Read, s.CacheState = "fio", "fio-3.39", nil, pass+1, operation(rate),
				"Warm"
			if pass == 0 {
				s.CacheState = "Cold"
			}
			s.DeviceReadBytes, s.SizeBytes = s.Read.Bytes/int64(pass+1), 4088397824
			trials[i].Samples, rate = append(trials[i].Samples, s), rate*1.2
		}
		iops := []float64{50, 90, 100, 101, 99, 100}
		if i == len(trials)-1 {
			iops = []float64{50, 90, 100, 101, 99, 100, 150, 100}
		}
		state := result.SteadyStateOf(iops, 5)
		steady.Tool, steady.ToolVersion, steady.Phases, steady.Write, steady.Steady = "fio", "fio-3.39", nil,
			operation(20e6*faster), &state
		steady.DeviceWrittenBytes = steady.Write.Bytes
		trials[i].Samples = append(trials[i].Samples, steady)
	}
	return in
}

func TestPassesGolden(t *testing.T) {
	for name, spec := range map[string]string{"summary-passes.md": warming, "summary-passes-varied.md": warming + varied} {
		page := build(t, passesInput(t, spec)).Markdown
		checkMarkdown(t, page)
		testfiles.Compare(t, name, string(page))
	}
}

// Each pass has a line of its own with its number, and results of its own; only the first and the last one are
// compared.
func TestPassesInTheDocuments(t *testing.T) {
	out := build(t, passesInput(t, warming+varied))
	rows, err := csv.NewReader(bytes.NewReader(out.CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range rows[1:6] {
		line := ""
		for _, name := range []string{"operation", "pass", "cache", "steady", "steady_rounds"} {
			line += row[slices.Index(rows[0], name)] + " "
		}
		got = append(got, line)
	}
	want := []string{"pass1Read 1 Cold   ", "pass2Read 2 Warm   ", "pass3Read 3 Warm   ", "pass4Read 4 Warm   ",
		"write  Cold true 6 "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	var document model.Report
	if err := json.Unmarshal(out.JSON, &document); err != nil {
		t.Fatal(err)
	}
	var compared, work []string
	for _, c := range document.Comparisons {
		compared = append(compared, string(c.Operation))
	}
	for _, w := range document.Work {
		if w.Variant == "atime=on" {
			work = append(work, w.Workload+" "+string(rune('0'+w.Pass)))
		}
	}
	if diff := cmp.Diff([]string{"pass1Read", "pass4Read", "write"}, compared); diff != "" {
		t.Errorf("compared (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"rand-read 1", "rand-read 2", "rand-read 3", "rand-read 4", "steady 0"},
		work); diff != "" {
		t.Errorf("work (-want +got):\n%s", diff)
	}
	document.Finished = true
	if headline := summaryOf(&document).ReadBandwidth; len(document.Results) != 10 || headline == "" {
		t.Errorf("%d results, headline %q", len(document.Results), headline)
	}
}
