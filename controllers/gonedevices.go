// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// progressFor is the progress ConfigMap that runners read. It says whether to stop after the current trial, and which
// disks an administrator gives up, of this benchmark or of an earlier one that no longer exists.
func progressFor(benchmark *v1alpha1.ZfsBenchmark, run *jobspec.Run, suspend string) *corev1.ConfigMap {
	progress := run.ProgressConfigMap(suspend)
	if forgotten := benchmark.Annotations[v1alpha1.AnnotationForgetDevices]; forgotten != "" {
		metav1.SetMetaDataAnnotation(&progress.ObjectMeta, jobspec.AnnotationForget, forgotten)
	}
	return progress
}

// goneDevices are the events about recorded disks that were given up.
func (n *nodeRun) goneDevices() []notice {
	if n.progress == nil || len(n.progress.Gone) == 0 {
		return nil
	}
	return []notice{{
		kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonDeviceGone, action: "Release",
		note: fmt.Sprintf("On %s, %s.", n.name, strings.Join(n.progress.Gone, "; ")),
	}}
}
