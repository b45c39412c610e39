// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
)

const testUID = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"

// testPlan has a mirror with a file as its log, a write and a read, and two repetitions.
func testPlan(w *world) plan.Plan {
	size := resource.MustParse("1Mi")
	return plan.Plan{
		Version: plan.Version, Benchmark: plan.Benchmark{Namespace: "default", Name: "b", UID: testUID},
		Node:           plan.Node{Name: "storage-0"},
		TimeoutSeconds: 3600, Scratch: plan.Scratch{Directory: w.scratch, LimitBytes: 1 << 30},
		Devices: []plan.Device{
			{Name: "d0", Path: "/dev/disk/by-id/d0", Serial: "s0", SizeBytes: 1 << 30},
			{Name: "d1", Path: "/dev/disk/by-id/d1", Serial: "s1", SizeBytes: 1 << 30},
			{Name: "f0", FileSizeBytes: 64 << 20},
		},
		Variants: []plan.Variant{{Name: "default", Pool: v1alpha1.PoolSpec{
			Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevMirror, Devices: []string{"d0", "d1"}}},
			Log:   []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"f0"}}},
		}, Dataset: v1alpha1.DatasetSpec{Type: v1alpha1.DatasetFilesystem}}},
		Workloads: []v1alpha1.Workload{
			{Name: "write", Cache: v1alpha1.CacheWarm, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, Size: size}},
			{Name: "read", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead, Size: size}},
		},
		Trials: []plan.Trial{{Index: 0, Variant: "default", Repetition: 1}, {Index: 1, Variant: "default", Repetition: 2}},
	}
}

// compareTranscript compares what was done with testdata/NAME.txt.
func compareTranscript(t *testing.T, w *world, name string) {
	t.Helper()
	testfiles.Compare(t, name+".txt", strings.Join(w.transcript, "\n")+"\n")
}

func TestOrderOfAWholePlan(t *testing.T) {
	w := newWorld(t)
	got, _ := w.execute(t.Context(), testPlan(w))
	if got.Err != nil || got.Progress.State != result.StateComplete || got.Progress.Completed != 2 || !got.Final() {
		t.Fatalf("outcome %+v", got)
	}
	compareTranscript(t, w, "plan")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	for index, trial := range w.trials {
		if len(trial.Samples) != 2 || trial.Failure != nil || trial.Samples[0].CacheState != "Warm" ||
			trial.Samples[1].CacheState != "Cold" {
			t.Errorf("trial %d: %+v", index, trial)
		}
		s := trial.Samples[0]
		if s.Write == nil || s.Write.Bytes == 0 || s.ToolCPUSeconds != 1 || s.JobFile == "" || s.Argv[0] != "fio" ||
			s.Started.IsZero() || s.Pool.Health != "ONLINE" {
			t.Errorf("trial %d, first sample: %+v", index, s)
		}
		others := result.Others{CPUSeconds: 1, StolenCPUSeconds: 2, CapacityCPUSeconds: 10, DiskBytes: 1 << 20}
		if diff := cmp.Diff(&others, s.Others, cmpopts.IgnoreFields(result.Others{}, "ElapsedSeconds")); diff != "" ||
			s.NodeCPUSeconds != 5 {
			t.Errorf("trial %d, others (-want +got):\n%s", index, diff)
		}
	}
	if w.progress.Node == nil || w.progress.Preflight == nil || !w.progress.Preflight.Passed ||
		len(w.progress.Preflight.Devices) != 3 {
		t.Errorf("report %+v", w.progress)
	}
}

func TestOrderOfADryRun(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	p.DryRun = true
	got, _ := w.execute(t.Context(), p)
	if got.Progress.State != result.StateComplete || !got.Progress.Preflight.Passed || !got.Final() {
		t.Errorf("outcome %+v", got)
	}
	compareTranscript(t, w, "dryrun")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestOrderOnAVolume(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	p.Variants[0].Dataset = v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume,
		Volume: &v1alpha1.VolumeSpec{Size: resource.MustParse("16Mi")}}
	p.Trials = p.Trials[:1]
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Errorf("outcome %+v", got)
	}
	compareTranscript(t, w, "volume")
}

func TestOrderOnAVolumesFilesystem(t *testing.T) {
	w := newWorld(t)
	p := volumeFilesystemPlan(w)
	p.Trials = p.Trials[:1]
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Errorf("outcome %+v", got)
	}
	compareTranscript(t, w, "volumefilesystem")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	for _, s := range w.trials[0].Samples {
		if s.Baseline == nil || s.Baseline.Type != "ext4" || s.Baseline.CacheBudgetBytes == 0 || s.Pool.Health == "" {
			t.Errorf("workload %s: pool %+v, filesystem %+v", s.Workload, s.Pool, s.Baseline)
		}
	}
}

