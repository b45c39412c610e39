// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// turns orders the benchmarks that wait for a node. The namespace that the node has served least recently comes first;
// namespaces that it never served come before all others. Ties are broken by creation. served are the namespaces that
// the node has served, the last one last.
func turns(served []string) func(a, b *v1alpha1.ZfsBenchmark) int {
	rank := func(b *v1alpha1.ZfsBenchmark) int { return slices.Index(served, b.Namespace) }
	return func(a, b *v1alpha1.ZfsBenchmark) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), byCreation(a, b)) }
}

// byCreation compares the times of creation, which are in whole seconds, then names: a-2 before a-10, as they were
// probably made.
func byCreation(a, b *v1alpha1.ZfsBenchmark) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), naturally(a.Name, b.Name),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.UID, b.UID))
}

// naturally compares texts, and the numbers in them by value, whatever their length. Texts that differ only in leading
// zeros are compared as they are.
func naturally(a, b string) int {
	restA, restB := a, b
	for restA != "" && restB != "" {
		digitsA, digitsB := leadingDigits(restA), leadingDigits(restB)
		if digitsA == "" || digitsB == "" {
			if restA[0] != restB[0] {
				return cmp.Compare(restA[0], restB[0])
			}
			restA, restB = restA[1:], restB[1:]
			continue
		}
		numberA, numberB := strings.TrimLeft(digitsA, "0"), strings.TrimLeft(digitsB, "0")
		if order := cmp.Or(cmp.Compare(len(numberA), len(numberB)), cmp.Compare(numberA, numberB)); order != 0 {
			return order
		}
		restA, restB = restA[len(digitsA):], restB[len(digitsB):]
	}
	return cmp.Or(cmp.Compare(len(restA), len(restB)), cmp.Compare(a, b))
}

// leadingDigits are the digits that a text starts with.
func leadingDigits(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
}

// served are the namespaces that a node has served, the last one last.
func (s *scope) served(nodeUID string) []string {
	return jobspec.Served(s.leases[jobspec.QueueRecordName(nodeUID)])
}

// recordServed records that the node has served the benchmark's namespace. It runs before the node is released, so that
// everybody who sees the free node also sees whose turn it is.
func (r *Reconciler) recordServed(ctx context.Context, s *scope, n *nodeRun) error {
	served := jobspec.WithServed(s.served(n.uid), s.benchmark.Namespace)
	if slices.Equal(served, s.served(n.uid)) {
		return nil
	}
	if _, err := r.apply(ctx, jobspec.QueueRecord(r.Config.RunnerNamespace, n.name, n.uid, served)); err != nil {
		return fmt.Errorf("record which namespace the node has served: %w", err)
	}
	return nil
}
