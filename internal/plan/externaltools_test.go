// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// What iozone, fs_mark and dbench take is bounded by what they were asked for, in space and in time.
func TestExternalTools(t *testing.T) {
	const mib = 1 << 20
	iozone := func(w v1alpha1.IozoneWorkload) v1alpha1.Workload {
		w.Size = resource.MustParse("1Gi")
		return v1alpha1.Workload{Iozone: &w}
	}
	fsmark := func(w v1alpha1.FsmarkWorkload) v1alpha1.Workload { return v1alpha1.Workload{Fsmark: &w} }
	tests := map[string]struct {
		workload v1alpha1.Workload
		bytes    float64
		smallest int64
		// least and most are of the estimated time.
		least, most time.Duration
	}{
		// 1024 s for four passes, and two of 262144 records at 100 per second.
		"iozone": {iozone(v1alpha1.IozoneWorkload{}), 1024 * mib, 0, 90 * time.Minute, 95 * time.Minute},
		"iozone, large records": {iozone(v1alpha1.IozoneWorkload{RecordSize: ptr.To(resource.MustParse("1Mi"))}), 1024 * mib,
			0, 6 * time.Minute, 7 * time.Minute},
		"iozone, threads": {iozone(v1alpha1.IozoneWorkload{Threads: 4, Tests: []v1alpha1.IozoneTest{"write"}}),
			4096 * mib, 0, 8 * time.Minute, 9 * time.Minute},
		"fs_mark": {fsmark(v1alpha1.FsmarkWorkload{}), 1000 * 51 << 10, 50 << 10, 20 * time.Second,
			25 * time.Second},
		"fs_mark, without syncs": {fsmark(v1alpha1.FsmarkWorkload{Threads: 2, Sync: v1alpha1.FsmarkSyncNone}),
			2000 * 51 << 10, 50 << 10, 20 * time.Second, 30 * time.Second},
		"fs_mark, empty files": {fsmark(v1alpha1.FsmarkWorkload{FileSize: &resource.Quantity{}}), 1000 << 10, 0,
			20 * time.Second, 25 * time.Second},
		"dbench": {
			v1alpha1.Workload{Dbench: &v1alpha1.DbenchWorkload{Clients: 10, Runtime: &metav1.Duration{Duration: time.Minute}}},
			10 * 42 * mib, 0, 72 * time.Second, 90 * time.Second,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := workloadBytes(tt.workload); got < tt.bytes || got > 1.01*tt.bytes {
				t.Errorf("%v bytes, want %v", got, tt.bytes)
			}
			if got := estimate(Expanded{}, tt.workload); got < tt.least || got > tt.most {
				t.Errorf("estimated are %s, want %s to %s", got, tt.least, tt.most)
			}
			if got := smallestFile(tt.workload); got != tt.smallest {
				t.Errorf("the smallest file has %d bytes, want %d", got, tt.smallest)
			}
		})
	}
}
