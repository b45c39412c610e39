// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// What filesystems can do is found out once for each variant that has one, and is in each of its trials, if there are
// baselines to compare with; a failure to find it out fails nothing.
func TestFeatures(t *testing.T) {
	known, ofDataset, yes := fakeFeatures(), fakeFeatures(), new(true)
	ofDataset.Journal, ofDataset.Quota, ofDataset.Grow, ofDataset.Shrink, ofDataset.Send = result.JournalIntentLog, yes,
		yes, yes, yes
	tests := map[string]struct {
		plan func(*world) plan.Plan
		// lacks keeps anything from being found out.
		lacks error
		looks int
		want  []*result.Features
	}{
		"a filesystem and a disk": {baselinePlan, nil, 1, []*result.Features{&known, nil}},
		"twice the same": {func(w *world) plan.Plan {
			p := baselinePlan(w)
			p.Variants = p.Variants[:1]
			p.Trials[1] = plan.Trial{Index: 1, Variant: "ext4", Repetition: 2}
			return p
		}, nil, 1, []*result.Features{&known, &known}},
		"a dataset and a filesystem": {besidePlan, nil, 2, []*result.Features{&ofDataset, &known}},
		"nothing is known":           {baselinePlan, errors.New("no space"), 1, []*result.Features{nil, nil}},
		"a pool by itself": {func(w *world) plan.Plan { p := testPlan(w); p.Trials = p.Trials[:1]; return p }, nil,
			0, []*result.Features{nil}},
		"a volume by itself": {func(w *world) plan.Plan { p := volumeFilesystemPlan(w); p.Trials = p.Trials[:1]; return p },
			nil, 0, []*result.Features{nil}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.lacks = map[string]error{"features": tt.lacks}
			if got, _ := w.execute(t.Context(), tt.plan(w)); got.Progress.State != result.StateComplete ||
				got.Progress.Failed != 0 {
				t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
			}
			var found []*result.Features
			for i := range len(tt.want) {
				found = append(found, w.trials[i].Features)
			}
			if diff := cmp.Diff(tt.want, found); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			looks := len(slices.DeleteFunc(slices.Clone(w.transcript),
				func(call string) bool { return call != "look for features of what is ours" }))
			if looks != tt.looks || len(w.left()) != 0 {
				t.Errorf("looked %d times, left %v", looks, w.left())
			}
		})
	}
}

// besidePlan measures a dataset, and then ext4.
func besidePlan(w *world) plan.Plan {
	beside, p := baselinePlan(w), testPlan(w)
	p.Variants = append(p.Variants[:1], beside.Variants[0])
	p.Trials = []plan.Trial{{Index: 0, Variant: p.Variants[0].Name, Repetition: 1},
		{Index: 1, Variant: "ext4", Repetition: 1}}
	return p
}

// What cannot be found out of a dataset is missing, and the rest is not; whatever fails, the trial does not, and the
// pool goes.
func TestFeaturesOfADataset(t *testing.T) {
	const dataset = "zfsbench-0c7c9a41-0/bench"
	user := "userquota@" + strconv.Itoa(sandbox.User+1)
	tests := map[string]struct {
		// fails begins the call that fails.
		fails  string
		forget func(*result.Features)
		// stays is what is left to whoever destroys the pool.
		stays bool
	}{
		"nothing fails":                {forget: func(*result.Features) {}},
		"its properties are not known": {fails: "zfs get sync ", forget: func(f *result.Features) { f.Journal = "" }},
		"nobody can be limited": {fails: "zfs set " + user + "=1 ",
			forget: func(f *result.Features) { f.Quota = nil }},
		"nobody can write":          {fails: "write as 1", forget: func(f *result.Features) { f.Quota = nil }},
		"the limit of a user stays": {fails: "zfs set " + user + "=none ", forget: func(*result.Features) {}},
		"its room is not known": {fails: "zfs get quota,used,available ",
			forget: func(f *result.Features) { f.Grow, f.Shrink = nil, nil }},
		"it cannot be limited": {fails: "zfs set quota=536870912 ",
			forget: func(f *result.Features) { f.Grow, f.Shrink = nil, nil }},
		"its limit stays": {fails: "zfs set quota=none ",
			forget: func(f *result.Features) { f.Grow, f.Shrink = nil, nil }},
		"there can be no snapshot": {fails: "zfs snapshot ", forget: func(f *result.Features) { f.Send = nil },
			stays: true},
		"it cannot be sent": {fails: "zfs send ", forget: func(f *result.Features) { f.Send = nil }},
		"its snapshots cannot be taken": {fails: "zfs destroy " + dataset + "@", forget: func(*result.Features) {},
			stays: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := besidePlan(w)
			p.Trials = p.Trials[:1]
			w.fault = func(_ int, call string) fault {
				if tt.fails != "" && strings.HasPrefix(call, tt.fails) {
					return fails
				}
				return fine
			}
			if got, _ := w.execute(t.Context(), p); got.Progress.State != result.StateComplete || got.Progress.Failed != 0 {
				t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
			}
			want, yes := fakeFeatures(), new(true)
			want.Journal, want.Quota, want.Grow, want.Shrink, want.Send = result.JournalIntentLog, yes, yes, yes, yes
			tt.forget(&want)
			if diff := cmp.Diff(&want, w.trials[0].Features); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			timed := slices.Contains(w.transcript, "zfs destroy "+dataset)
			if len(w.left()) != 0 || timed == tt.stays {
				t.Errorf("left %v; the dataset was destroyed by itself: %t", w.left(), timed)
			}
		})
	}
}
