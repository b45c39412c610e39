// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAllJobs(t *testing.T) {
	second := &metav1.Duration{Duration: time.Second}
	small, large, rate := resource.MustParse("1Mi"), resource.MustParse("1Gi"), resource.MustParse("5Mi")
	workload := FioWorkload{
		RW: FioRandRW, BS: "4k", Size: large, NumJobs: 2, IOEngine: "libaio", IODepth: 8, Direct: true, Sync: FioSyncDsync,
		Fsync: 4, EndFsync: new(true),
		RWMixRead: new(int32(70)), Runtime: second, TimeBased: new(true), RampTime: second,
		BufferCompressPercentage: new(int32(50)), Rate: &rate,
	}
	with := func(change func(*FioWorkload)) FioWorkload {
		w := *workload.DeepCopy()
		change(&w)
		return w
	}
	tests := map[string]struct {
		job  FioJob
		want SingleFioJob
	}{
		"nothing of its own": {FioJob{Name: "a"}, SingleFioJob{"a", 0, workload}},
		"a reader takes nothing that is for writing": {
			FioJob{Name: "a", RW: FioRead, StartDelay: second},
			SingleFioJob{"a", time.Second, with(func(w *FioWorkload) {
				w.RW, w.Sync, w.Fsync, w.RWMixRead = FioRead, FioSyncNone, 0, nil
			})},
		},
		"a synchronous engine takes no depth": {FioJob{Name: "a", IOEngine: "psync"},
			SingleFioJob{"a", 0, with(func(w *FioWorkload) {
				w.IOEngine, w.IODepth = "psync", 1
			})}},
		"another limit": {FioJob{Name: "a", RateIOPS: 7}, SingleFioJob{"a", 0, with(func(w *FioWorkload) {
			w.Rate, w.RateIOPS = nil, 7
		})}},
		"zero is a value": {
			FioJob{Name: "a", Direct: new(false), Fsync: new(int32(0)), EndFsync: new(false), TimeBased: new(false),
				RWMixRead: new(int32(0))},
			SingleFioJob{"a", 0, with(func(w *FioWorkload) {
				w.Direct, w.Fsync, w.EndFsync, w.TimeBased, w.RWMixRead = false, 0, new(false), new(false), new(int32(0))
			})},
		},
		"fdatasync in place of fsync": {FioJob{Name: "a", Fdatasync: new(int32(1))},
			SingleFioJob{"a", 0, with(func(w *FioWorkload) {
				w.Fsync, w.Fdatasync = 0, 1
			})}},
		"sizes": {FioJob{Name: "a", Size: &small, BS: "8k", NumJobs: 5}, SingleFioJob{"a", 0, with(func(w *FioWorkload) {
			w.Size, w.BS, w.NumJobs = small, "8k", 5
		})}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := workload
			w.Jobs = []FioJob{tt.job}
			if diff := cmp.Diff([]SingleFioJob{tt.want}, w.AllJobs()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff([]SingleFioJob{{"", 0, workload}}, workload.AllJobs()); diff != "" {
		t.Errorf("without jobs (-want +got):\n%s", diff)
	}
}

func TestFioOperations(t *testing.T) {
	w := FioWorkload{RW: FioWrite, Jobs: []FioJob{{Name: "backup"}, {Name: "client", RW: FioRandRW},
		{Name: "reader", RW: FioRead}}}
	if diff := cmp.Diff([]Operation{"read", "write", "backupWrite", "clientRead", "clientWrite", "readerRead"},
		w.Operations()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !w.Does(OperationRead) || (FioWorkload{RW: FioWrite}).Does(OperationRead) {
		t.Error("which directions there are is wrong")
	}
}

// TestSyncs: calls between writes are an operation of the jobs that make them. Variants are not compared by it.
func TestSyncs(t *testing.T) {
	jobs := []FioJob{{Name: "log", Fdatasync: new(int32(1))}, {Name: "reader", RW: FioRead}}
	tests := map[string]struct {
		fio           FioWorkload
		all, decisive []Operation
	}{
		"never": {FioWorkload{RW: FioWrite}, []Operation{"read", "write"}, []Operation{"read", "write"}},
		"fsync": {FioWorkload{RW: FioWrite, Fsync: 8}, []Operation{"read", "write", "sync"},
			[]Operation{"read", "write"}},
		"fdatasync": {FioWorkload{RW: FioWrite, Fdatasync: 1}, []Operation{"read", "write", "sync"},
			[]Operation{"read", "write"}},
		"jobs": {FioWorkload{RW: FioWrite, Jobs: jobs},
			[]Operation{"read", "write", "sync", "logWrite", "logSync", "readerRead"},
			[]Operation{"read", "write", "logWrite", "readerRead"}},
		"passes": {FioWorkload{RW: FioWrite, Fdatasync: 1, Passes: 3},
			[]Operation{"pass1Write", "pass1Sync", "pass2Write", "pass2Sync", "pass3Write", "pass3Sync"},
			[]Operation{"pass1Write", "pass3Write"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := Workload{Name: "w", Fio: &tt.fio}
			if diff := cmp.Diff(tt.all, w.Operations()); diff != "" {
				t.Errorf("operations (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.decisive, w.DecisiveOperations()); diff != "" {
				t.Errorf("decisive operations (-want +got):\n%s", diff)
			}
		})
	}
}
