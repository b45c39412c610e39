// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
