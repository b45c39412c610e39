// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
	"zfsbench.io/operator/internal/tools/fio"
)

// clients are the jobs of the captured report.
const clients = `
devices: [{name: d0, path: /dev/disk/by-id/virtio-zfsbench-d0}]
pool: {vdevs: [{type: stripe, devices: [d0]}]}
workloads:
- name: clients
  fio:
    rw: write
    bs: 128k
    size: 16Mi
    jobs:
    - {name: backup, rate: 4Mi}
    - {name: client, startDelay: 1s, rw: randrw, bs: 16k, numJobs: 3, size: 2Mi, rateIOPS: 50}
    - {name: reader, startDelay: 2s, rw: read, numJobs: 2, size: 4Mi}
`

func capturedJobs(t testing.TB, w v1alpha1.FioWorkload) result.Sample {
	t.Helper()
	text, err := os.ReadFile("../tools/fio/testdata/fio-3.39-clients.json")
	if err != nil {
		t.Fatal(err)
	}
	report, err := fio.ParseOutput(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := report.Sample(w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func jobsInput(t testing.TB, spec string) model.Input {
	t.Helper()
	in := phasesInput(t, spec)
	for i := range in.Nodes[0].Trials {
		s := &in.Nodes[0].Trials[i].Samples[0]
		captured := capturedJobs(t, *in.Nodes[0].Plan.Workloads[0].Fio)
		s.Tool, s.ToolVersion, s.Read, s.Write, s.Jobs = captured.Tool, captured.ToolVersion, captured.Read,
			captured.Write, captured.Jobs
		s.DeviceReadBytes, s.DeviceWrittenBytes = s.BytesRead(), s.BytesWritten()
	}
	return in
}

func TestJobsGolden(t *testing.T) {
	page := build(t, jobsInput(t, clients)).Markdown
	checkMarkdown(t, page)
	testfiles.Compare(t, "summary-jobs.md", string(page))
}

// Each job's operations have a line of their own after those of all, and are compared.
func TestJobsInTheDocuments(t *testing.T) {
	documents := build(t, jobsInput(t, clients+varied))
	rows, err := csv.NewReader(bytes.NewReader(documents.CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(rows[0], "operation")
	var operations []string
	for _, row := range rows[1:7] {
		operations = append(operations, row[column])
	}
	want := []string{"read", "write", "backupWrite", "clientRead", "clientWrite", "readerRead"}
	if diff := cmp.Diff(want, operations); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	var document model.Report
	if err := json.Unmarshal(documents.JSON, &document); err != nil {
		t.Fatal(err)
	}
	var compared []string
	for _, c := range document.Comparisons {
		compared = append(compared, string(c.Operation))
	}
	if diff := cmp.Diff(want, compared); diff != "" {
		t.Errorf("comparisons (-want +got):\n%s", diff)
	}
	if jobs := document.Nodes[0].Trials[0].Samples[0].Jobs; len(jobs) != 3 || jobs[0].Name != "backup" {
		t.Errorf("jobs %+v", jobs)
	}
}
