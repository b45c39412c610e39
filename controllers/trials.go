// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

// decodeTrials reads the trials from a node's results ConfigMaps, in the order of their indexes. The content is not
// trusted: a document that cannot be read, or is not a trial of this plan in its place, is an error.
func decodeTrials(p plan.Plan, digest string, shards []*corev1.ConfigMap) ([]result.Trial, error) {
	known := make(map[string]bool, len(p.Trials))
	for _, t := range p.Trials {
		known[result.TrialKey(t.Index)] = true
	}
	var trials []result.Trial
	shared := properties{}
	for _, shard := range shards {
		for _, key := range slices.Sorted(maps.Keys(shard.BinaryData)) {
			// Documents that the plan does not have are not decompressed.
			err := errors.New("its key belongs to no trial of the plan")
			var trial result.Trial
			if known[key] {
				trial, err = decodeTrial(p, digest, key, shard.BinaryData[key])
			}
			if err != nil {
				return nil, fmt.Errorf("read %s of %s: %w", key, shard.Name, err)
			}
			shared.shareAll(&trial)
			trials = append(trials, trial)
		}
	}
	slices.SortFunc(trials, func(a, b result.Trial) int { return cmp.Compare(a.Index, b.Index) })
	if err := checkReruns(p, trials); err != nil {
		return nil, err
	}
	for i := 1; i < len(trials); i++ {
		if trials[i].Index == trials[i-1].Index {
			return nil, fmt.Errorf("trial %d has two results", trials[i].Index)
		}
	}
	return trials, nil
}

// properties are the last seen properties of each variant, and of each variant with each workload.
type properties map[string]result.PoolFacts

// shareAll lets trials with equal properties share the maps. Properties take most of the memory of a trial, and there
// can be ten thousand trials.
func (p properties) shareAll(trial *result.Trial) {
	p.share(trial.Variant, &trial.Pool)
	for i := range trial.Samples {
		p.share(trial.Variant+" "+trial.Samples[i].Workload, &trial.Samples[i].Pool)
	}
}

func (p properties) share(key string, have *result.PoolFacts) {
	last := p[key]
	if maps.Equal(have.PoolProperties, last.PoolProperties) {
		have.PoolProperties = last.PoolProperties
	}
	if maps.Equal(have.DatasetProperties, last.DatasetProperties) {
		have.DatasetProperties = last.DatasetProperties
	}
	for i, child := range have.Children {
		if shared := last.PropertiesOf(child.Name); maps.Equal(child.Properties, shared) {
			have.Children[i].Properties = shared
		}
	}
	p[key] = *have
}

// decodeTrial reads one trial of the plan.
func decodeTrial(p plan.Plan, digest, key string, data []byte) (result.Trial, error) {
	trial, err := result.DecodeTrial(data, len(p.Runs()))
	if err != nil {
		return result.Trial{}, err
	}
	return trial, checkTrial(p, digest, key, trial)
}

// checkTrial compares a trial with the plan.
func checkTrial(p plan.Plan, digest, key string, trial result.Trial) error {
	if trial.PlanDigest != digest {
		return fmt.Errorf("it belongs to another plan, %s", trial.PlanDigest)
	}
	if trial.Index < 0 || trial.Index >= len(p.Trials) || result.TrialKey(trial.Index) != key {
		return fmt.Errorf("it is trial %d of %d, but its key is another trial's", trial.Index, len(p.Trials))
	}
	want := p.Trials[trial.Index]
	if trial.Variant != want.Variant || trial.Repetition != want.Repetition || trial.Node != p.Node.Name {
		return fmt.Errorf("it is repetition %d of %q on %q; the plan says repetition %d of %q on %q",
			trial.Repetition, trial.Variant, trial.Node, want.Repetition, want.Variant, p.Node.Name)
	}
	if err := checkParameters(p, trial); err != nil {
		return err
	}
	if err := checkPreparation(p, trial); err != nil {
		return err
	}
	if err := checkFreshPool(p, trial); err != nil {
		return err
	}
	if err := checkExcluded(p, trial.Excluded); err != nil {
		return err
	}
	if err := checkBaseline(p, trial); err != nil {
		return err
	}
	if err := checkClaimed(p, trial); err != nil {
		return err
	}
	return checkSamples(p, trial)
}

