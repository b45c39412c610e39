// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// sweepEvery is how often the manager looks for objects whose benchmark is gone. It also looks at its start and when
// such an object changes.
const sweepEvery = 10 * time.Minute

// orphans finds objects of benchmarks that no longer exist, and tears them down like those of a benchmark being
// deleted. A benchmark disappears like this if its finalizer was removed by force, or if etcd was restored from an
// older backup. The plans contain everything that the teardown needs.
type orphans struct {
	*Reconciler
	// reported is what was last reported about each orphan, by UID and node.
	reported map[string]reportedOrphan
	// lastListed is when all objects were last listed past the cache; zero before the first time.
	lastListed time.Time
}

// orphan is a benchmark that is gone, identified by the objects that are left of it.
type orphan struct {
	uid types.UID
	// benchmark is its name according to the objects, for messages; empty if none has it.
	benchmark types.NamespacedName
	objects   int
}

func (o orphan) String() string {
	if o.benchmark.Name == "" {
		return "with UID " + string(o.uid)
	}
	return fmt.Sprintf("%s (UID %s)", o.benchmark, o.uid)
}

// Reconcile sweeps once, whatever object it was requested for.
func (o *orphans) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	found, err := o.find(ctx)
	errs := []error{err}
	again := sweepEvery
	if err == nil {
		o.reportRemoved(ctx, found)
	}
	for _, each := range found {
		s, err := o.cleanUp(ctx, each)
		errs = append(errs, err)
		if s != nil && s.requeueAfter > 0 {
			again = min(again, s.requeueAfter)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: again}, nil
}

// ownerless groups objects by the benchmark in their label, and keeps the groups whose benchmark does not exist. It is
// a pure function.
func ownerless(objects []client.Object, alive map[types.UID]bool) []orphan {
	found := map[types.UID]*orphan{}
	for _, object := range objects {
		uid := types.UID(object.GetLabels()[v1alpha1.LabelBenchmarkUID])
		if uid == "" || alive[uid] || object.GetDeletionTimestamp() != nil && !isClass(object) {
			continue // being removed already; but a StorageClass has the manager's finalizer
		}
		if found[uid] == nil {
			found[uid] = &orphan{uid: uid}
		}
		found[uid].objects++
		if namespace, name, ok := strings.Cut(object.GetAnnotations()[jobspec.AnnotationBenchmark], "/"); ok {
			found[uid].benchmark = types.NamespacedName{Namespace: namespace, Name: name}
		}
	}
	var all []orphan
	for _, each := range found {
		all = append(all, *each)
	}
	slices.SortFunc(all, func(a, b orphan) int { return strings.Compare(string(a.uid), string(b.uid)) })
	return all
}

// cleanUp tears down what is left of an orphan, by the same steps as a deletion.
func (o *orphans) cleanUp(ctx context.Context, of orphan) (*scope, error) {
	s, err := o.loadOrphan(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("benchmark %s, which is gone: %w", of, err)
	}
	if _, err := o.serveClaims(ctx, s); err != nil {
		return s, err
	}
	if _, err := o.serveImages(ctx, s); err != nil {
		return s, err
	}
	of.benchmark = client.ObjectKeyFromObject(s.benchmark)
	s.requeueWithin(teardownPollInterval)
	_, err = o.cleanUpAll(ctx, s)
	o.report(ctx, s, of)
	if err != nil {
		return s, fmt.Errorf("clean up after benchmark %s, which is gone: %w", of, err)
	}
	return s, nil
}

// loadOrphan gathers what a teardown reads. A benchmark that is being deleted, without a spec, stands in for the
// missing one.
func (o *orphans) loadOrphan(ctx context.Context, of orphan) (*scope, error) {
	now := o.Clock.Now()
	b := &v1alpha1.ZfsBenchmark{ObjectMeta: metav1.ObjectMeta{
		Namespace: of.benchmark.Namespace, Name: of.benchmark.Name, UID: of.uid, DeletionTimestamp: &metav1.Time{Time: now},
	}}
	s := &scope{benchmark: b, before: b.DeepCopy(), now: now, orphan: true}
	if err := o.loadCluster(ctx, s); err != nil {
		return nil, err
	}
	// With a stale cache, the release of a lease that is gone already would be repeated for ever.
	if err := o.loadLeases(ctx, s, o.APIReader); err != nil {
		return nil, err
	}
	b.Status.Nodes = leasedNodes(s)
	if err := o.loadRuns(ctx, s); err != nil {
		return nil, err
	}
	for _, n := range s.runs {
		if n.run != nil && b.Name == "" {
			b.Namespace, b.Name = n.run.Plan.Benchmark.Namespace, n.run.Plan.Benchmark.Name
		}
	}
	return s, nil
}

// leasedNodes are the nodes that an orphan holds. A plan names its node. A lease without a plan has the node's UID; the
// node's name is found by its hash.
func leasedNodes(s *scope) []v1alpha1.NodeStatus {
	var nodes []v1alpha1.NodeStatus
	for name, node := range s.nodes {
		lease := s.leases[string(node.UID)]
		if lease != nil && leaseHolder(lease) == s.uid() && lease.Labels[jobspec.LabelNodeHash] == jobspec.NodeHash(name) {
			nodes = append(nodes, v1alpha1.NodeStatus{Name: name, UID: string(node.UID)})
		}
	}
	slices.SortFunc(nodes, func(a, b v1alpha1.NodeStatus) int { return strings.Compare(a.Name, b.Name) })
	return nodes
}
