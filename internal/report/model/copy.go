// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	"zfsbench.io/operator/internal/result"
)

// CopyTrials copies trials, including all parts that a renderer may change.
func CopyTrials(trials []result.Trial) []result.Trial {
	out := make([]result.Trial, 0, len(trials))
	for _, t := range trials {
		samples := make([]result.Sample, 0, len(t.Samples))
		for _, s := range t.Samples {
			s.Read, s.Write, s.Phases = copyOperation(s.Read), copyOperation(s.Write), slices.Clone(s.Phases)
			s.Sync, s.Jobs = copyOperation(s.Sync), copyJobs(s.Jobs)
			if s.During != nil {
				during := *s.During
				s.During = &during
			}
			samples = append(samples, s)
		}
		t.Samples = samples
		out = append(out, t)
	}
	return out
}

func copyJobs(jobs []result.Job) []result.Job {
	out := slices.Clone(jobs)
	for i, j := range out {
		out[i].Read, out[i].Write, out[i].Sync = copyOperation(j.Read), copyOperation(j.Write), copyOperation(j.Sync)
	}
	return out
}

func copyOperation(d *result.Operation) *result.Operation {
	if d == nil {
		return nil
	}
	out := *d
	return &out
}
