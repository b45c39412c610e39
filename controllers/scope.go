// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// scope is one reconcile of one benchmark: what was found, and what to write at its end.
type scope struct {
	// benchmark is changed by the phases, but only its status and its finalizer. before is the same benchmark as it was
	// loaded.
	benchmark *v1alpha1.ZfsBenchmark
	before    *v1alpha1.ZfsBenchmark
	now       time.Time
	// orphan means that the benchmark no longer exists: benchmark stands in for it, with its UID and name, and has no
	// spec.
	orphan bool
	// cache holds earlier readings; nil means no cache.
	cache *runCache

	// nodes are all nodes of the cluster by name.
	nodes    map[string]*corev1.Node
	policies []v1alpha1.BenchmarkDevicePolicy
	// storages are the NodeStorages by name, while disks of classes are chosen; nil otherwise.
	storages map[string]*v1alpha1.NodeStorage
	// namespaceUID is the UID of the benchmark's namespace, where a policy names one; otherwise it may be empty.
	namespaceUID string
	// others are all benchmarks but this one.
	others []v1alpha1.ZfsBenchmark
	// leases are all leases of the runner namespace by name: leases of nodes, which are named after the node's UID, and
	// leases of disks.
	leases map[string]*coordinationv1.Lease
	// runs are this benchmark's nodes in the order of status.nodes, then nodes that appear only in objects of the
	// runner namespace.
	runs []*nodeRun

	// driver describes the CSI drivers from which volumes are claimed; nil if that does not matter.
	driver *driverFacts
	// corpora are the existing claims with data, by name; nil once all nodes have started.
	corpora map[string]*corev1.PersistentVolumeClaim

	// volumes are the PersistentVolumes that name a device, by the node that they may be on; only for nodes that may
	// start.
	volumes map[string][]volumeNames

	// reading is the summary of the results of all nodes, once read; trials are the results themselves, by node, if
	// this reconcile decoded them.
	reading *reading
	trials  map[string][]result.Trial
	// extra are the events that no change of status causes.
	extra []nodeNotice
	// gone means that the finalizer was removed: there is no status to write. unsaved means that status must not be
	// written now.
	gone    bool
	unsaved bool
	// requeueAfter is the longest time until the next reconcile; 0 means that only a change starts one.
	requeueAfter time.Duration
}

// status is the status being written.
func (s *scope) status() *v1alpha1.ZfsBenchmarkStatus { return &s.benchmark.Status }

// uid is the benchmark's UID as text: the holder of its leases and the value of its label.
func (s *scope) uid() string { return string(s.benchmark.UID) }

// nodeStatus is the node's entry in status, or nil.
func (s *scope) nodeStatus(name string) *v1alpha1.NodeStatus {
	for i := range s.benchmark.Status.Nodes {
		if s.benchmark.Status.Nodes[i].Name == name {
			return &s.benchmark.Status.Nodes[i]
		}
	}
	return nil
}
