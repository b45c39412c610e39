// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

// What the node did for others is in every line of its sample, and empty where it is not known.
func TestOthersInCSV(t *testing.T) {
	in := capturedInput(t)
	in.Nodes[0].Trials[0].Samples[0].Others = &result.Others{ElapsedSeconds: 10.5, CPUSeconds: 3,
		StolenCPUSeconds: 0.25, CapacityCPUSeconds: 21, DiskBytes: 4096}
	lines, err := csv.NewReader(bytes.NewReader(build(t, in).CSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	first := slices.Index(lines[0], "others_seconds")
	if first < 0 {
		t.Fatalf("no column others_seconds in %q", lines[0])
	}
	var got [][]string
	for _, line := range lines[:3] {
		got = append(got, line[first:first+5])
	}
	want := [][]string{
		{"others_seconds", "others_cpu_seconds", "others_stolen_cpu_seconds", "others_capacity_cpu_seconds",
			"others_disk_bytes"},
		{"10.5", "3", "0.25", "21", "4096"},
		{"", "", "", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