// checkExcluded requires that attempts were excluded only for the causes that were declared beforehand. A runner that
// could exclude for any cause would choose its results.
func checkExcluded(p plan.Plan, attempts []result.Attempt) error {
	for _, a := range attempts {
		if !experiment.Excludes(a.Failure.Reason) {
			return fmt.Errorf("an attempt of it was excluded for %s, which is not a valid reason", a.Failure.Reason)
		}
		for _, b := range a.Bandwidths {
			if workloadIndex(p, b.Workload) < 0 {
				return fmt.Errorf("an excluded attempt of it measured %q, which is not a workload of the plan", b.Workload)
			}
		}
	}
	return nil
}

// checkReruns limits the reruns of all trials to what the plan allows. The document of a single trial has a limit too.
func checkReruns(p plan.Plan, trials []result.Trial) error {
	var reruns int
	for _, t := range trials {
		reruns += len(t.Excluded)
	}
	if most := experiment.MaxReruns(p); reruns > most {
		return fmt.Errorf("%d attempts were excluded and run again; a plan of %d trials may have %d",
			reruns, len(p.Trials), most)
	}
	return nil
}

// checkSamples requires the samples of the plan's workloads in their order, none twice, and all of them unless the
// trial failed. A duplicate sample would count as two repetitions; a trial without samples would count although it
// never ran.
func checkSamples(p plan.Plan, trial result.Trial) error {
	next, runs := 0, p.Runs()
	for _, sample := range trial.Samples {
		i := slices.IndexFunc(runs, func(r plan.Run) bool {
			return r.Workload.Name == sample.Workload && r.Pass == sample.Pass
		})
		switch {
		case workloadIndex(p, sample.Workload) < 0:
			return fmt.Errorf("it has a sample of %q, which is not a workload of the plan", sample.Workload)
		case i < 0:
			return fmt.Errorf("it has a sample of pass %d of %q, which is not planned", sample.Pass, sample.Workload)
		case i < next:
			return fmt.Errorf("its sample of %q is out of order or a duplicate", runs[i].Name())
		}
		if want := string(runs[i].Cache()); sample.CacheState != want {
			return fmt.Errorf("its sample of %q was taken with the cache %s; the plan says %s",
				runs[i].Name(), sample.CacheState, want)
		}
		if err := checkOperations(runs[i].Workload, sample); err != nil {
			return err
		}
		next = i + 1
	}
	if trial.Failure == nil && len(trial.Samples) < len(runs) {
		return fmt.Errorf("it did not fail, but has samples of only %d of the %d workloads", len(trial.Samples), len(runs))
	}
	return nil
}

// checkOperations refuses operations that the tool of a workload does not do.
func checkOperations(w v1alpha1.Workload, sample result.Sample) error {
	if w.Fio != nil && len(sample.Phases) > 0 {
		return fmt.Errorf("its sample of %q has phases, but fio has none", w.Name)
	}
	if err := checkSteady(w, sample); err != nil {
		return err
	}
	planned := 0
	if w.Fio != nil {
		planned = len(w.Fio.Jobs)
	}
	if len(sample.Jobs) != planned {
		return fmt.Errorf("its sample of %q has %d jobs; the plan says %d", w.Name, len(sample.Jobs), planned)
	}
	for _, o := range sample.Operations() {
		if !slices.Contains(w.Operations(), v1alpha1.Operation(o.Name)) {
			return fmt.Errorf("its sample of %q has the operation %s, which the workload does not do", w.Name, o.Name)
		}
	}
	return nil
}

// checkSteady requires as many rounds as planned, or fewer if the workload became steady and ends then.
func checkSteady(w v1alpha1.Workload, sample result.Sample) error {
	s := sample.Steady
	if w.Fio == nil || w.Fio.SteadyState == nil {
		if s != nil {
			return fmt.Errorf("its sample of %q was repeated until it was steady, which is not planned", w.Name)
		}
		return nil
	}
	if s == nil {
		return fmt.Errorf("its sample of %q does not say whether it was steady", w.Name)
	}
	how := w.Fio.SteadyState.WithDefaults()
	mayEnd := s.Reached && how.Then == v1alpha1.SteadyEnds
	if n := len(s.IOPS); s.Window != int(how.Window) || n > int(how.Rounds) || n < int(how.Rounds) && !mayEnd {
		return fmt.Errorf("its sample of %q has %d rounds with a window of %d; the plan says %d with %d",
			w.Name, n, s.Window, how.Rounds, how.Window)
	}
	return nil
}

// durations are how long the successful trials took. They are never negative, whatever happened to the node's clock,
// and not longer than the plan's timeout.
func durations(p plan.Plan, trials []result.Trial) []time.Duration {
	var took []time.Duration
	for _, trial := range trials {
		if trial.Failure == nil {
			took = append(took, min(max(0, trial.Finished.Sub(trial.Started)), p.Timeout()))
		}
	}
	return took
}