// splitPlan has one disk for the data, and one that is split into a log with an ashift of its own, a cache, and a part
// that nothing uses.
func splitPlan(w *world) plan.Plan {
	p := testPlan(w)
	ashift := int32(13)
	p.Devices = p.Devices[:2]
	p.Devices[1].Partitions = []plan.Partition{{Name: "slog", SizeBytes: 64 << 20}, {Name: "l2arc", SizeBytes: 64 << 20},
		{Name: "rest"}}
	p.Variants[0].Pool = v1alpha1.PoolSpec{
		Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"d0"}}},
		Log:   []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"slog"}, Ashift: &ashift}},
		Cache: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"l2arc"}}},
	}
	p.Trials = p.Trials[:1]
	return p
}

func TestOrderOnASplitDisk(t *testing.T) {
	w := newWorld(t)
	if got, _ := w.execute(t.Context(), splitPlan(w)); got.Progress.State != result.StateComplete {
		t.Errorf("outcome %+v", got)
	}
	compareTranscript(t, w, "split")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A runner that is killed while the pool is only partly built, or a disk only partly released, leaves what its
// successor needs.
func TestKilledOnASplitDisk(t *testing.T) {
	for _, call := range []string{"partition d1", "zpool create zfsbench", "zpool add", "release d0", "release d1"} {
		for _, kind := range []fault{diesBefore, diesAfter} {
			w := newWorld(t)
			once := false
			w.fault = func(_ int, line string) fault {
				if once || !strings.HasPrefix(line, call) {
					return fine
				}
				once = true
				return kind
			}
			if _, alive := w.execute(t.Context(), splitPlan(w)); alive {
				t.Fatalf("%s: the runner was not killed", call)
			}
			if got, _ := w.execute(t.Context(), splitPlan(w)); got.Progress.State != result.StateComplete || len(w.left()) != 0 {
				t.Errorf("killed at %s: outcome %+v, left %v", call, got, w.left())
			}
		}
	}
}

func TestWorkloadThatFailsIsAResult(t *testing.T) {
	w := newWorld(t)
	w.fioOutput["rw=write"] = "fio-3.39-write-enospc.json"
	got, _ := w.execute(t.Context(), testPlan(w))
	if got.Progress.State != result.StateFailed || got.Progress.Failed != 2 || !got.Final() {
		t.Fatalf("outcome %+v", got)
	}
	f := got.Progress.Failure
	if f.Reason != v1alpha1.ReasonWorkloadFailed || !strings.Contains(f.Message, "2 of 2 trials failed") ||
		!strings.Contains(f.Message, "no space left") {
		t.Errorf("failure %+v", f)
	}
	if trial := w.trials[1]; trial.Failure == nil || trial.Failure.Tail == "" || len(trial.Samples) != 0 {
		t.Errorf("trial %+v", trial)
	}
	// It fails always: only the first trial is run again.
	if first, second := len(w.trials[0].Excluded), len(w.trials[1].Excluded); first != result.MaxExcluded || second != 0 {
		t.Errorf("%d and %d attempts were excluded", first, second)
	}
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestRefusedDiskEndsTheBenchmark(t *testing.T) {
	tests := map[string]struct {
		arrange func(*world)
		want    int
	}{
		"from the beginning": {func(w *world) { w.refuse["d1"] = errors.New("it holds ext4") }, 0},
		"after a trial": {func(w *world) {
			w.on["sink: trial 0"] = func() {
				w.refuse["d1"] = errors.New("it holds " +
					"ext4")
			}
		}, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			test.arrange(w)
			got, _ := w.execute(t.Context(), testPlan(w))
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonDeviceRefused || !strings.Contains(f.Message, "d1") ||
				!strings.Contains(f.Message, "ext4") || !got.Final() {
				t.Errorf("outcome %+v, failure %+v", got, f)
			}
			if got.Progress.Completed != test.want || len(w.left()) != 0 {
				t.Errorf("%d trials, left %v", got.Progress.Completed, w.left())
			}
		})
	}
}

func TestPoolThatIsSuspended(t *testing.T) {
	w := newWorld(t)
	w.on["fio rw=write"] = func() { w.suspended = true }
	w.fault = func(_ int, call string) fault {
		if call == "fio rw=write" {
			return fails
		}
		return fine
	}
	got, _ := w.execute(t.Context(), testPlan(w))
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message, "reboot") ||
		!strings.Contains(f.Message, "zfsbench-0c7c9a41-0") {
		t.Errorf("failure %+v", f)
	}
	if trial := w.trials[0]; trial.Failure == nil || trial.Failure.Reason != v1alpha1.ReasonPoolSuspended {
		t.Errorf("trial %+v", trial)
	}
	if w.ownership == nil {
		t.Error("nothing says what is left")
	}
	// After the reboot.
	w.suspended, w.fault, w.on = false, nil, map[string]func(){}
	w.pools["zfsbench-0c7c9a41-0"].imported = false
	if got, _ := w.cleanUp(testPlan(w)); got.Progress.State != result.StateCleaned || len(w.left()) != 0 {
		t.Errorf("clean-up: %+v, left %v", got, w.left())
	}
}

