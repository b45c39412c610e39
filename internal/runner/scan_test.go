// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// scannedPlan wants the disk to be read as a whole.
func scannedPlan(w *world) plan.Plan {
	p := testPlan(w)
	for i := range p.Devices {
		p.Devices[i].FullScan = p.Devices[i].Path != ""
	}
	return p
}

// TestScanBeforeUse: a disk is read as a whole once, before anything is recorded or written.
func TestScanBeforeUse(t *testing.T) {
	w := newWorld(t)
	got, _ := w.execute(t.Context(), scannedPlan(w))
	if got.Progress.State != result.StateComplete || got.Progress.Scan != nil {
		t.Fatalf("outcome %+v", got)
	}
	first := func(prefix string) int {
		return slices.IndexFunc(w.transcript, func(line string) bool { return strings.HasPrefix(line, prefix) })
	}
	if scanned, used := first("scan d0"), first("partition"); scanned < 0 || used < scanned {
		t.Errorf("scanned at %d, used at %d:\n%s", scanned, used, strings.Join(w.transcript, "\n"))
	}
}

// TestScanRefusal is a refusal of the preflight like any other.
func TestScanRefusal(t *testing.T) {
	w := newWorld(t)
	w.refuse["scan d0"] = errors.New("it is not blank: data at byte 314572800")
	got, _ := w.execute(t.Context(), scannedPlan(w))
	failure := got.Progress.Failure
	if failure == nil || failure.Reason != v1alpha1.ReasonDeviceRefused ||
		!strings.Contains(failure.Message, "data at byte 314572800") {
		t.Errorf("failure %+v", failure)
	}
	refused := got.Progress.Preflight.Refused()
	if len(refused) != 1 || refused[0].Name != "d0" || refused[0].Step != "content" || got.Progress.Preflight.Passed {
		t.Errorf("preflight %+v", got.Progress.Preflight)
	}
	if left := w.left(); len(left) > 0 || slices.ContainsFunc(w.transcript,
		func(l string) bool { return strings.HasPrefix(l, "partition") }) {
		t.Errorf("left %v after\n%s", left, strings.Join(w.transcript, "\n"))
	}
}

// TestScanSuspended ends a scan that could take hours at once, and the next runner begins again.
func TestScanSuspended(t *testing.T) {
	w := newWorld(t)
	w.suspend = true
	got, _ := w.execute(t.Context(), scannedPlan(w))
	if got.Progress.State != result.StateSuspended || !got.Final() {
		t.Fatalf("outcome %+v", got)
	}
	w.suspend = false
	if got, _ = w.execute(t.Context(), scannedPlan(w)); got.Progress.State != result.StateComplete {
		t.Errorf("outcome %+v", got)
	}
}

func TestScanProgress(t *testing.T) {
	for name, test := range map[string]struct {
		scan result.ScanProgress
		want int
	}{
		"nothing":  {result.ScanProgress{Devices: 1}, 0},
		"half":     {result.ScanProgress{Devices: 2, ReadBytes: 5 << 40, TotalBytes: 10 << 40}, 50},
		"all":      {result.ScanProgress{Devices: 2, ReadBytes: 7, TotalBytes: 7}, 100},
		"a little": {result.ScanProgress{Devices: 2, ReadBytes: 1, TotalBytes: 1 << 40}, 0},
	} {
		if got := test.scan.Percent(); got != test.want {
			t.Errorf("%s: %d percent, want %d", name, got, test.want)
		}
	}
}
