// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tools/fio/preset"
)

// DefaultTargetRelativeError applies to repetitions with a max above min and without a target.
const DefaultTargetRelativeError v1alpha1.Percentage = "2.5%"

// DefaultMargin is the margin of a comparison that does not set one.
const DefaultMargin v1alpha1.Percentage = "3%"

const (
	// comparedRepetitions is how often variants or benchmarks that are compared are measured, if the benchmark does not
	// say: a distribution-free 95% interval of a median needs this many.
	comparedRepetitions = 6
	// defaultRelativeSize is the size of a preset that sets none. The ARC holds at most half of it.
	defaultRelativeSize v1alpha1.RelativeSize = "2xARC"
)

// Defaults sets the CRD's defaults in b, for use without an API server. It also sets those that depend on other fields,
// and those of fio, which must be told apart from what somebody wrote. It does not change values that are set.
func Defaults(b *v1alpha1.ZfsBenchmark) {
	s := &b.Spec
	s.CleanupPolicy = cmp.Or(s.CleanupPolicy, v1alpha1.CleanupOnSuccess)
	s.DevicePreparation = cmp.Or(s.DevicePreparation, v1alpha1.DevicePreparationDiscard)
	if s.Dataset != nil {
		s.Dataset.Type = cmp.Or(s.Dataset.Type, v1alpha1.DatasetFilesystem)
	}
	if s.Repetitions == nil && isCompared(*s) {
		s.Repetitions = &v1alpha1.RepetitionsSpec{Min: comparedRepetitions}
	}
	if s.Repetitions != nil {
		s.Repetitions.Min = cmp.Or(s.Repetitions.Min, 1)
		s.Repetitions.Order = cmp.Or(s.Repetitions.Order, v1alpha1.OrderRandomized)
		s.Repetitions.FreshPool = cmp.Or(s.Repetitions.FreshPool, v1alpha1.FreshPoolPerRepetition)
	}
	if s.Comparison != nil {
		s.Comparison.Margin = cmp.Or(s.Comparison.Margin, DefaultMargin)
	}
	if s.Recommend != nil {
		for i := range s.Recommend.Goals {
			g := &s.Recommend.Goals[i]
			g.Weight = cmp.Or(g.Weight, 1)
		}
	}
	for i := range s.Workloads {
		w := &s.Workloads[i]
		w.Cache = cmp.Or(w.Cache, v1alpha1.CacheCold)
		if w.Fio != nil {
			fioDefaults(w.Fio)
		}
		if w.Pool != nil && w.Pool.Snapshot != nil {
			w.Pool.Snapshot.Count = cmp.Or(w.Pool.Snapshot.Count, 1)
		}
		if w.Pool != nil && w.Pool.Clone != nil {
			w.Pool.Clone.Count = cmp.Or(w.Pool.Clone.Count, 1)
		}
		if w.Pool != nil && w.Pool.Fill != nil {
			w.Pool.Fill.Method = cmp.Or(w.Pool.Fill.Method, v1alpha1.FillSequential)
		}
	}
}

// isCompared says whether results of the benchmark are compared with others, by intervals.
func isCompared(s v1alpha1.ZfsBenchmarkSpec) bool {
	c := s.Comparison
	return s.Recommend != nil || c != nil && (c.Reference != "" || len(c.With) > 0)
}

func fioDefaults(f *v1alpha1.FioWorkload) {
	if f.Preset != "" && f.Size.IsZero() && len(f.Jobs) == 0 {
		f.RelativeSize = cmp.Or(f.RelativeSize, defaultRelativeSize)
	}
	preset.Expand(f)
	if len(f.BSSplit) == 0 {
		f.BS = cmp.Or(f.BS, v1alpha1.DefaultBS)
	}
	f.NumJobs = cmp.Or(f.NumJobs, 1)
	f.IOEngine = cmp.Or(f.IOEngine, "psync")
	f.IODepth = cmp.Or(f.IODepth, 1)
	f.Sync = cmp.Or(f.Sync, v1alpha1.FioSyncNone)
	if f.EndFsync == nil {
		f.EndFsync = new(true)
	}
}
