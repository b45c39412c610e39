// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

func TestQueueAhead(t *testing.T) {
	queued := func(name, uid string, minutesAgo int) benchmarkBuilder {
		return MakeBenchmark("default", name).UID(uid).Created(minutesAgo).State("storage-0", nodeQueued)
	}
	tests := map[string]struct {
		others []*v1alpha1.ZfsBenchmark
		want   []string
	}{
		"alone": {nil, nil},
		"older first": {[]*v1alpha1.ZfsBenchmark{queued("b", "b", 3).Obj(), queued("a", "z", 4).Obj()},
			[]string{"default/a", "default/b"}},
		"younger": {[]*v1alpha1.ZfsBenchmark{queued("a", "a", 1).Obj()}, nil},
		"same age": {[]*v1alpha1.ZfsBenchmark{queued("a", "z", 2).Obj(), queued("z", "a", 2).Obj()},
			[]string{"default/a"}},
		"suspended": {[]*v1alpha1.ZfsBenchmark{queued("a", "a", 3).Suspend().Obj()}, nil},
		"another node": {[]*v1alpha1.ZfsBenchmark{MakeBenchmark("default", "a").Created(3).State("storage-1",
			nodeQueued).Obj()}, nil},
		"runs already": {[]*v1alpha1.ZfsBenchmark{MakeBenchmark("default", "a").Created(3).State("storage-0",
			nodeRunning).Obj()}, nil},
		"not accepted": {[]*v1alpha1.ZfsBenchmark{MakeBenchmark("default", "a").Created(3).Obj()}, nil},
		"being deleted": {[]*v1alpha1.ZfsBenchmark{func() *v1alpha1.ZfsBenchmark {
			b := queued("a", "a", 3).Obj()
			b.DeletionTimestamp = ptr.To(metav1.NewTime(testNow()))
			return b
		}()}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{benchmark: queued("me", "me", 2).Obj()}
			for _, other := range tt.others {
				s.others = append(s.others, *other)
			}
			var got []string
			for _, other := range s.queueAhead(MakeRun().Obj()) {
				got = append(got, other.Namespace+"/"+other.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("queueAhead (-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueueMessage(t *testing.T) {
	b := func(namespace, name string) *v1alpha1.ZfsBenchmark { return MakeBenchmark(namespace, name).Obj() }
	tests := map[string]struct {
		ahead  []*v1alpha1.ZfsBenchmark
		holder string
		want   string
	}{
		"next": {nil, "default/other", "In the queue for storage-0, behind default/other."},
		"second": {[]*v1alpha1.ZfsBenchmark{b("default", "b")}, "default/a",
			"In the queue for storage-0, behind default/b."},
		"node just free": {[]*v1alpha1.ZfsBenchmark{b("default", "b")}, "",
			"In the queue for storage-0, behind default/b."},
		"next of its namespace": {[]*v1alpha1.ZfsBenchmark{b("team", "b")}, "default/a",
			"In the queue for storage-0, behind default/a."},
		"another one's turn": {[]*v1alpha1.ZfsBenchmark{b("team", "b")}, "",
			"In the queue for storage-0, behind team/b."},
		"third, with others too": {[]*v1alpha1.ZfsBenchmark{b("team", "b"), b("default", "c"), b("default", "d")}, "x/a",
			"In the queue for storage-0, behind default/d."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{benchmark: b("default", "me")}
			if got := queueMessage("storage-0", s.behind(tt.ahead, tt.holder)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHolderName(t *testing.T) {
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "node-uid", Namespace: testNamespace,
			Annotations: map[string]string{jobspec.AnnotationBenchmark: "default/a"}},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: ptr.To("a")},
	}
	tests := map[string]struct {
		others []v1alpha1.ZfsBenchmark
		want   string
	}{
		"runs": {[]v1alpha1.ZfsBenchmark{*MakeBenchmark("default", "a").UID("a").Obj()}, "default/a"},
		"ended, not cleaned up": {
			[]v1alpha1.ZfsBenchmark{*MakeBenchmark("default", "a").UID("a").Condition(v1alpha1.ConditionFinished,
				"CleanupFailed").Obj()},
			"default/a, which has ended but could not be cleaned up: delete it to try again",
		},
		"gone": {nil, "default/a, which no longer exists: what it left is being removed; " +
			"the events of the node show the progress (`kubectl describe node`)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{benchmark: MakeBenchmark("default", "b").UID("b").Obj(), others: tt.others}
			if got := s.holderName(lease); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSlots(t *testing.T) {
	running := MakeRun().Ours().Obj()
	waiting := MakeRun().Obj()
	tests := map[string]struct {
		spec *v1alpha1.ZfsBenchmark
		want int
	}{
		"no limit": {MakeBenchmark("default", "a").Obj(), 2},
		"one":      {MakeBenchmark("default", "a").MaxParallel(1).Obj(), 0},
		"two":      {MakeBenchmark("default", "a").MaxParallel(2).Obj(), 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scope{benchmark: tt.spec, runs: []*nodeRun{running, waiting}}
			if got := s.slots(); got != tt.want {
				t.Errorf("slots = %d, want %d", got, tt.want)
			}
		})
	}
}
