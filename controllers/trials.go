// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// decodeTrials reads the trials from a node's results ConfigMaps, in the order of their indexes. The content is not trusted: a document that cannot be
// read, or is not a trial of this plan in its place, is an error.
func decodeTrials(p plan.Plan, digest string, shards []*corev1.ConfigMap) ([]result.Trial, error) {
	var trials []result.Trial
	for _, shard := range shards {
		for _, key := range slices.Sorted(maps.Keys(shard.BinaryData)) {
			trial, err := result.DecodeTrial(shard.BinaryData[key])
			if err == nil {
				err = checkTrial(p, digest, key, trial)
			}
			if err != nil {
				return nil, fmt.Errorf("read %s of %s: %w", key, shard.Name, err)
			}
			trials = append(trials, trial)
		}
	}
	slices.SortFunc(trials, func(a, b result.Trial) int { return cmp.Compare(a.Index, b.Index) })
	for i := 1; i < len(trials); i++ {
		if trials[i].Index == trials[i-1].Index {
			return nil, fmt.Errorf("trial %d has two results", trials[i].Index)
		}
	}
	return trials, nil
}

// checkTrial holds a trial to the plan.
func checkTrial(p plan.Plan, digest, key string, trial result.Trial) error {
	if trial.PlanDigest != digest {
		return fmt.Errorf("it belongs to another plan, %s", trial.PlanDigest)
	}
	if trial.Index < 0 || trial.Index >= len(p.Trials) || result.TrialKey(trial.Index) != key {
		return fmt.Errorf("it is trial %d of %d, under the key of another", trial.Index, len(p.Trials))
	}
	want := p.Trials[trial.Index]
	if trial.Variant != want.Variant || trial.Repetition != want.Repetition || trial.Node != p.Node.Name {
		return fmt.Errorf("it is repetition %d of %q on %q; planned is repetition %d of %q on %q",
			trial.Repetition, trial.Variant, trial.Node, want.Repetition, want.Variant, p.Node.Name)
	}
	for _, sample := range trial.Samples {
		if !slices.ContainsFunc(p.Workloads, func(w v1alpha1.Workload) bool { return w.Name == sample.Workload }) {
			return fmt.Errorf("it has a sample of %q, which is no workload of the plan", sample.Workload)
		}
	}
	return nil
}

// durations are how long the trials that succeeded took.
func durations(trials []result.Trial) []time.Duration {
	var took []time.Duration
	for _, trial := range trials {
		if trial.Failure == nil {
			took = append(took, max(0, trial.Finished.Sub(trial.Started)))
		}
	}
	return took
}
