// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
)

var (
	digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	reasonPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*$`)
	jobPattern    = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	phasePattern  = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
)

var states = []string{StateWaiting, StatePreflight, StateRunning, StateSuspended, StateComplete, StateFailed,
	StateCleaned}

// checkTrial says why a trial cannot be true, or nil.
func checkTrial(t Trial) error {
	invalid := func(field, format string, args ...any) error {
		return &InvalidError{Document: "trial", Field: field, Problem: fmt.Sprintf(format, args...)}
	}
	if err := checkDocument("trial", t.Version, t.PlanDigest, &t); err != nil {
		return err
	}
	if err := checkFailure(t.Failure); err != nil {
		return invalid("failure", "%v", err)
	}
	if err := checkParameters(t.ModuleParameters); err != nil {
		return invalid("moduleParameters", "%v", err)
	}
	if err := checkExcluded(t.Excluded); err != nil {
		return invalid("excluded", "%v", err)
	}
	if journals := []Journal{"", JournalNone, JournalMetadata, JournalLogTree, JournalIntentLog}; t.Features != nil &&
		!slices.Contains(journals, t.Features.Journal) {
		return invalid("features.journal", "%q is none of %q", t.Features.Journal, journals[1:])
	}
	if len(t.Samples) > maxSamples {
		return invalid("samples", "more than %d", maxSamples)
	}
	for i, s := range t.Samples {
		if s.CacheState != "Cold" && s.CacheState != "Warm" {
			return invalid(fmt.Sprintf("samples[%d].cacheState", i), "%q is neither Cold nor Warm", s.CacheState)
		}
		if s.Pass > 0 && len(s.Phases)+len(s.Jobs) > 0 {
			return invalid(fmt.Sprintf("samples[%d].pass", i), "there are phases or jobs as well")
		}
		if err := checkPhases(s); err != nil {
			return invalid(fmt.Sprintf("samples[%d].phases", i), "%v", err)
		}
		if err := checkDuring(s); err != nil {
			return invalid(fmt.Sprintf("samples[%d].during", i), "%v", err)
		}
		if err := checkJobs(s); err != nil {
			return invalid(fmt.Sprintf("samples[%d].jobs", i), "%v", err)
		}
		if err := s.Steady.check(); err != nil {
			return invalid(fmt.Sprintf("samples[%d].steady", i), "%v", err)
		}
		if err := s.Monitors.check(); err != nil {
			return invalid(fmt.Sprintf("samples[%d].monitors", i), "%v", err)
		}
		if err := s.Data.check(); err != nil {
			return invalid(fmt.Sprintf("samples[%d].data", i), "%v", err)
		}
		if err := s.Inspected.check(); err != nil {
			return invalid(fmt.Sprintf("samples[%d].inspected", i), "%v", err)
		}
		if err := checkVdevs(s); err != nil {
			return invalid(fmt.Sprintf("samples[%d].vdevs", i), "%v", err)
		}
		for _, o := range s.Operations() {
			if err := o.Check(); err != nil {
				return invalid(fmt.Sprintf("samples[%d].%s", i, o.Name), "%v", err)
			}
		}
	}
	return nil
}

// checkExcluded says what is wrong with excluded attempts, or nil.
func checkExcluded(attempts []Attempt) error {
	if len(attempts) > MaxExcluded {
		return fmt.Errorf("more than %d attempts", MaxExcluded)
	}
	for i, a := range attempts {
		if err := checkFailure(&a.Failure); err != nil {
			return fmt.Errorf("attempt %d: %w", i, err)
		}
		if len(a.Bandwidths) > maxSamples {
			return fmt.Errorf("attempt %d: more than %d bandwidths", i, maxSamples)
		}
	}
	return nil
}

// check says what is inconsistent in a distribution, or nil. Percentiles are middles of bins, so they may lie a little
// outside of minimum and maximum, but never outside of their bins.
func (l Latency) check() error {
	percentiles := []struct {
		percent     float64
		nanoseconds int64
	}{{50, l.P50Nanoseconds}, {95, l.P95Nanoseconds}, {99, l.P99Nanoseconds}, {99.9, l.P999Nanoseconds}}
	var previous int64
	for _, p := range percentiles {
		if p.nanoseconds < previous {
			return fmt.Errorf("percentile %v is below the one before it", p.percent)
		}
		previous = p.nanoseconds
	}
	const rounding = 1
	if err := errors.Join(checkFraction(l.MeanNanoseconds), checkFraction(l.StddevNanoseconds)); err != nil {
		return fmt.Errorf("mean %v ± %v ns %w", l.MeanNanoseconds, l.StddevNanoseconds, err)
	}
	if l.MinNanoseconds < 0 || l.MinNanoseconds > l.MaxNanoseconds ||
		l.MeanNanoseconds < float64(l.MinNanoseconds)-rounding || l.MeanNanoseconds > float64(l.MaxNanoseconds)+rounding {
		return fmt.Errorf("minimum %d, mean %v and maximum %d ns are not in order", l.MinNanoseconds, l.MeanNanoseconds,
			l.MaxNanoseconds)
	}
	// A percentile of 0 is one that is not known.
	if p := l.P50Nanoseconds; p != 0 && binIndex(p, MaxHistogramBits) < binIndex(l.MinNanoseconds, MaxHistogramBits) {
		return fmt.Errorf("percentile 50 is %d ns, below the minimum %d", p, l.MinNanoseconds)
	}
	if binIndex(previous, MaxHistogramBits) > binIndex(l.MaxNanoseconds, MaxHistogramBits) {
		return fmt.Errorf("percentile 99.9 is %d ns, above the maximum %d", previous, l.MaxNanoseconds)
	}
	h := l.Histogram
	if h.IsZero() {
		return nil
	}
	if err := h.check(); err != nil {
		return err
	}
	if err := l.checkEdges(); err != nil {
		return err
	}
	if h.Count() != l.Count {
		return fmt.Errorf("histogram counts %d of %d I/O", h.Count(), l.Count)
	}
	for _, p := range percentiles {
		if got := h.Percentile(p.percent); binIndex(p.nanoseconds, h.Bits) != binIndex(got, h.Bits) {
			return fmt.Errorf("percentile %v is %d ns, but %d ns by the histogram", p.percent, p.nanoseconds, got)
		}
	}
	return nil
}

// checkProgress says why progress cannot be true, or nil.
func checkProgress(p Progress) error {
	if err := checkDocument("progress", p.Version, p.PlanDigest, &p); err != nil {
		return err
	}
	if !slices.Contains(states, p.State) {
		return &InvalidError{Document: "progress", Field: "state", Problem: fmt.Sprintf("%q is none of %v", p.State, states)}
	}
	if err := checkFailure(p.Failure); err != nil {
		return &InvalidError{Document: "progress", Field: "failure", Problem: err.Error()}
	}
	if p.State == StateFailed && p.Failure == nil {
		return &InvalidError{Document: "progress", Field: "failure", Problem: "is missing in state Failed"}
	}
	if err := checkPreflight(p.Preflight); err != nil {
		return &InvalidError{Document: "progress", Field: "preflight", Problem: err.Error()}
	}
	if p.Scan != nil && p.Scan.ReadBytes > p.Scan.TotalBytes {
		return &InvalidError{Document: "progress", Field: "scan.readBytes", Problem: "is more than scan.totalBytes"}
	}
	if p.Current != nil && p.Current.Percent > 100 {
		return &InvalidError{Document: "progress", Field: "current.percent",
			Problem: fmt.Sprintf("%d is above 100", p.Current.Percent)}
	}
	return nil
}

// checkOwnership says why ownership cannot be true, or nil. Whether it is true is proven on the node.
func checkOwnership(o Ownership) error {
	if err := checkDocument("ownership", o.Version, o.PlanDigest, &o); err != nil {
		return err
	}
	if o.BenchmarkUID == "" || (o.PoolName == "") == (o.Baseline == "") {
		return &InvalidError{Document: "ownership",
			Problem: "benchmarkUID is empty, or not exactly one of poolName and baseline is set"}
	}
	if err := checkParametersBefore(o); err != nil {
		return &InvalidError{Document: "ownership", Field: "moduleParameters", Problem: err.Error()}
	}
	for i, d := range o.Devices {
		if (d.Path == "") == (d.File == "") {
			field := fmt.Sprintf("devices[%d]", i)
			return &InvalidError{Document: "ownership", Field: field, Problem: "exactly one of path and file must be set"}
		}
	}
	return nil
}

// checkFailure holds a reason to what the API accepts as a condition's reason.
func checkFailure(f *Failure) error {
	if f == nil {
		return nil
	}
	if !reasonPattern.MatchString(f.Reason) {
		return fmt.Errorf("reason %q is not a word", f.Reason)
	}
	return nil
}

// checkDocument holds what all documents share, and the bounds of every value. v points to the document.
func checkDocument(document string, version int, digest string, v any) error {
	if version != Version {
		return &InvalidError{Document: document, Field: "version",
			Problem: fmt.Sprintf("is %d, this build reads %d", version, Version)}
	}
	if !digestPattern.MatchString(digest) {
		return &InvalidError{Document: document, Field: "planDigest", Problem: "is no sha256 digest"}
	}
	if err := (walker{}).walk("", reflect.ValueOf(v), bound{}); err != nil {
		return &InvalidError{Document: document, Problem: err.Error()}
	}
	return nil
}
