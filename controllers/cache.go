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

// CacheOptions limit the manager's memory and permissions. Of ConfigMaps, Jobs, pods and leases it caches only its own
// in the runner namespace, plus the pods that mount claimed volumes; of the whole cluster nodes, policies and
// benchmarks, and of PersistentVolumes the devices that they name.
func CacheOptions(c config.Manager) cache.Options {
	runnerNamespace := c.RunnerNamespace
	ours := labels.SelectorFromSet(labels.Set{jobspec.LabelManagedBy: jobspec.ManagedBy})
	own := func() cache.ByObject {
		return cache.ByObject{Namespaces: map[string]cache.Config{runnerNamespace: {LabelSelector: ours}}}
	}
	documents := own()
	// Results are large and only read, so they are not copied at each read.
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
			// Everything else of a volume is read past the cache.
			&corev1.PersistentVolume{}: {Transform: stripVolume},
		},
	}
}
