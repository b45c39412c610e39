// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

func TestDefaults(t *testing.T) {
	tests := map[string]struct {
		in, want v1alpha1.ZfsBenchmarkSpec
	}{
		"nothing set": {
			in: v1alpha1.ZfsBenchmarkSpec{
				Dataset:     &v1alpha1.DatasetSpec{},
				Repetitions: &v1alpha1.RepetitionsSpec{},
				Comparison:  &v1alpha1.ComparisonSpec{},
				Workloads:   []v1alpha1.Workload{{Fio: &v1alpha1.FioWorkload{}}, {}},
			},
			want: v1alpha1.ZfsBenchmarkSpec{
				Dataset: &v1alpha1.DatasetSpec{Type: v1alpha1.DatasetFilesystem},
				Repetitions: &v1alpha1.RepetitionsSpec{Min: 1, Order: v1alpha1.OrderRandomized,
					FreshPool: v1alpha1.FreshPoolPerRepetition},
				Comparison: &v1alpha1.ComparisonSpec{Margin: "3%"},
				Workloads: []v1alpha1.Workload{
					{Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{BS: "4k", NumJobs: 1, IOEngine: "psync", IODepth: 1,
						Sync: v1alpha1.FioSyncNone, EndFsync: new(true)}},
					{Cache: v1alpha1.CacheCold},
				},
				CleanupPolicy:     v1alpha1.CleanupOnSuccess,
				DevicePreparation: v1alpha1.DevicePreparationDiscard,
			},
		},
		"a preset without a size": {
			in: v1alpha1.ZfsBenchmarkSpec{Workloads: []v1alpha1.Workload{
				{Fio: &v1alpha1.FioWorkload{Preset: "sequential-read"}},
				{Fio: &v1alpha1.FioWorkload{Preset: "sequential-read", RelativeSize: "1xRAM"}},
				{Fio: &v1alpha1.FioWorkload{Preset: "sequential-read", Size: resource.MustParse("1Gi")}},
			}},
			want: v1alpha1.ZfsBenchmarkSpec{
				Workloads: []v1alpha1.Workload{
					sequentialRead(v1alpha1.FioWorkload{RelativeSize: "2xARC"}),
					sequentialRead(v1alpha1.FioWorkload{RelativeSize: "1xRAM"}),
					sequentialRead(v1alpha1.FioWorkload{Size: resource.MustParse("1Gi")}),
				},
				CleanupPolicy: v1alpha1.CleanupOnSuccess, DevicePreparation: v1alpha1.DevicePreparationDiscard,
			},
		},
		"optional parts stay unset": {
			want: v1alpha1.ZfsBenchmarkSpec{CleanupPolicy: v1alpha1.CleanupOnSuccess,
				DevicePreparation: v1alpha1.DevicePreparationDiscard},
		},
		"everything set stays": {
			in: v1alpha1.ZfsBenchmarkSpec{
				Dataset: &v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume},
				Repetitions: &v1alpha1.RepetitionsSpec{Min: 7, Order: v1alpha1.OrderSequential,
					FreshPool: v1alpha1.FreshPoolPerVariant},
				Comparison: &v1alpha1.ComparisonSpec{Margin: "5%"},
				Workloads: []v1alpha1.Workload{{Cache: v1alpha1.CacheWarm,
					Fio: &v1alpha1.FioWorkload{BS: "1m", NumJobs: 2, IOEngine: "libaio", IODepth: 3, Sync: v1alpha1.FioSyncDsync,
						EndFsync: new(false)}}},
				CleanupPolicy: v1alpha1.CleanupNever, DevicePreparation: v1alpha1.DevicePreparationNone,
			},
			want: v1alpha1.ZfsBenchmarkSpec{
				Dataset: &v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume},
				Repetitions: &v1alpha1.RepetitionsSpec{Min: 7, Order: v1alpha1.OrderSequential,
					FreshPool: v1alpha1.FreshPoolPerVariant},
				Comparison: &v1alpha1.ComparisonSpec{Margin: "5%"},
				Workloads: []v1alpha1.Workload{{Cache: v1alpha1.CacheWarm,
					Fio: &v1alpha1.FioWorkload{BS: "1m", NumJobs: 2, IOEngine: "libaio", IODepth: 3, Sync: v1alpha1.FioSyncDsync,
						EndFsync: new(false)}}},
				CleanupPolicy: v1alpha1.CleanupNever, DevicePreparation: v1alpha1.DevicePreparationNone,
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := v1alpha1.ZfsBenchmark{Spec: tt.in}
			validate.Defaults(&got)
			if diff := cmp.Diff(tt.want, got.Spec); diff != "" {
				t.Errorf("Defaults (-want +got):\n%s", diff)
			}
		})
	}
}

// sequentialRead is the preset with its defaults, and a size.
func sequentialRead(size v1alpha1.FioWorkload) v1alpha1.Workload {
	return v1alpha1.Workload{Cache: v1alpha1.CacheCold, Fio: &v1alpha1.FioWorkload{
		Preset: "sequential-read", RW: v1alpha1.FioRead, BS: "1M", Size: size.Size, RelativeSize: size.RelativeSize,
		NumJobs: 1, IOEngine: "psync", IODepth: 1, Sync: v1alpha1.FioSyncNone, EndFsync: new(true)}}
}

// TestDefaultRepetitions: what is compared is measured six times, unless the benchmark says how often.
func TestDefaultRepetitions(t *testing.T) {
	other := []v1alpha1.ComparedWith{{Benchmark: "before"}}
	tests := map[string]struct {
		in   v1alpha1.ZfsBenchmarkSpec
		want int32
	}{
		"one variant":        {v1alpha1.ZfsBenchmarkSpec{}, 0},
		"without comparison": {v1alpha1.ZfsBenchmarkSpec{Matrix: &v1alpha1.MatrixSpec{}}, 0},
		"only a margin":      {v1alpha1.ZfsBenchmarkSpec{Comparison: &v1alpha1.ComparisonSpec{Margin: "5%"}}, 0},
		"a reference":        {v1alpha1.ZfsBenchmarkSpec{Comparison: &v1alpha1.ComparisonSpec{Reference: "a"}}, 6},
		"a benchmark":        {v1alpha1.ZfsBenchmarkSpec{Comparison: &v1alpha1.ComparisonSpec{With: other}}, 6},
		"a recommendation":   {v1alpha1.ZfsBenchmarkSpec{Recommend: &v1alpha1.RecommendSpec{}}, 6},
		"repetitions": {v1alpha1.ZfsBenchmarkSpec{Comparison: &v1alpha1.ComparisonSpec{Reference: "a"},
			Repetitions: &v1alpha1.RepetitionsSpec{}}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := v1alpha1.ZfsBenchmark{Spec: tt.in}
			validate.Defaults(&b)
			var got int32
			if r := b.Spec.Repetitions; r != nil {
				got = r.Min
			}
			if got != tt.want {
				t.Errorf("%d repetitions, want %d", got, tt.want)
			}
		})
	}
}
