// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/jobspec"
)

// progressForCleanup is the progress ConfigMap as a cleanup finds it: with the disks that an administrator gives up.
func (n *nodeRun) progressForCleanup(benchmark *v1alpha1.ZfsBenchmark) *corev1.ConfigMap {
	progress := n.run.ProgressConfigMap(n.suspendRequest())
	if forgotten := benchmark.Annotations[v1alpha1.AnnotationForgetDevices]; forgotten != "" {
		metav1.SetMetaDataAnnotation(&progress.ObjectMeta, jobspec.AnnotationForget, forgotten)
	}
	return progress
}

// goneDevices are the events about disks that were in use and are not the benchmark's any more.
func (n *nodeRun) goneDevices() []notice {
	if n.progress == nil || len(n.progress.Gone) == 0 {
		return nil
	}
	return []notice{{
		kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonDeviceGone, action: "Release",
		note: fmt.Sprintf("On %s, %s.", n.name, strings.Join(n.progress.Gone, "; ")),
	}}
}
