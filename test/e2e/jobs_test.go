// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
)

// TestJobsAreMeasured runs three jobs that come one after the other, on files and on a volume: all together and each by
// itself is measured.
func TestJobsAreMeasured(t *testing.T) {
	studies(t)
	for name, dataset := range map[string]*v1alpha1.DatasetSpec{
		"files": nil, "volume": {Type: v1alpha1.DatasetVolume,
			Volume: &v1alpha1.VolumeSpec{Size: resource.MustParse("64Mi")}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBenchmark("jobs-"+name).disks(v1alpha1.VdevStripe, 1)
			b.obj.Spec.Dataset = dataset
			b.obj.Spec.Workloads = []v1alpha1.Workload{{Name: "clients", Fio: &v1alpha1.FioWorkload{
				RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("8Mi"), Jobs: []v1alpha1.FioJob{
					{Name: "backup", Rate: ptr.To(resource.MustParse("1Mi"))},
					{Name: "users", StartDelay: &metav1.Duration{Duration: time.Second}, RW: v1alpha1.FioRandRW, BS: "16k", NumJobs: 2,
						Size: ptr.To(resource.MustParse("1Mi"))},
					{Name: "restore", StartDelay: &metav1.Duration{Duration: 2 * time.Second}, RW: v1alpha1.FioRead,
						Size: ptr.To(resource.MustParse("4Mi"))},
				},
			}}}
			obj := b.apply(t)
			docs := readDocuments(t, awaitComplete(t, obj))
			t.Logf("summary.md:\n%s", docs.summary)
			if len(docs.trials) != 1 || len(docs.trials[0].Samples) != 1 {
				t.Fatalf("trials %+v", docs.trials)
			}
			sample := docs.trials[0].Samples[0]
			var operations []string
			for _, p := range sample.Operations() {
				operations = append(operations, p.Name)
			}
			if want := []string{"read", "write", "backupWrite", "usersRead", "usersWrite",
				"restoreRead"}; !slices.Equal(operations, want) {
				t.Fatalf("operations %q, want %q", operations, want)
			}
			backup, restore := sample.Jobs[0].Write, sample.Jobs[2].Read
			if backup.Bytes != 8<<20 || restore.Bytes != 4<<20 {
				t.Errorf("the backup wrote %d bytes, the restore read %d", backup.Bytes, restore.Bytes)
			}
			// 8 MiB at 1 MiB/s; fio lets the first second go by a little faster.
			if backup.RuntimeNanoseconds < 7*time.Second.Nanoseconds() {
				t.Errorf("the backup took %d ns", backup.RuntimeNanoseconds)
			}
			assertNodeClean(t)
			remove(t, obj)
			assertNothingLeft(t, obj)
		})
	}
}
