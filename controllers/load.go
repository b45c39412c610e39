// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// load gathers everything that a reconcile reads. It returns nil when the benchmark no longer exists.
func (r *Reconciler) load(ctx context.Context, name types.NamespacedName) (*scope, error) {
	var benchmark v1alpha1.ZfsBenchmark
	if err := r.Get(ctx, name, &benchmark); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return nil, nil
		}
		return nil, fmt.Errorf("get benchmark: %w", err)
	}
	s := &scope{benchmark: &benchmark, before: benchmark.DeepCopy(), now: r.Clock.Now(), cache: &r.cache}
	if err := r.loadCluster(ctx, s); err != nil {
		return nil, err
	}
	if err := r.loadRuns(ctx, s); err != nil {
		return s, err
	}
	r.loadPodWarnings(ctx, s)
	return s, nil
}

// loadCluster loads what benchmarks share: nodes, policies, leases, and the list of benchmarks.
func (r *Reconciler) loadCluster(ctx context.Context, s *scope) error {
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	s.nodes = map[string]*corev1.Node{}
	for i := range nodes.Items {
		s.nodes[nodes.Items[i].Name] = &nodes.Items[i]
	}
	var policies v1alpha1.BenchmarkDevicePolicyList
	if err := r.List(ctx, &policies); err != nil {
		return fmt.Errorf("list policies: %w", err)
	}
	s.policies = policies.Items
	var benchmarks v1alpha1.ZfsBenchmarkList
	if err := r.List(ctx, &benchmarks); err != nil {
		return fmt.Errorf("list benchmarks: %w", err)
	}
	for _, other := range benchmarks.Items {
		if other.UID != s.benchmark.UID {
			s.others = append(s.others, other)
		}
	}
	return r.loadLeases(ctx, s, r.Client)
}

// loadLeases loads who holds which nodes and disks.
func (r *Reconciler) loadLeases(ctx context.Context, s *scope, from client.Reader) error {
	var leases coordinationv1.LeaseList
	if err := from.List(ctx, &leases, client.InNamespace(r.Config.RunnerNamespace)); err != nil {
		return fmt.Errorf("list leases: %w", err)
	}
	s.leases = map[string]*coordinationv1.Lease{}
	for i := range leases.Items {
		s.leases[leases.Items[i].Name] = &leases.Items[i]
	}
	return nil
}

// loadRuns loads the benchmark's objects in the runner namespace. While the benchmark is being deleted, they come from
// the API and not from the cache. When a Job has ended, the ConfigMaps also do: Jobs and ConfigMaps arrive by different
// watches, and an old ConfigMap must not count as the last one.
func (r *Reconciler) loadRuns(ctx context.Context, s *scope) error {
	own := r.ownedBy(s.benchmark)
	var reader client.Reader = r.Client
	if !s.benchmark.DeletionTimestamp.IsZero() {
		reader = r.APIReader
	}
	var jobs batchv1.JobList
	if err := reader.List(ctx, &jobs, own...); err != nil {
		return fmt.Errorf("list jobs: %w", err)
	}
	var pods corev1.PodList
	if err := reader.List(ctx, &pods, own...); err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	holders, err := r.loadHolders(ctx, s)
	if err != nil {
		return err
	}
	if s.finishing(jobs.Items) {
		reader = r.APIReader
	}
	var documents corev1.ConfigMapList
	if err := reader.List(ctx, &documents, own...); err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	s.runs = groupRuns(s, documents.Items, jobs.Items, pods.Items)
	addHolders(s.runs, holders)
	if !slices.ContainsFunc(s.runs, func(n *nodeRun) bool { return n.overdue(s.now) }) {
		return nil
	}
	// The report is about to count without the Job's end.
	if err := r.APIReader.List(ctx, &documents, own...); err != nil {
		return fmt.Errorf("list documents: %w", err)
	}
	s.runs = groupRuns(s, documents.Items, jobs.Items, pods.Items)
	addHolders(s.runs, holders)
	return nil
}

// loadHolders lists the pods that have the benchmark's claimed volumes mounted, from the cache: events about them start
// a reconcile.
func (r *Reconciler) loadHolders(ctx context.Context, s *scope) ([]corev1.Pod, error) {
	if !r.Config.CSI.Enabled {
		return nil, nil
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(r.Config.CSI.Namespace), ofBenchmark(s.uid())); err != nil {
		return nil, fmt.Errorf("list pods of claims: %w", err)
	}
	return pods.Items, nil
}

func addHolders(runs []*nodeRun, holders []corev1.Pod) {
	for i := range holders {
		for _, n := range runs {
			if jobspec.NodeHash(n.name) == holders[i].Labels[jobspec.LabelNodeHash] {
				n.holders = append(n.holders, &holders[i])
			}
		}
	}
}

// ownedBy lists what the manager made for a benchmark in the runner namespace.
func (r *Reconciler) ownedBy(benchmark *v1alpha1.ZfsBenchmark) []client.ListOption {
	return []client.ListOption{
		client.InNamespace(r.Config.RunnerNamespace),
		client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(benchmark.UID)},
	}
}

// finishing means that a Job has ended on a node whose lease the benchmark still holds.
func (s *scope) finishing(jobs []batchv1.Job) bool {
	for i := range s.benchmark.Status.Nodes {
		node := &s.benchmark.Status.Nodes[i]
		lease := s.leases[node.UID]
		if lease == nil || leaseHolder(lease) != s.uid() {
			continue
		}
		hash := jobspec.NodeHash(node.Name)
		for j := range jobs {
			if jobs[j].Labels[jobspec.LabelNodeHash] == hash && ended(&jobs[j]) {
				return true
			}
		}
	}
	return false
}
