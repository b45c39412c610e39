// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// startPatience is how long a pod may fail to start for a cause that can pass, such as a registry that does not answer
// or a node without room. Time in which the node is not Ready, or is cordoned, does not count.
const startPatience = 5 * time.Minute

// setupPatience is how long a node may take to set up the volumes and the network of a pod. It is long because
// Kubernetes detaches a volume from a dead node by force only after six minutes, and a large filesystem may have to be
// checked.
const setupPatience = 15 * time.Minute

// podPatience is how long a Job may take to make its pod before that is reported.
const podPatience = 15 * time.Second

// problem is why a Job's pod does not run. An empty message means no problem.
type problem struct {
	message string
	// fatal means that waiting does not help, or took too long already.
	fatal bool
	// requeueAfter is when to look again, because the problem will then be reported, or be fatal.
	requeueAfter time.Duration
}

// podProblem looks for what keeps the Job's newest pod from running.
func (n *nodeRun) podProblem(job *batchv1.Job, now time.Time) problem {
	pods := podsOf(job, n.pods)
	pod := newest(pods)
	if age := now.Sub(job.CreationTimestamp.Time); pod == nil && age < podPatience {
		return problem{requeueAfter: podPatience - age}
	}
	if pod == nil {
		message := fmt.Sprintf("Job %s has no pod yet; `kubectl -n %s describe job %s` says why.",
			job.Name, job.Namespace, job.Name)
		return n.patience(problem{message: message}, job.CreationTimestamp.Time, now, startPatience)
	}
	if p, bad := n.startProblem(job, pod, pod.CreationTimestamp.Time, now); bad {
		return p
	}
	if pod.Status.Phase == corev1.PodFailed {
		return problem{message: fmt.Sprintf("pod %s failed%s; the Job tries again.",
			pod.Name, detail(terminationMessage(pod)))}
	}
	return problem{}
}

// startProblem looks for what keeps a pod from starting, and since when.
func (n *nodeRun) startProblem(job *batchv1.Job, pod *corev1.Pod, since, now time.Time) (p problem, bad bool) {
	if waiting := jobspec.ContainerWaiting(pod); waiting != nil {
		p := problem{message: fmt.Sprintf("pod %s waits: %s%s.", pod.Name, waiting.Reason, detail(waiting.Message))}
		p.fatal = slices.Contains([]string{"InvalidImageName", "ErrImageNeverPull"}, waiting.Reason)
		return n.patience(p, since, now, startPatience), true
	}
	if message, ok := jobspec.Unschedulable(pod); ok {
		p := problem{message: fmt.Sprintf("pod %s cannot be scheduled%s.", pod.Name, detail(message))}
		return n.patience(p, since, now, startPatience), true
	}
	if since, waits := notSetUp(pod); waits {
		return n.setupProblem(job, pod, since, now), true
	}
	return problem{}, false
}

// setupProblem is about a pod that waits for its node to set up volumes or network, for longer than usual.
func (n *nodeRun) setupProblem(job *batchv1.Job, pod *corev1.Pod, since, now time.Time) problem {
	if took := now.Sub(since); took < podPatience {
		return problem{requeueAfter: podPatience - took}
	}
	message := fmt.Sprintf("pod %s is not set up by its node%s.", pod.Name, detail(n.podWarning))
	if n.podWarning == "" {
		message = fmt.Sprintf("pod %s is not set up by its node; `kubectl -n %s describe pod %s` says why.",
			pod.Name, job.Namespace, pod.Name)
	}
	p := n.patience(problem{message: message}, since, now, setupPatience)
	if p.fatal && job == n.cleanup {
		return problem{message: message, requeueAfter: podPatience} // without this pod nothing is cleaned up: wait
	}
	return p
}

// notSetUp returns since when the node has been preparing volumes and network of a pod; it creates containers after
// that.
func notSetUp(pod *corev1.Pod) (since time.Time, waits bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReadyToStartContainers && c.Status == corev1.ConditionFalse &&
			pod.Status.Phase == corev1.PodPending {
			since = c.LastTransitionTime.Time // by the node's clock, which may be behind
			if made := pod.CreationTimestamp.Time; made.After(since) {
				since = made
			}
			return since, true
		}
	}
	return time.Time{}, false
}

// patience makes a problem fatal when it has lasted longer than a limit while the node was in service.
func (n *nodeRun) patience(p problem, since, now time.Time, limit time.Duration) problem {
	if p.fatal || !n.ready() || n.node.Spec.Unschedulable {
		return p
	}
	if ready := readySince(n.node); ready.After(since) {
		since = ready
	}
	left := limit - now.Sub(since)
	if left <= 0 {
		p.fatal = true
		return p
	}
	p.requeueAfter = left
	return p
}

// terminationMessage is the last message of a runner's pod that has ended.
func terminationMessage(pod *corev1.Pod) string {
	if pod == nil {
		return ""
	}
	for _, status := range pod.Status.ContainerStatuses {
		if end := status.State.Terminated; status.Name == jobspec.RunnerContainer && end != nil {
			if strings.TrimSpace(end.Message) == "" {
				return fmt.Sprintf("exit code %d, %s", end.ExitCode, end.Reason)
			}
			return end.Message
		}
	}
	return pod.Status.Message
}

// podsOf are the run's pods that a Job made; none if the Job is gone.
func podsOf(job *batchv1.Job, pods []*corev1.Pod) []*corev1.Pod {
	if job == nil {
		return nil
	}
	component := job.Labels[jobspec.LabelComponent]
	var of []*corev1.Pod
	for _, pod := range pods {
		if pod.Labels[jobspec.LabelComponent] == component {
			of = append(of, pod)
		}
	}
	return of
}

// newest is the pod made last, or nil.
func newest(pods []*corev1.Pod) *corev1.Pod {
	if len(pods) == 0 {
		return nil
	}
	return slices.MaxFunc(pods, func(a, b *corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
}

func readySince(node *corev1.Node) time.Time {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.LastTransitionTime.Time
		}
	}
	return time.Time{}
}

// detail formats a cause as the continuation of a sentence.
func detail(text string) string {
	if text = trimStop(text); text == "" {
		return ""
	}
	return ": " + text
}

func trimStop(text string) string { return strings.TrimRight(strings.TrimSpace(text), ".") }
