// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/caveats"
	"zfsbench.io/operator/internal/analysis/experiment"
	"zfsbench.io/operator/internal/analysis/threshold"
	"zfsbench.io/operator/internal/result"
)

// The trials of a running benchmark are read and published at most once per readInterval. After a reading that took
// long, the manager waits readShare times as long: ten thousand trials take ten seconds of CPU time, possibly on a node
// that is being measured. The last reading is never delayed.
const (
	readInterval = 10 * time.Second
	readShare    = 100
)

// reading is a summary of all nodes' results when they were last read.
type reading struct {
	// key says what was read. Reading with the same key again would give the same result.
	key  string
	when time.Time
	// took is how long reading took.
	took time.Duration
	// nodes by name.
	nodes map[string]nodeReading

	// reported is the key of the last report; summary and results are what it puts into status.
	reported string
	summary  v1alpha1.Summary
	results  []v1alpha1.ResultStatus
	// omitted is how many results are in the report only; warnings say which results may mislead.
	omitted  int32
	warnings []caveats.Warning
	// thresholds is the report's verdict on them; nil until the benchmark has finished.
	thresholds *threshold.Verdict
	// published is the key of the report that is in the results ConfigMap; refused is when the last one could not be
	// written there.
	published string
	refused   time.Time
}

// nodeReading is a summary of one node's results.
type nodeReading struct {
	// trials counts the results, failures the results of failed trials; wanted is how many trials the plan needs
	// according to the results so far.
	trials, failures, wanted int
	// end says after which repetition the plan ends.
	end experiment.End
	// durations are how long the trials that succeeded took.
	durations []time.Duration
	// err says which result cannot be read.
	err error
}

// read decodes the trials of all nodes, unless nothing has changed or the last time was only moments ago.
func (r *Reconciler) read(_ context.Context, s *scope) (bool, error) {
	key := s.readingKey()
	last := r.cache.get(s.benchmark.UID)
	switch {
	case last != nil && last.key == key:
		s.reading = last
	case last != nil && last.reported != "" && !s.ending() && s.now.Sub(last.when) < last.rest():
		s.reading = last
		s.requeueWithin(last.rest() - s.now.Sub(last.when))
	default:
		s.reading = &reading{key: key, when: s.now}
		if last != nil {
			again := *last
			again.key, again.when = key, s.now
			s.reading = &again
		}
		began := time.Now()
		s.reading.nodes = s.decodeAll()
		s.reading.took = time.Since(began)
		r.cache.put(s.benchmark.UID, s.reading)
	}
	for _, n := range s.runs {
		node := s.reading.nodes[n.name]
		n.results, n.failures, n.wanted, n.end, n.resultsError = node.trials, node.failures, node.wanted, node.end, node.err
	}
	return false, nil
}

// rest is how long to wait after this reading before the next one.
func (r *reading) rest() time.Duration { return max(readInterval, readShare*r.took) }

// decodeAll decodes every node's trials. They are kept for this reconcile only, because there can be very many.
func (s *scope) decodeAll() map[string]nodeReading {
	nodes := map[string]nodeReading{}
	s.trials = map[string][]result.Trial{}
	for _, n := range s.runs {
		if n.run == nil {
			continue
		}
		trials, err := decodeTrials(n.run.Plan, n.run.Digest, n.shards)
		end := experiment.EndOf(n.run.Plan, trials)
		trials = end.Counted(trials)
		took := durations(n.run.Plan, trials)
		nodes[n.name] = nodeReading{
			trials: len(trials), failures: len(trials) - len(took), wanted: len(end.Wanted(n.run.Plan)), end: end,
			durations: took, err: err,
		}
		s.trials[n.name] = trials
	}
	return nodes
}

// ending means that a Job has ended or is gone, so that its results are needed for the outcome.
func (s *scope) ending() bool {
	for _, n := range s.runs {
		if n.started() && (n.job == nil || ended(n.job)) {
			return true
		}
	}
	return false
}

// readingKey names the versions of everything that is decoded.
func (s *scope) readingKey() string {
	var key strings.Builder
	for _, n := range s.runs {
		for _, shard := range n.shards {
			fmt.Fprintf(&key, "%s@%s;", shard.UID, shard.ResourceVersion)
		}
	}
	return key.String()
}
