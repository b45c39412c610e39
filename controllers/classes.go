// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
)

// loadStorages reads what is known of the nodes' disks, if the benchmark asks for disks of a class. It consents to
// nothing: it only keeps disks from being chosen.
func (r *Reconciler) loadStorages(ctx context.Context, s *scope) error {
	if !s.benchmark.Spec.HasClasses() {
		return nil
	}
	var storages v1alpha1.NodeStorageList
	if err := r.List(ctx, &storages); err != nil {
		return fmt.Errorf("list NodeStorages: %w", err)
	}
	s.storages = map[string]*v1alpha1.NodeStorage{}
	for i := range storages.Items {
		s.storages[storages.Items[i].Name] = &storages.Items[i]
	}
	return nil
}

// waitingForDisks returns the benchmarks for which disks of a class may still be chosen.
func (r *Reconciler) waitingForDisks(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.requests(ctx, func(b *v1alpha1.ZfsBenchmark) bool {
		return b.Spec.HasClasses() && len(b.Status.Nodes) == 0 && !isTrue(&b.Status, v1alpha1.ConditionFinished)
	})
}

// devicesOn are the devices of the benchmark on a node, with the disks of its classes. Disks that cannot be chosen have
// no path; the check of consent says why.
func (r *Reconciler) devicesOn(s *scope, name string) []v1alpha1.Device {
	node := s.nodes[name]
	if node == nil || !s.benchmark.Spec.HasClasses() {
		return s.benchmark.Spec.Devices
	}
	devices, err := plan.Assign(r.planInput(s, plan.Node{Name: name, UID: string(node.UID)}))
	if err != nil {
		return s.benchmark.Spec.Devices
	}
	return devices
}

// chosenDisks are the disks of classes on a node, as status records them.
func chosenDisks(devices []v1alpha1.Device) []v1alpha1.ChosenDisk {
	var disks []v1alpha1.ChosenDisk
	for _, d := range devices {
		if d.Class != "" {
			disks = append(disks, v1alpha1.ChosenDisk{Name: d.Name, Class: d.Class, Path: d.Path})
		}
	}
	return disks
}

// chosenOn are the paths of the disks of classes that were chosen on a node before, by the device's name: from the
// plan, or from status until there is one. Nil if none were.
func (s *scope) chosenOn(node string) map[string]string {
	chosen := map[string]string{}
	for _, n := range s.runs {
		if n.name == node && n.started() {
			for _, d := range n.run.Plan.Devices {
				chosen[d.Name] = d.Path
			}
			return chosen
		}
	}
	status := s.nodeStatus(node)
	if status == nil {
		return nil
	}
	for _, d := range status.Disks {
		chosen[d.Name] = d.Path
	}
	return chosen
}
