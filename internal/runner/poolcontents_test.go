// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// contentsPlan has the mirror of scenarioPlan, and does with it all that puts something into a pool.
func contentsPlan(w *world) plan.Plan {
	p := scenarioPlan(w)
	p.Variants[0].Dataset.Properties = v1alpha1.DatasetProperties{"compression": "lz4", "recordsize": "16K"}
	p.Workloads = []v1alpha1.Workload{
		{Name: "half", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 50,
			Method: v1alpha1.FillSequential}}},
		{Name: "backup", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{}}},
		{Name: "full", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 80,
			Method: v1alpha1.FillRandomOverwrites}}},
		{Name: "again", Cache: v1alpha1.CacheWarm,
			Pool: &v1alpha1.PoolOperation{Send: &v1alpha1.SendOperation{Since: "backup"}}},
		{Name: "clones", Cache: v1alpha1.CacheWarm, Pool: &v1alpha1.PoolOperation{Clone: &v1alpha1.CloneOperation{Count: 2}}},
		{
			Name: "read", Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRead,
				Size: resource.MustParse("1Mi")},
			During: &v1alpha1.DuringOperation{Replace: &v1alpha1.ReplaceOperation{Device: "f1", With: "f2"}},
		},
	}
	return p
}

func TestOrderOfContents(t *testing.T) {
	w := newWorld(t)
	w.goesOn = true
	if got, _ := w.execute(t.Context(), contentsPlan(w)); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	compareTranscript(t, w, "contents")
	if left := w.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	trial := w.trials[0]
	var operations []string
	for _, s := range trial.Samples {
		for _, o := range s.Operations() {
			if o.RuntimeNanoseconds <= 0 || o.Rate() <= 0 {
				t.Errorf("%s: %+v", s.Workload, o)
			}
			operations = append(operations, s.Workload+": "+o.Name)
		}
	}
	want := []string{"half: fill", "backup: send", "full: fill", "full: overwrite", "again: send", "clones: clone",
		"read: read", "read: replace"}
	if diff := cmp.Diff(want, operations); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	half, full := trial.Samples[0], trial.Samples[2]
	if f := half.Filled; f == nil || f.Before.FilledPercent() != 0 || f.After.FilledPercent() < 49.5 ||
		f.After.FilledPercent() > 50.5 || half.Tool != "fill" || half.ToolVersion != "fill-v1" {
		t.Errorf("sample %+v, filled %+v", half, half.Filled)
	}
	if f := full.Filled; f == nil || f.After.FilledPercent() < 79.5 || f.After.FilledPercent() > 80.5 {
		t.Errorf("filled %+v", full.Filled)
	}
	// All files are overwritten, also those that the workload before wrote; the fake's files take twice their size.
	if written, over := half.Phases[0].Bytes+full.Phases[0].Bytes,
		full.Phases[1].Bytes; over < written-100 || over > written || full.Phases[1].SyncNanoseconds <= 0 {
		t.Errorf("%d bytes overwritten of %d: %+v", over, written, full.Phases)
	}
	if d := trial.Samples[5].During; d == nil || !d.Interrupted || d.AloneNanoseconds != 0 || d.Bytes != 2<<20 ||
		len(d.Argv) == 0 {
		t.Errorf("during %+v", d)
	}
	if trial.Times.PoolCreate <= 0 || trial.Times.DatasetDestroy != 0 {
		t.Errorf("times %+v: a dataset with snapshots is not destroyed", trial.Times)
	}
	if _, err := result.EncodeTrialWithin(trial, 1<<20); err != nil {
		t.Errorf("the result is refused: %v", err)
	}
}

