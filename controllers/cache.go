// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// CacheOptions keep the manager's memory, and its permissions, to what it made: of ConfigMaps, Jobs, pods and leases
// only its own in the runner namespace, and of pods also those that have claimed volumes. Nodes, policies and
// benchmarks are cached for the whole cluster, and of PersistentVolumes which devices they name.
func CacheOptions(c config.Manager) cache.Options {
	runnerNamespace := c.RunnerNamespace
	ours := labels.SelectorFromSet(labels.Set{jobspec.LabelManagedBy: jobspec.ManagedBy})
	own := func() cache.ByObject {
		return cache.ByObject{Namespaces: map[string]cache.Config{runnerNamespace: {LabelSelector: ours}}}
	}
	documents := own()
	// Results are large and only read: not copying them at every look is worth the care.
	documents.UnsafeDisableDeepCopy = ptr.To(true)
	pods := own()
	if c.CSI.Enabled {
		pods.Namespaces[c.CSI.Namespace] = cache.Config{LabelSelector: ours}
	}
	leases := cache.ByObject{Namespaces: map[string]cache.Config{runnerNamespace: {}}}
	return cache.Options{
		DefaultTransform: cache.TransformStripManagedFields(),
		ByObject: map[client.Object]cache.ByObject{
			&corev1.ConfigMap{}:     documents,
			&corev1.Pod{}:           pods,
			&batchv1.Job{}:          own(),
			&coordinationv1.Lease{}: leases,
			// What else a volume says is read past the cache.
			&corev1.PersistentVolume{}: {Transform: stripVolume},
		},
	}
}