// OpenZFS may write for ever to a disk that is gone, and call the pool healthy meanwhile.
func TestDiskThatIsUnplugged(t *testing.T) {
	w := newWorld(t)
	w.on["fio rw=write"] = func() { w.unplugged = true }
	w.fault = func(_ int, call string) fault {
		if call == "fio rw=write" {
			return fails
		}
		return fine
	}
	w.execute(t.Context(), testPlan(w))
	f := w.trials[0].Failure
	if f == nil || f.Reason != v1alpha1.ReasonPoolFailed || !strings.Contains(f.Message, "the node no longer has d0") ||
		!strings.Contains(f.Message, "reboot") {
		t.Errorf("failure %+v", f)
	}
}

// Whatever waits for a disk that is gone, in the making of the pool as in a workload, ends long before its time is up.
func TestNothingWaitsForADiskThatIsUnplugged(t *testing.T) {
	tests := map[string]struct {
		plan   func(*world) plan.Plan
		reason string
	}{
		"zpool create zfsbench": {testPlan, v1alpha1.ReasonPoolFailed},
		"zfs create":            {testPlan, v1alpha1.ReasonPoolFailed},
		"zpool sync":            {testPlan, v1alpha1.ReasonPoolFailed},
		"mke2fs":                {baselinePlan, v1alpha1.ReasonBaselineFailed},
	}
	for call, test := range tests {
		t.Run(call, func(t *testing.T) {
			w := newWorld(t)
			w.hangs = call
			got, _ := w.execute(t.Context(), test.plan(w))
			f := got.Progress.Failure
			if f == nil || f.Reason != test.reason || !strings.Contains(f.Message, "the node no longer has d0") ||
				!strings.Contains(f.Message, "reboot") {
				t.Errorf("failure %+v", f)
			}
		})
	}
}

// A tool that hangs costs its trials, not the benchmark's time.
func TestToolThatHangs(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	w.late = p.Workloads[1].Name
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonWorkloadFailed || !strings.Contains(f.Message, "2 of 2 trials failed") ||
		!strings.Contains(f.Message, "fio had not ended after 1ns") || !got.Final() {
		t.Errorf("failure %+v", f)
	}
	if trial := w.trials[1]; len(trial.Samples) != 1 || len(w.left()) != 0 {
		t.Errorf("%d samples, left %v", len(trial.Samples), w.left())
	}
}

// interrupt is a context that ends, as on SIGTERM, when a call is made.
func interrupt(t *testing.T, w *world, call string) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	t.Cleanup(func() { cancel(nil) })
	w.on[call] = func() { cancel(ErrInterrupted) }
	return ctx
}