// A tool that ends before what is done with the pool leaves that alone; the sample says for how long.
func TestToolThatEndsBeforeTheOperation(t *testing.T) {
	w := newWorld(t)
	p := contentsPlan(w)
	p.Workloads = p.Workloads[5:]
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	if d := w.trials[0].Samples[0].During; d == nil || d.Interrupted == (d.AloneNanoseconds > 0) {
		t.Errorf("during %+v", d)
	}
	if took := w.trials[0].Times; took.PoolCreate <= 0 || took.DatasetDestroy <= 0 {
		t.Errorf("times %+v", took)
	}
}

// A pool that is full before the level is reached ends the filling, not the trial.
func TestFillWithoutSpace(t *testing.T) {
	w := newWorld(t)
	w.capacityBytes = usableBytes / 100 * 40
	p := contentsPlan(w)
	p.Workloads = p.Workloads[:1]
	if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
	}
	s := w.trials[0].Samples[0]
	if s.Phases[0].Ended != result.EndedByNoSpace || s.Filled.After.FilledPercent() > 40 {
		t.Errorf("phases %+v, filled %+v", s.Phases, s.Filled)
	}
}

// What does not work makes the trial fail with the reason, and leaves nothing.
func TestContentsThatFail(t *testing.T) {
	tests := map[string]struct {
		arrange func(*world)
		first   int
		want    string
	}{
		"a pool that is full already": {func(w *world) { w.usedBytes = usableBytes / 10 * 9 }, 0, "taken already"},
		"a pool without any space": {func(w *world) { w.usedBytes, w.capacityBytes = 100, 100 }, 0,
			"no space is left: nothing could be written"},
		"an operation that fails meanwhile": {func(w *world) { w.goesOn = true; w.fault = onName("zpool replace", fails) },
			5, errFault.Error()},
		"a tool that fails meanwhile": {func(w *world) { w.fault = onName("fio rw=read", fails) }, 5,
			errFault.Error()},
		"a send that fails": {func(w *world) { w.fault = onName("zfs send", failsAfter) }, 1,
			errFault.Error()},
		"a clone that fails": {func(w *world) { w.fault = onName("zfs clone", fails) }, 4,
			errFault.Error()},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tt.arrange(w)
			p := contentsPlan(w)
			p.Workloads = p.Workloads[tt.first:]
			got, _ := w.execute(t.Context(), p)
			if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonWorkloadFailed ||
				!strings.Contains(f.Message, tt.want) {
				t.Errorf("failure %+v", f)
			}
			if left := w.left(); len(left) != 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// onName is a fault of all calls that begin so.
func onName(prefix string, kind fault) func(int, string) fault {
	return func(_ int, call string) fault {
		if strings.HasPrefix(call, prefix) {
			return kind
		}
		return fine
	}
}

// A runner that is killed while it puts something into a pool, at either side of it, runs the trial again, and leaves
// nothing.
func TestKilledInContents(t *testing.T) {
	w := newWorld(t)
	w.goesOn = true
	if got, _ := w.execute(t.Context(), contentsPlan(w)); got.Progress.State != result.StateComplete {
		t.Fatalf("outcome %+v", got)
	}
	for n, call := range w.transcript {
		ours := func(prefix string) bool { return strings.HasPrefix(call, prefix) }
		if !ours("zfs snapshot") && !ours("zfs send") && !ours("zfs clone") && !ours("zfs destroy") && !ours("zpool wait") &&
			!ours("zpool replace") && !ours("fill ") && !ours("overwrite ") && !ours("sink: own") {
			continue
		}
		for _, kind := range []fault{diesBefore, diesAfter} {
			t.Run(call, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.goesOn = true
				w.fault = onCall(n, kind)
				if _, alive := w.execute(t.Context(), contentsPlan(w)); alive {
					t.Fatal("the runner was not killed")
				}
				w.fault, w.usedBytes = nil, 0
				got, _ := w.execute(t.Context(), contentsPlan(w))
				if got.Progress.State != result.StateComplete || len(w.left()) != 0 {
					t.Errorf("outcome %+v, failure %+v, left %v", got, got.Progress.Failure, w.left())
				}
			})
		}
	}
}
