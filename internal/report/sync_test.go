// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/fio"
)

// etcd is the job of the captured report, with etcd's own threshold.
const etcd = `
devices: [{name: d0, path: /dev/disk/by-id/virtio-zfsbench-d0}]
pool: {vdevs: [{type: stripe, devices: [d0]}]}
workloads:
- name: log
  fio: {rw: write, bs: "2300", size: 9420800, numJobs: 2, fdatasync: 1, runtime: 3s, timeBased: true, rampTime: 2s}
thresholds:
- {workload: log, metric: syncLatencyP99, atMost: 10ms}
- {workload: log, metric: syncLatencyP99, atMost: 5ms}
`

// TestSyncInTheDocuments: calls of fdatasync have a line of their own, and a threshold can bound them.
func TestSyncInTheDocuments(t *testing.T) {
	in := phasesInput(t, etcd)
	text, err := os.ReadFile("../tools/fio/testdata/fio-3.33-fdatasync.json")
	if err != nil {
		t.Fatal(err)
	}
	captured, err := fio.ParseOutput(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i := range in.Nodes[0].Trials {
		s := &in.Nodes[0].Trials[i].Samples[0]
		s.Tool, s.Read, s.Write, s.Sync = "fio", nil, captured.Jobs[0].Write, captured.Jobs[0].Sync
		s.DeviceWrittenBytes = s.BytesWritten()
	}
	in.Finished = true
	documents := build(t, in)
	checkMarkdown(t, documents.Markdown)
	rows, err := csv.NewReader(bytes.NewReader(documents.CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	sync := rows[2]
	if column(rows[1], "operation") != "write" || column(sync, "operation") != string(v1alpha1.OperationSync) ||
		column(sync, "ios") != "15535" || column(sync, "bytes") != "0" {
		t.Errorf("line %q", sync)
	}
	for _, want := range []string{"fdatasync every 1", "| log | sync "} {
		if !strings.Contains(strings.Join(strings.Fields(string(documents.Markdown)), " "), want) {
			t.Errorf("%q is not in\n%s", want, documents.Markdown)
		}
	}
	if v := documents.Thresholds; v == nil || v.Met || !strings.Contains(v.Message, "5ms") ||
		strings.Contains(v.Message, "10ms") {
		t.Errorf("thresholds %+v", v)
	}
}
