// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// clockSkew is how far a node's clock may be ahead of the manager's before its times are ignored.
const clockSkew = 5 * time.Minute

// checkProgress compares progress with the plan. A runner is not trusted, because its progress decides what people read
// and what the manager does next.
func checkProgress(p plan.Plan, digest string, progress result.Progress) error {
	if progress.PlanDigest != digest {
		return fmt.Errorf("it is about another plan, %s", progress.PlanDigest)
	}
	if done := progress.Completed + progress.Failed; done > len(p.Trials) {
		return fmt.Errorf("it reports %d of %d trials done", done, len(p.Trials))
	}
	if found := progress.Preflight; found != nil && found.Passed && !foundNothing(*found) {
		return fmt.Errorf("its preflight passed although checks failed")
	}
	current := progress.Current
	if current == nil {
		return nil
	}
	if current.Index >= len(p.Trials) {
		return fmt.Errorf("its current trial is number %d of %d", current.Index, len(p.Trials))
	}
	if want := p.Trials[current.Index]; current.Variant != want.Variant || current.Repetition != want.Repetition {
		return fmt.Errorf("its current trial is repetition %d of %q; the plan says repetition %d of %q",
			current.Repetition, current.Variant, want.Repetition, want.Variant)
	}
	if current.Workload != "" && workloadIndex(p, current.Workload) < 0 {
		return fmt.Errorf("its current workload is %q, which is not in the plan", current.Workload)
	}
	return nil
}

// foundNothing means that no device was refused and no check failed.
func foundNothing(found result.Preflight) bool {
	return len(found.Refused()) == 0 && len(found.ChecksThat(result.OutcomeFailed)) == 0
}

// workloadIndex is a workload's place in the plan, or -1.
func workloadIndex(p plan.Plan, name string) int {
	return slices.IndexFunc(p.Workloads, func(w v1alpha1.Workload) bool { return w.Name == name })
}

// clampReason returns the reason of a failure if a runner may give it. Other reasons are the manager's own, or unknown
// to the API.
func clampReason(reason string) string {
	known := []string{
		v1alpha1.ReasonDeviceRefused, v1alpha1.ReasonPreflightFailed, v1alpha1.ReasonWorkloadFailed,
		v1alpha1.ReasonPoolFailed, v1alpha1.ReasonBaselineFailed, v1alpha1.ReasonClaimFailed,
		v1alpha1.ReasonPoolSuspended, v1alpha1.ReasonPoolNotOnline, v1alpha1.ReasonPoolBusy, v1alpha1.ReasonVdevErrors,
		v1alpha1.ReasonTimedOut, v1alpha1.ReasonCleanupFailed, v1alpha1.ReasonInterrupted,
	}
	if slices.Contains(known, reason) {
		return reason
	}
	return v1alpha1.ReasonRunnerFailed
}

// clampStart limits a reported start to the benchmark's lifetime, so that a wrong clock or a lie does not turn a run of
// a minute into one of years.
func clampStart(reported, created, now time.Time) time.Time {
	switch {
	case reported.Before(created):
		return created
	case reported.After(now):
		return now
	}
	return reported
}
