// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

// errNotComplete is wrapped with the reason of a benchmark that finished without all of its results.
var errNotComplete = errors.New("benchmark is not complete")

// follower prints a line whenever what it says about a benchmark changes.
type follower struct {
	client client.Client
	out    io.Writer
	clock  func() time.Time
	last   map[client.ObjectKey]string
}

// untilFinished polls until every benchmark has finished and returns why any of them is not complete.
func (f follower) untilFinished(ctx context.Context, keys []client.ObjectKey) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		finished, err := f.look(ctx, keys)
		if finished || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("follow the benchmarks: %w; last seen:\n%s", context.Cause(ctx), f.lastSeen(keys))
		case <-ticker.C:
		}
	}
}

// look reads every benchmark once and prints what has changed.
func (f follower) look(ctx context.Context, keys []client.ObjectKey) (finished bool, err error) {
	finished = true
	var failures []error
	for _, key := range keys {
		var b v1alpha1.ZfsBenchmark
		if err := f.client.Get(ctx, key, &b); err != nil {
			return false, fmt.Errorf("follow the benchmarks: %w", err)
		}
		if line := progressLine(&b); line != f.last[key] {
			f.last[key] = line
			_, _ = fmt.Fprintf(f.out, "%s  %s\n", f.clock().Format(time.TimeOnly), line)
		}
		done, err := outcome(&b)
		finished = finished && done
		failures = append(failures, err)
	}
	if !finished {
		return false, nil
	}
	return true, errors.Join(failures...)
}

func (f follower) lastSeen(keys []client.ObjectKey) string {
	var lines []string
	for _, key := range keys {
		lines = append(lines, "  "+f.last[key])
	}
	return strings.Join(lines, "\n")
}

// outcome says whether a benchmark has finished and, if it is not complete, why.
func outcome(b *v1alpha1.ZfsBenchmark) (finished bool, err error) {
	conditions := b.Status.Conditions
	if !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionFinished) {
		return false, nil
	}
	if meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionComplete) {
		return true, nil
	}
	reason := "no condition says why"
	if failed := meta.FindStatusCondition(conditions, v1alpha1.ConditionFailed); failed != nil {
		reason = failed.Reason + ": " + failed.Message
	}
	return true, fmt.Errorf("%w: %s: %s", errNotComplete, b.Name, reason)
}

// progressLine says in one line what a benchmark does, or why it does nothing.
func progressLine(b *v1alpha1.ZfsBenchmark) string {
	line := fmt.Sprintf("%-12s %-9s", b.Name, b.Status.Phase)
	if p := b.Status.Progress; p != nil {
		line += fmt.Sprintf(" %3d%%  trials %d/%d", p.Percent, p.Trials.Completed, p.Trials.Total)
		if p.Trials.Failed > 0 {
			line += fmt.Sprintf(", %d failed", p.Trials.Failed)
		}
		if p.CurrentWorkload != "" {
			line += fmt.Sprintf("  repetition %d: %s", p.CurrentRepetition, p.CurrentWorkload)
		}
	}
	if message := remark(b); message != "" {
		line += "  " + message
	}
	return strings.TrimRight(line, " ")
}

// remark is the message of the condition that says why a benchmark failed, what keeps it from running, or what it does
// before its first workload.
func remark(b *v1alpha1.ZfsBenchmark) string {
	find := func(kind string, status metav1.ConditionStatus) string {
		if c := meta.FindStatusCondition(b.Status.Conditions, kind); c != nil && c.Status == status {
			return c.Message
		}
		return ""
	}
	failed := find(v1alpha1.ConditionFailed, metav1.ConditionTrue)
	if failed != "" || meta.IsStatusConditionTrue(b.Status.Conditions, v1alpha1.ConditionFinished) {
		return failed
	}
	if message := find(v1alpha1.ConditionAccepted, metav1.ConditionFalse); message != "" {
		return message
	}
	if p := b.Status.Progress; p != nil && (p.CurrentWorkload != "" || p.Percent > 0) {
		return ""
	}
	return find(v1alpha1.ConditionRunning, metav1.ConditionFalse) + find(v1alpha1.ConditionRunning, metav1.ConditionTrue)
}
