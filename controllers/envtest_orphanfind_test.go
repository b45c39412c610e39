// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// staleCache is a client that lists what it knew when its watch stopped, not what exists now.
type staleCache struct {
	client.Client
	leases, benchmarks []client.Object
}

func (c staleCache) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	var shown []client.Object
	switch list.(type) {
	case *coordinationv1.LeaseList:
		shown = c.leases
	case *v1alpha1.ZfsBenchmarkList:
		shown = c.benchmarks
	}
	var items []runtime.Object
	for _, object := range shown {
		items = append(items, object)
	}
	return meta.SetList(list, items)
}

// sweepOf is a sweep of the test's own, with a cache that is behind. It keeps to the test's namespace, so that the
// manager that all tests share leaves its objects alone.
func (p *play) sweepOf(behind staleCache) (*orphans, *clocktesting.FakePassiveClock) {
	r, _ := p.newReconciler()
	now := clocktesting.NewFakePassiveClock(testNow())
	behind.Client = p.Client
	r.Client, r.Clock, r.Config.RunnerNamespace, r.Config.CSI.Enabled = behind, now, p.namespace, false
	return &orphans{Reconciler: r, reported: map[string]reportedOrphan{}}, now
}

// TestFindOrphansPastAStaleCache: after etcd was restored, a cache may show what is gone, and not what is there.
func TestFindOrphansPastAStaleCache(t *testing.T) {
	p := newPlay(t)
	here := p.create(MakeBenchmark(p.namespace, "here").Node("nowhere").Obj())
	gone := MakeBenchmark(p.namespace, "gone").UID(string(uuid.NewUUID())).Obj()
	mine, left := jobspec.Lease(p.namespace, here, "a", "a"), jobspec.Lease(p.namespace, gone, "b", "b")
	p.must(p.Create(t.Context(), mine))
	p.must(p.Create(t.Context(), left))
	never := jobspec.Lease(p.namespace, MakeBenchmark(p.namespace, "never").UID("never").Obj(), "c", "c")
	named := types.NamespacedName{Namespace: p.namespace, Name: "gone"}
	orphaned := []orphan{{uid: gone.UID, benchmark: named, objects: 1}}
	tests := map[string]struct {
		cache staleCache
		// soon is what it finds between two thorough looks.
		soon []orphan
	}{
		"as things are":        {staleCache{leases: objects(mine, left), benchmarks: objects(here)}, orphaned},
		"a benchmark too many": {staleCache{leases: objects(mine, left), benchmarks: objects(here, gone)}, nil},
		"no object":            {staleCache{benchmarks: objects(here)}, nil},
		"a benchmark too few":  {staleCache{leases: objects(mine, left)}, orphaned},
		"an object too many":   {staleCache{leases: objects(mine, left, never), benchmarks: objects(here)}, orphaned},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o, clock := p.sweepOf(tt.cache)
			find := func(when string, want []orphan) {
				t.Helper()
				got, err := o.find(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(orphan{})); diff != "" {
					t.Errorf("%s (-want +got):\n%s", when, diff)
				}
			}
			find("at the start", orphaned)
			find("soon after it", tt.soon)
			clock.SetTime(testNow().Add(sweepEvery))
			find("ten minutes later", orphaned)
			o.reported["x"] = reportedOrphan{}
			find("while something is being removed", orphaned)
		})
	}
}

func objects(list ...client.Object) []client.Object { return list }

// TestOrphansAreListedInPages: whatever there is, the API server is asked for little at once.
func TestOrphansAreListedInPages(t *testing.T) {
	p := newPlay(t)
	gone := MakeBenchmark(p.namespace, "gone").UID(string(uuid.NewUUID())).Obj()
	for i := range 7 {
		name := fmt.Sprint("node-", i)
		p.must(p.Create(t.Context(), jobspec.Lease(p.namespace, gone, name, name)))
	}
	o, _ := p.sweepOf(staleCache{})
	pages := &pagedReader{Reader: p.Client}
	o.APIReader = pages
	found, err := o.find(t.Context())
	if err != nil || len(found) != 1 || found[0].objects != 7 {
		t.Errorf("found %v, %v", found, err)
	}
	if pages.unbounded > 0 || pages.continued == 0 {
		t.Errorf("%d lists had no limit, %d were continued", pages.unbounded, pages.continued)
	}
}

// pagedReader gives no more than three objects at once.
type pagedReader struct {
	client.Reader
	unbounded, continued int
}

func (r *pagedReader) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	applied := (&client.ListOptions{}).ApplyOptions(options)
	switch {
	case applied.Limit == 0 || applied.Limit > pageSize:
		r.unbounded++
	case applied.Continue != "":
		r.continued++
	}
	return r.Reader.List(ctx, list, append(options, client.Limit(3))...)
}
