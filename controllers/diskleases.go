// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// diskLease is a lease that a run needs, and the path of its disk.
type diskLease struct {
	path  string
	lease *coordinationv1.Lease
}

// diskLeases are the leases of the benchmark's disks on a node. Several nodes may reach one disk, and each node has a
// separate queue, so the node's lease is not enough.
func (r *Reconciler) diskLeases(s *scope, n *nodeRun) []diskLease {
	var leases []diskLease
	for _, d := range r.devicesOn(s, n.name) {
		if lease := jobspec.DiskLease(r.Config.RunnerNamespace, s.benchmark, n.name, d.Path); lease != nil {
			leases = append(leases, diskLease{path: d.Path, lease: lease})
		}
	}
	return leases
}

// diskInUse returns which disk another run uses, and which benchmark that is; empty if none does.
func (s *scope) diskInUse(leases []diskLease) string {
	for _, want := range leases {
		if found := s.leases[want.lease.Name]; found != nil && !sameHolder(found, want.lease) {
			return s.usedBy(want.path, found)
		}
	}
	return ""
}

func (s *scope) usedBy(path string, lease *coordinationv1.Lease) string {
	return fmt.Sprintf("%s is in use by %s", path, s.holderName(lease))
}

// sameHolder compares benchmark and node: the nodes of one benchmark must not share a disk either.
func sameHolder(a, b *coordinationv1.Lease) bool {
	return a.Labels[v1alpha1.LabelBenchmarkUID] == b.Labels[v1alpha1.LabelBenchmarkUID] &&
		a.Labels[jobspec.LabelNodeHash] == b.Labels[jobspec.LabelNodeHash]
}

// queueForDisk sets the message of a run that is first in its node's queue and waits for a disk.
func (n *nodeRun) queueForDisk(s *scope, inUse string) {
	n.setQueued(s, nodeQueued, sentence(fmt.Sprintf("Next in the queue for %s; %s.", n.name, inUse)))
}

// takeDisks takes the leases of all disks of the run, or returns which disk is in use. It keeps the leases that it got:
// they are removed together with the node's lease.
func (r *Reconciler) takeDisks(ctx context.Context, s *scope, n *nodeRun) (inUse string, err error) {
	for _, want := range r.diskLeases(s, n) {
		err := r.Create(ctx, want.lease)
		if err == nil {
			continue
		}
		if !apierrors.IsAlreadyExists(err) {
			return "", fmt.Errorf("create lease of %s: %w", want.path, err)
		}
		found := &coordinationv1.Lease{}
		if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(want.lease), found); err != nil {
			return "", fmt.Errorf("get lease of %s: %w", want.path, err)
		}
		if !sameHolder(found, want.lease) {
			return s.usedBy(want.path, found), nil
		}
	}
	return "", nil
}

// removeLeases removes all locks of the run. The node's lease goes last: while it exists, the removal is retried.
func (r *Reconciler) removeLeases(ctx context.Context, s *scope, n *nodeRun) error {
	var leases coordinationv1.LeaseList
	err := r.APIReader.List(ctx, &leases, client.InNamespace(r.Config.RunnerNamespace),
		client.MatchingLabels(jobspec.Labels(s.uid(), n.name)))
	if err != nil {
		return fmt.Errorf("list leases: %w", err)
	}
	var errs []error
	for i := range leases.Items {
		if jobspec.IsDiskLease(leases.Items[i].Name) {
			errs = append(errs, r.remove(ctx, &leases.Items[i], metav1.DeletePropagationBackground))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return r.remove(ctx, n.lease, metav1.DeletePropagationBackground)
}
