// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
)

// errNodeTaken says that a benchmark has the node, although the cache does not show that yet.
var errNodeTaken = errors.New("a benchmark has taken the node")

// startDiscovery makes the Job that looks at a node, and what it needs. The API itself says that no benchmark has the
// node; errNodeTaken if one does.
func (n *nodeStorages) startDiscovery(ctx context.Context, s *storageState) error {
	var lease coordinationv1.Lease
	name := types.NamespacedName{Namespace: n.Config.RunnerNamespace, Name: string(s.node.UID)}
	err := n.APIReader.Get(ctx, name, &lease)
	if err == nil {
		return errNodeTaken
	}
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get the node's lease: %w", err)
	}
	volumes, err := n.volumesMaybeOn(ctx, s.node, nil)
	if err != nil {
		return err
	}
	paths := pathsOf(volumes)
	paths = paths[:min(len(paths), plan.MaxVolumes)]
	d := jobspec.Discovery{
		Namespace: n.Config.RunnerNamespace, NodeName: s.node.Name, NodeUID: string(s.node.UID),
		Request: jobspec.DiscoveryRequest{Scratch: n.Config.Scratch.Directory, Volumes: paths},
	}
	request, err := d.ConfigMap()
	if err != nil {
		return err
	}
	applied, err := n.apply(ctx, request)
	if err != nil {
		return err
	}
	d.OwnerUID = applied.GetUID()
	for _, object := range []client.Object{d.ServiceAccount(), d.Role(), d.RoleBinding(), d.Job(n.Config.Runner)} {
		if _, err := n.apply(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// removeDiscovery deletes what there is of a discovery. What the ConfigMap owns goes with it.
func (r *Reconciler) removeDiscovery(ctx context.Context, s *storageState) error {
	if s.job != nil {
		if err := r.remove(ctx, s.job, metav1.DeletePropagationBackground); err != nil {
			return err
		}
	}
	if err := r.removePods(ctx, s.pods); err != nil {
		return err
	}
	if s.request != nil {
		return r.remove(ctx, s.request, metav1.DeletePropagationBackground)
	}
	return nil
}

// removePods deletes pods. Those of a deleted Job go with it, but a pod may have lost its Job.
func (r *Reconciler) removePods(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		if err := r.remove(ctx, pod, metav1.DeletePropagationBackground); err != nil {
			return err
		}
	}
	return nil
}

// hangs says whether a discovery's pod should have ended long ago.
func hangs(pod *corev1.Pod, now time.Time) bool {
	return pod.DeletionTimestamp != nil && now.Sub(pod.DeletionTimestamp.Time) > hungDiscovery
}

// hungDiscovery is how long a benchmark waits for the pod of a discovery to end. One that hangs on a dead disk has none
// of the others open.
const hungDiscovery = time.Minute

// endDiscovery ends a discovery on a node that a benchmark is about to use: the runner would find disks open in it.
// waiting says that the benchmark has to wait a moment for that.
func (r *Reconciler) endDiscovery(ctx context.Context, s *scope, node string) (waiting bool, err error) {
	of := []client.ListOption{client.InNamespace(r.Config.RunnerNamespace),
		client.MatchingLabels(jobspec.DiscoveryLabels(node))}
	var jobs batchv1.JobList
	if err := r.List(ctx, &jobs, of...); err != nil {
		return false, fmt.Errorf("list jobs: %w", err)
	}
	for i := range jobs.Items {
		if err := r.remove(ctx, &jobs.Items[i], metav1.DeletePropagationBackground); err != nil {
			return false, err
		}
	}
	var pods corev1.PodList
	if err := r.List(ctx, &pods, of...); err != nil {
		return false, fmt.Errorf("list pods: %w", err)
	}
	var running []*corev1.Pod
	for i := range pods.Items {
		pod := &pods.Items[i]
		if ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed; !ended {
			running = append(running, pod)
			waiting = waiting || !hangs(pod, s.now)
		}
	}
	if waiting {
		s.requeueWithin(time.Second)
	}
	return waiting, r.removePods(ctx, running)
}
