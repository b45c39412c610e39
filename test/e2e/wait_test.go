// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/api/v1alpha1"
)

// patience bounds every wait; nodes may be emulated.
const patience = 10 * time.Minute

// apply creates the benchmark; when the test ends it is deleted and the node must be as before.
func (b benchmark) apply(t *testing.T) *v1alpha1.ZfsBenchmark {
	t.Helper()
	if err := suite.client.Create(t.Context(), b.obj); err != nil {
		t.Fatalf("create %s: %v", b.obj.Name, err)
	}
	t.Cleanup(func() {
		remove(t, b.obj)
		assertNothingLeft(t, b.obj)
	})
	return b.obj
}

// remove deletes a benchmark and waits until it is gone.
func remove(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	ctx := context.Background()
	if err := client.IgnoreNotFound(suite.client.Delete(ctx, obj)); err != nil {
		t.Fatalf("delete %s: %v", obj.Name, err)
	}
	awaitGone(t, obj)
}

// awaitGone waits until a deleted benchmark is gone.
func awaitGone(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	await(t, "benchmark "+obj.Name+" gone", func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(obj), obj.DeepCopy())
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}, func() string { return describe(obj) })
}

// await polls a condition; why describes the state when patience ends.
func await(t *testing.T, what string, condition func() (bool, error), why func() string) {
	t.Helper()
	awaitWithin(t, patience, what, condition, why)
}

// awaitWithin is await with a patience of its own. An API server that does not answer, or not yet, is waited for as
// well.
func awaitWithin(t *testing.T, limit time.Duration, what string, condition func() (bool, error), why func() string) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(context.Background(), time.Second, limit, true,
		func(context.Context) (bool, error) {
			done, err := condition()
			if last = err; unanswered(err) {
				return false, nil
			}
			return done, err
		})
	if err != nil {
		t.Fatalf("waiting for %s: %v\n%s", what, errors.Join(err, last), why())
	}
}

// unanswered means that the API server said nothing of the request itself.
func unanswered(err error) bool {
	if err == nil {
		return false
	}
	answer := apierrors.APIStatus(nil)
	return !errors.As(err, &answer) || answer.Status().Code >= http.StatusInternalServerError
}

// awaitBenchmark polls until the benchmark is as wanted and returns it.
func awaitBenchmark(
	t *testing.T, obj *v1alpha1.ZfsBenchmark, what string, want func(*v1alpha1.ZfsBenchmark) bool,
) *v1alpha1.ZfsBenchmark {
	t.Helper()
	got := &v1alpha1.ZfsBenchmark{}
	await(t, obj.Name+": "+what, func() (bool, error) {
		err := suite.client.Get(context.Background(), client.ObjectKeyFromObject(obj), got)
		return err == nil && want(got), err
	}, func() string { return describe(obj) })
	return got
}

// awaitFinished waits for the end, whatever it is.
func awaitFinished(t *testing.T, obj *v1alpha1.ZfsBenchmark) *v1alpha1.ZfsBenchmark {
	t.Helper()
	return awaitBenchmark(t, obj, "Finished", finished)
}

func finished(b *v1alpha1.ZfsBenchmark) bool {
	return meta.IsStatusConditionTrue(b.Status.Conditions, v1alpha1.ConditionFinished)
}

// awaitTrials waits for a benchmark of many trials, as long as each of them takes no longer than the patience for
// anything else.
func awaitTrials(t *testing.T, obj *v1alpha1.ZfsBenchmark) {
	t.Helper()
	for done := int32(0); ; {
		got := awaitBenchmark(t, obj, fmt.Sprintf("more than %d trials", done), func(b *v1alpha1.ZfsBenchmark) bool {
			return finished(b) || b.Status.Progress != nil && b.Status.Progress.Trials.Completed > done
		})
		if finished(got) {
			return
		}
		done = got.Status.Progress.Trials.Completed
	}
}

// awaitComplete waits for the end and fails the test unless every trial has a result.
func awaitComplete(t *testing.T, obj *v1alpha1.ZfsBenchmark) *v1alpha1.ZfsBenchmark {
	t.Helper()
	got := awaitFinished(t, obj)
	if !meta.IsStatusConditionTrue(got.Status.Conditions, v1alpha1.ConditionComplete) {
		t.Fatalf("%s did not complete:\n%s", obj.Name, describe(obj))
	}
	return got
}

// awaitFailed waits for the end and returns the Failed condition.
func awaitFailed(t *testing.T, obj *v1alpha1.ZfsBenchmark) (reason, message string) {
	t.Helper()
	got := awaitFinished(t, obj)
	failed := meta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionFailed)
	if failed == nil || failed.Status != "True" {
		t.Fatalf("%s did not fail:\n%s", obj.Name, describe(obj))
	}
	return failed.Reason, failed.Message
}

// describe renders everything a person would look at to understand a benchmark that is not as expected.
func describe(obj *v1alpha1.ZfsBenchmark) string {
	ctx := context.Background()
	var text strings.Builder
	got := &v1alpha1.ZfsBenchmark{}
	if err := suite.client.Get(ctx, client.ObjectKeyFromObject(obj), got); err != nil {
		fmt.Fprintln(&text, "benchmark:", err)
	}
	status, _ := yaml.Marshal(got.Status)
	fmt.Fprintf(&text, "status:\n%s", status)
	events := &corev1.EventList{}
	if err := suite.client.List(ctx, events, client.InNamespace(obj.Namespace)); err == nil {
		for _, e := range events.Items {
			if e.InvolvedObject.UID == obj.UID {
				fmt.Fprintf(&text, "event: %s %s: %s\n", e.Type, e.Reason, e.Message)
			}
		}
	}
	for _, pod := range runnerPods(ctx, obj) {
		logs, err := suite.shell.clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(ctx)
		fmt.Fprintf(&text, "pod %s (%s), log %v:\n%s\n", pod.Name, pod.Status.Phase, err, logs)
	}
	return text.String()
}

// runnerPods are the pods of the benchmark's Jobs, oldest first.
func runnerPods(ctx context.Context, obj *v1alpha1.ZfsBenchmark) []corev1.Pod {
	jobs := &batchv1.JobList{}
	if err := suite.client.List(ctx, jobs, client.InNamespace(runnerNamespace),
		client.MatchingLabels{v1alpha1.LabelBenchmarkUID: string(obj.UID)}); err != nil {
		return nil
	}
	var found []corev1.Pod
	for _, job := range jobs.Items {
		pods := &corev1.PodList{}
		if err := suite.client.List(ctx, pods, client.InNamespace(runnerNamespace),
			client.MatchingLabels{batchv1.JobNameLabel: job.Name}); err == nil {
			found = append(found, pods.Items...)
		}
	}
	slices.SortFunc(found, func(a, b corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	return found
}
