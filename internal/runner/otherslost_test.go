// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/journal"
	"zfsbench.io/operator/internal/storage/blockdev"
)

// nextRunner has a runner of the next benchmark, with these disks, look for what is left, and returns what it reports.
func (w *world) nextRunner(disks ...plan.Device) ([]string, error) {
	w.t.Helper()
	w.ownership, w.fault, w.sinkLost, w.transcript = nil, nil, true, nil
	_ = os.Remove(filepath.Join(w.scratch, "lock")) // it went with the process
	p := nextPlan(w)
	p.Devices = disks
	e := w.engine(p)
	e.OwnsNode = true
	unlock, err := e.begin(w.t.Context(), e.timings.teardownTimeout)
	if err != nil {
		w.t.Fatal(err)
	}
	defer unlock()
	err = e.clearOthers(w.t.Context())
	return e.gone, err
}

// otherDisk is one that the benchmark before did not use.
func otherDisk() plan.Device {
	return plan.Device{Name: "a", Path: "/dev/disk/by-id/d5", Serial: "s5", SizeBytes: 1 << 30}
}

// TestNextRunnerLetsARepurposedDiskGo: a disk that is somebody else's by now is left alone, and the rest goes.
func TestNextRunnerLetsARepurposedDiskGo(t *testing.T) {
	w := crashedWorld(t, blockdev.Repurposed)
	gone, err := w.nextRunner(otherDisk())
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Join(gone, "\n")
	if len(gone) != 1 || !strings.Contains(told, "device d0 of benchmark "+testUID) ||
		!strings.Contains(told, "it has left") {
		t.Errorf("it reports %q", gone)
	}
	w.wantOthersReleased(t)
}

// TestMissingDiskBlocksOnlyItsOwn: a disk that is away, of a benchmark that no longer exists, keeps nobody off the node
// who needs none of that benchmark's disks. Its record stays.
func TestMissingDiskBlocksOnlyItsOwn(t *testing.T) {
	tests := map[string]struct {
		disk plan.Device
		want string
	}{
		"other disks":           {disk: otherDisk()},
		"a file":                {disk: plan.Device{Name: "f0", FileSizeBytes: 1 << 20}},
		"its serial number":     {plan.Device{Name: "a", Path: "/dev/disk/by-id/d5", Serial: "s0"}, "device a "},
		"its path":              {plan.Device{Name: "a", Path: goneDisk, Serial: "s5"}, "device a "},
		"a disk of its pool":    {plan.Device{Name: "a", Path: "/dev/disk/by-id/d5", Serial: "s1"}, "device a "},
		"nobody knows a serial": {disk: plan.Device{Name: "a", Path: "/dev/disk/by-id/d5"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := crashedWorld(t, blockdev.Missing)
			before := w.left()
			gone, err := w.nextRunner(tt.disk)
			if len(w.transcript) > 0 {
				t.Errorf("it did\n%s", strings.Join(w.transcript, "\n"))
			}
			if tt.want == "" {
				told := strings.Join(gone, "\n")
				record := filepath.Join(w.scratch, testUID)
				if err != nil || !strings.Contains(told, "serial number s0") || !strings.Contains(told, record) {
					t.Errorf("error %v, it reports %q", err, told)
				}
			} else {
				wantAdvice(t, err, tt.want)
			}
			before = slices.DeleteFunc(before, func(left string) bool { return left == "ownership at the sink" })
			if left := w.left(); !slices.Equal(before, left) {
				t.Errorf("before there was %v, now %v", before, left)
			}
		})
	}
}

// wantAdvice wants an error that says what is wrong with which device, and what can be done.
func wantAdvice(t *testing.T, err error, device string) {
	t.Helper()
	if err == nil {
		t.Fatal("it goes on")
	}
	annotation := "annotation " + v1alpha1.AnnotationForgetDevices + "=s0"
	for _, want := range []string{device, "serial number s0", testUID, annotation} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
	if strings.Contains(err.Error(), "annotate zfsbenchmark") {
		t.Errorf("error %q: nobody can annotate a benchmark that is gone", err)
	}
}

// TestWorldWideNameOfAMissingDisk: two paths of one disk bear the same number.
func TestWorldWideNameOfAMissingDisk(t *testing.T) {
	w := newWorld(t)
	const recorded, other = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4", "/dev/disk/by-id/scsi-35000c500a1b2c3d4"
	own := crashedWorld(t, blockdev.Missing).journalOf(t)
	own.Devices[0].Path = recorded
	p := nextPlan(w)
	p.Devices = []plan.Device{{Name: "a", Path: other, Serial: "another way to say it"}}
	if got := w.engine(p).usesDiskOf(*own); got != "a" {
		t.Errorf("it uses %q of them", got)
	}
}

// TestForgottenDiskOfAnotherBenchmark: what an administrator gives up with the next benchmark is no longer waited for.
func TestForgottenDiskOfAnotherBenchmark(t *testing.T) {
	w := crashedWorld(t, blockdev.Missing)
	w.forgotten = []string{"s0"}
	gone, err := w.nextRunner(plan.Device{Name: "a", Path: "/dev/disk/by-id/d1", Serial: "s1"})
	if err != nil || len(gone) != 1 {
		t.Errorf("error %v, it reports %q", err, gone)
	}
	w.wantOthersReleased(t)
}

// TestMissingDiskAndModuleParameters: the parameters are the node's, and go back once, whatever is away.
func TestMissingDiskAndModuleParameters(t *testing.T) {
	w := newWorld(t)
	w.fault = func(_ int, call string) fault {
		if strings.HasPrefix(call, "fio rw=write") {
			return diesBefore
		}
		return fine
	}
	if _, alive := w.execute(t.Context(), withParameters(w, testPlan(w))); alive {
		t.Fatal("the runner was not killed")
	}
	w.whereabouts = map[string]blockdev.DiskState{goneDisk: blockdev.Missing}
	if len(w.kernel.changed()) == 0 {
		t.Fatal("no parameter was set")
	}
	if _, err := w.nextRunner(otherDisk()); err != nil {
		t.Fatal(err)
	}
	if changed := w.kernel.changed(); len(changed) > 0 {
		t.Errorf("still set: %v", changed)
	}
	if own := w.journalOf(t); own == nil || len(own.ModuleParameters) > 0 {
		t.Errorf("recorded is %+v", own)
	}
}

// journalOf is what the journal of the first benchmark says it owns.
func (w *world) journalOf(t *testing.T) *result.Ownership {
	t.Helper()
	j, err := journal.Open(filepath.Join(w.scratch, testUID, "journal"), "", begin)
	if err != nil {
		t.Fatal(err)
	}
	return j.Owned()
}
