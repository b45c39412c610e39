// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// scope is one reconcile of one benchmark: what was found, and what is to be written at its end.
type scope struct {
	// benchmark is changed by the phases: its status only, except for the finalizer. before is the same as it was loaded.
	benchmark *v1alpha1.ZfsBenchmark
	before    *v1alpha1.ZfsBenchmark
	now       time.Time
	// orphan means that the benchmark no longer exists: benchmark stands in for it, with its UID and name, and has no
	// spec.
	orphan bool
	// cache is what was read before; nil for nothing.
	cache *runCache

	// nodes are all nodes of the cluster by name.
	nodes    map[string]*corev1.Node
	policies []v1alpha1.BenchmarkDevicePolicy
	// namespaceUID is the UID of the benchmark's namespace, where a policy names one; otherwise it may be empty.
	namespaceUID string
	// others are all benchmarks but this one.
	others []v1alpha1.ZfsBenchmark
	// leases are all leases of the runner namespace by name: those on nodes, called like the node's UID, and those on
	// disks.
	leases map[string]*coordinationv1.Lease
	// runs are this benchmark's nodes in the order of status.nodes, then those that only objects in the runner namespace
	// know of.
	runs []*nodeRun

	// driver is what there is of the drivers that volumes are claimed from; nil if that does not matter.
	driver *driverFacts
	// corpora are the claims that data comes from, by name, as far as they are there; nil once all nodes have started.
	corpora map[string]*corev1.PersistentVolumeClaim

	// volumes are the PersistentVolumes that name a device, by the node that they may be on, of nodes that may start.
	volumes map[string][]volumeNames

	// reading is what the results of all nodes amount to, once read; trials are the results themselves, by node, if this
	// reconcile decoded them.
	reading *reading
	trials  map[string][]result.Trial
	// extra are the events that do not follow from the change of status.
	extra []nodeNotice
	// gone means that the finalizer was removed: there is no status to write. unsaved means that status must not be
	// written now.
	gone    bool
	unsaved bool
	// requeueAfter is when to reconcile again at the latest; 0 is when something changes.
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