func TestInterruptedTrialDoesNotCount(t *testing.T) {
	for _, call := range []string{"partition d0", "zfs create", "fio rw=read", "zpool import -N", "sink: own trial 1"} {
		t.Run(call, func(t *testing.T) {
			w := newWorld(t)
			got, _ := w.execute(interrupt(t, w, call), testPlan(w))
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonInterrupted || got.Final() {
				t.Fatalf("outcome %+v, failure %+v", got, f)
			}
			if left := w.left(); len(left) != 1 || left[0] != "workspace" {
				t.Errorf("left: %v", left)
			}
			delete(w.on, call)
			again, _ := w.execute(t.Context(), testPlan(w))
			if again.Progress.State != result.StateComplete || again.Progress.Completed != 2 || len(w.left()) != 0 {
				t.Errorf("outcome %+v, left %v", again, w.left())
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	p.TimeoutSeconds = 1
	w.clock = begin.AddDate(-10, 0, 0) // the deadline is long past
	got, _ := w.execute(t.Context(), p)
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonTimedOut || !got.Final() || len(w.left()) != 0 {
		t.Errorf("outcome %+v, failure %+v, left %v", got, f, w.left())
	}
}

func TestSuspendAndResume(t *testing.T) {
	w := newWorld(t)
	w.on["sink: trial 0"] = func() { w.suspend = true }
	got, _ := w.execute(t.Context(), testPlan(w))
	if got.Progress.State != result.StateSuspended || got.Progress.Completed != 1 || !got.Final() || w.ownership != nil {
		t.Fatalf("outcome %+v", got)
	}
	w.suspend, w.on = false, map[string]func(){}
	again, _ := w.execute(t.Context(), testPlan(w))
	if again.Progress.State != result.StateComplete || again.Progress.Completed != 2 || len(w.left()) != 0 {
		t.Errorf("outcome %+v, left %v", again, w.left())
	}
	if again.Progress.Started != got.Progress.Started {
		t.Errorf("started %v, then %v", got.Progress.Started, again.Progress.Started)
	}
}

// All trials measure the same, so that the plan ends after the fewest repetitions it allows, also when a runner is
// killed on the way.
func TestEndsWhenItIsCertain(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	p.Trials = nil
	for i := range 5 {
		p.Trials = append(p.Trials, plan.Trial{Index: i, Variant: "default", Repetition: i + 1})
	}
	p.Stopping = &plan.Stopping{MinRepetitions: 3, TargetRelativeError: 0.025}
	if got, _ := w.execute(interrupt(t, w, "sink: trial 1"), p); !got.Interrupted {
		t.Fatalf("outcome %+v", got)
	}
	w.on = map[string]func(){}
	got, _ := w.execute(t.Context(), p)
	if got.Progress.State != result.StateComplete || got.Progress.Completed != 3 || len(w.trials) != 3 ||
		len(w.left()) != 0 {
		t.Errorf("outcome %+v, %d trials, left %v", got, len(w.trials), w.left())
	}
}

func TestReportedPlanIsNotRunAgain(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	first, _ := w.execute(t.Context(), p)
	done := len(w.transcript)
	again, _ := w.execute(t.Context(), p)
	if diff := cmp.Diff(first.Progress, again.Progress); diff != "" || len(w.transcript) != done || len(w.left()) != 0 {
		t.Errorf("did %v, left %v, (-first +again):\n%s", w.transcript[done:], w.left(), diff)
	}
}

// The last trial is done and its pool gone when the runner is told to stop: there is nothing to be done again.
func TestStoppedWhenAllIsDone(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	w.on["sink: trial 1"] = func() { cancel(ErrInterrupted) }
	failed := false
	w.fault = func(_ int, call string) fault {
		if call == "sink: trial 1" && !failed {
			failed = true
			return fails
		}
		return fine
	}
	got, _ := w.execute(ctx, testPlan(w))
	if got.Progress.State != result.StateComplete || !got.Final() || len(w.trials) != 2 || len(w.left()) != 0 {
		t.Errorf("outcome %+v, failure %+v, left %v", got, got.Progress.Failure, w.left())
	}
}

// A runner that is told to stop and cannot tear down says so, and is to be followed by another one.
func TestInterruptedAndNotCleanedUp(t *testing.T) {
	w := newWorld(t)
	ctx := interrupt(t, w, "fio rw=read")
	w.fault = func(_ int, call string) fault {
		if strings.HasPrefix(call, "release") {
			return fails
		}
		return fine
	}
	got, _ := w.execute(ctx, testPlan(w))
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || got.Final() || !got.Interrupted {
		t.Errorf("outcome %+v, failure %+v", got, f)
	}
	w.fault, w.on = nil, map[string]func(){}
	again, _ := w.execute(t.Context(), testPlan(w))
	if again.Progress.State != result.StateComplete || len(w.left()) != 0 {
		t.Errorf("outcome %+v, left %v", again, w.left())
	}
}

// A result that no document can hold is a failure of its trial, not of the benchmark.
func TestResultThatCannotBeEncoded(t *testing.T) {
	w := newWorld(t)
	p := testPlan(w)
	e := w.engine(p)
	e.Node = notANumber{e.Node}
	got, _ := w.work(func() Outcome { return e.Execute(t.Context()) })
	if got.Progress.Failed != 2 || !got.Final() || len(w.left()) != 0 {
		t.Errorf("outcome %+v, left %v", got, w.left())
	}
	if f := w.trials[0].Failure; f == nil || f.Reason != v1alpha1.ReasonRunnerFailed || len(w.trials[0].Samples) != 0 {
		t.Errorf("failure %+v", f)
	}
}

// notANumber is a node whose counters say nothing.
type notANumber struct{ NodeReader }

func (notANumber) CPUSeconds() (float64, error) { return math.NaN(), nil }
