// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestDescribeOtherTools(t *testing.T) {
	tests := map[string]struct {
		workload v1alpha1.Workload
		want     string
	}{
		"iozone": {v1alpha1.Workload{Iozone: &v1alpha1.IozoneWorkload{Size: resource.MustParse("1Gi")}},
			"iozone, a file of 1 GiB, records of 4 KiB, write, read, random"},
		"iozone, everything": {
			v1alpha1.Workload{Iozone: &v1alpha1.IozoneWorkload{
				Size: resource.MustParse("1Gi"), RecordSize: ptr.To(resource.MustParse("64Ki")),
				Tests: []v1alpha1.IozoneTest{"stride", "write"}, Threads: 2,
				IncludeFlush: true, IncludeClose: true, Sync: true, Direct: true, RandomData: true,
			}},
			"iozone, 2 threads with a file of 1 GiB each, records of 64 KiB, write, stride, flush included, close included, " +
				"o_sync, direct, random data",
		},
		"fs_mark": {v1alpha1.Workload{Fsmark: &v1alpha1.FsmarkWorkload{}},
			"fs_mark, 1000 files of 50 KiB, writes of 16384 bytes, sync PerFile"},
		"fs_mark, everything": {
			v1alpha1.Workload{Fsmark: &v1alpha1.FsmarkWorkload{Files: 10, FileSize: ptr.To(resource.MustParse("4Ki")),
				Threads: 4, Directories: 2, Subdirectories: 8, Sync: v1alpha1.FsmarkSyncNone}},
			"fs_mark, 10 files of 4 KiB for each of 4 threads, writes of 16384 bytes, sync None, 2 directories, 8 " +
				"subdirectories",
		},
		"dbench": {v1alpha1.Workload{Dbench: &v1alpha1.DbenchWorkload{}}, "dbench, 1 client, for 10m0s"},
		"dbench, everything": {
			v1alpha1.Workload{Dbench: &v1alpha1.DbenchWorkload{Clients: 4, SyncOpen: true, SyncDirectories: true, Fsync: true}},
			"dbench, 4 clients, for 10m0s, files opened with O_SYNC, directories synced, fsync after every write",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.workload.Name = "w"
			if diff := cmp.Diff("Workload w: "+tt.want+"; cache Cold", describeOther(tt.workload)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
