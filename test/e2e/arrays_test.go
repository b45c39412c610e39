// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/hostfs"
)

// arrayMemberBytes is the size of each partition that an array of rebuiltArray has.
const arrayMemberBytes = 128 << 20

// rebuiltArray is ext4 on raid6 of four small partitions of two disks, with two more on a third to replace by, and all
// that can be done with an array.
func rebuiltArray(name string) benchmark {
	b := newBenchmark(name)
	size := resource.NewQuantity(arrayMemberBytes, resource.BinarySI)
	b.obj.Spec.Pool, b.obj.Spec.Devices = nil, nil
	for i, parts := range [][]string{{"m0", "m1"}, {"m2", "m3"}, {"s0", "s1"}} {
		d := v1alpha1.Device{Name: "d" + string(rune('0'+i)), Path: suite.disks[i].path}
		for _, part := range parts {
			d.Partitions = append(d.Partitions, v1alpha1.Partition{Name: part, Size: size})
		}
		b.obj.Spec.Devices = append(b.obj.Spec.Devices, d)
	}
	b.obj.Spec.Baselines = []v1alpha1.Baseline{{Name: "raid6", Filesystem: &v1alpha1.FilesystemBaseline{
		FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"},
		MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid6, Devices: []string{"m0", "m1", "m2", "m3"},
			Bitmap: v1alpha1.MDBitmapInternal},
	}}}
	on := func(name string, o v1alpha1.PoolOperation) v1alpha1.Workload {
		return v1alpha1.Workload{Name: name, Cache: v1alpha1.CacheWarm, Pool: &o}
	}
	read := &v1alpha1.FioWorkload{RW: v1alpha1.FioRead, BS: "128k", Size: resource.MustParse("8Mi")}
	b.obj.Spec.Workloads = []v1alpha1.Workload{
		{Name: "write", Cache: v1alpha1.CacheWarm,
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioWrite, BS: "128k", Size: resource.MustParse("8Mi")}},
		on("fill", v1alpha1.PoolOperation{Fill: &v1alpha1.FillOperation{Percent: 50}}),
		on("degrade", v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "m1"}}),
		{Name: "read-degraded", Fio: read},
		on("degrade-further", v1alpha1.PoolOperation{Offline: &v1alpha1.OfflineOperation{Device: "m2"}}),
		{Name: "read-degraded-twice", Fio: read},
		on("restore", v1alpha1.PoolOperation{Online: &v1alpha1.OnlineOperation{Device: "m2"}}),
		on("rebuild", v1alpha1.PoolOperation{Replace: &v1alpha1.ReplaceOperation{Device: "m1", With: "s0"}}),
		{
			Name: "read-while-copying", During: &v1alpha1.DuringOperation{Replace: &v1alpha1.ReplaceOperation{Device: "m0",
				With: "s1"}},
			Fio: &v1alpha1.FioWorkload{RW: v1alpha1.FioRandRead, BS: "128k", Size: resource.MustParse("8Mi"),
				TimeBased: ptr.To(true), Runtime: &metav1.Duration{Duration: 10 * time.Second}},
		},
		on("scrub", v1alpha1.PoolOperation{Scrub: &v1alpha1.ScrubOperation{}}),
	}
	return b
}

// TestArrayDegradedAndRebuilt takes devices from an md array, gives them back, replaces them, one while it is in use
// and read from, and checks what has become of it. The disks are blank afterwards.
func TestArrayDegradedAndRebuilt(t *testing.T) {
	studies(t)
	suite.grant(t, "e2e-arrays", v1alpha1.BenchmarkDevicePolicySpec{MDArrays: v1alpha1.MDArraysAllowed})
	obj := rebuiltArray("array-rebuilt").apply(t)
	awaitTrials(t, obj)
	docs := readDocuments(t, awaitComplete(t, obj))
	t.Logf("summary.md:\n%s", docs.summary)
	degraded, bytes := map[string]int{}, map[string]int64{}
	for _, s := range docs.trials[0].Samples {
		array := s.Baseline.Array
		degraded[s.Workload] = array.Degraded
		if array.MismatchBytes != 0 || array.LeastSyncBytesPerSecond <= 0 ||
			array.MostSyncBytesPerSecond < array.LeastSyncBytesPerSecond {
			t.Errorf("%s: array %+v", s.Workload, array)
		}
		for _, p := range s.Phases {
			bytes[p.Name] = p.Bytes
		}
		if s.During != nil {
			bytes["during"] = s.During.Bytes
		}
		checkFilledArray(t, s)
	}
	want := map[string]int{
		"write": 0, "fill": 0, "degrade": 1, "read-degraded": 1, "degrade-further": 2, "read-degraded-twice": 2, "restore": 1,
		"rebuild": 0, "read-while-copying": 0, "scrub": 0,
	}
	if diff := cmp.Diff(want, degraded); diff != "" {
		t.Errorf("degraded (-want +got):\n%s", diff)
	}
	// md writes all of a device, but for what it keeps to itself, and reads all of four.
	const most, least = arrayMemberBytes, arrayMemberBytes * 9 / 10
	if bytes["replace"] > most || bytes["replace"] < least || bytes["during"] != bytes["replace"] ||
		bytes["scrub"] != 4*bytes["replace"] || bytes["offline"] != 0 || bytes["online"] != 0 {
		t.Errorf("bytes %v", bytes)
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// TestTrimOfAnArrayWithParityIsRefused asks the node's kernel, by a dry run, whether it would pass a trim on: it does
// not, unless somebody told it that it may.
func TestTrimOfAnArrayWithParityIsRefused(t *testing.T) {
	studies(t)
	suite.grant(t, "e2e-arrays", v1alpha1.BenchmarkDevicePolicySpec{MDArrays: v1alpha1.MDArraysAllowed})
	onNode(t, "modprobe", "raid456")
	b := rebuiltArray("array-trim-refused")
	b.obj.Spec.DryRun = true
	b.obj.Spec.Devices = b.obj.Spec.Devices[:2] // nothing is replaced
	b.obj.Spec.Workloads = []v1alpha1.Workload{{Name: "trim", Cache: v1alpha1.CacheWarm,
		Pool: &v1alpha1.PoolOperation{Trim: &v1alpha1.TrimOperation{}}}}
	reason, message := awaitFailed(t, b.apply(t))
	if reason != v1alpha1.ReasonPreflightFailed || !strings.Contains(message, hostfs.DiscardParameter+" is N") {
		t.Errorf("failed with %s %q", reason, message)
	}
}

// checkFilledArray wants the filesystem to be as full as was asked for.
func checkFilledArray(t *testing.T, s result.Sample) {
	t.Helper()
	if s.Workload != "fill" {
		return
	}
	if s.Filled == nil || s.Filled.After.FilledPercent() < 48 || s.Filled.After.FilledPercent() > 52 ||
		s.Filled.After.FragmentationPercent != -1 {
		t.Errorf("filled %+v", s.Filled)
	}
}

// TestRebuildOfAnArraySurvivesARunner kills the runner while one device is out of the array and another one is being
// written to: the next one takes apart what there is, erases what the removed, the failed and the new device say, and
// measures the trial again.
func TestRebuildOfAnArraySurvivesARunner(t *testing.T) {
	studies(t)
	suite.grant(t, "e2e-arrays", v1alpha1.BenchmarkDevicePolicySpec{MDArrays: v1alpha1.MDArraysAllowed})
	obj := rebuiltArray("array-rebuild-killed").apply(t)
	for _, workload := range []string{"read-degraded-twice", "read-while-copying"} {
		awaitWorkload(t, obj, workload)
		onNode(t, "pkill", "-KILL", "-f", "execute --plan[=]")
	}
	docs := readDocuments(t, awaitComplete(t, obj))
	if len(docs.trials) != 1 || docs.trials[0].Failure != nil || len(docs.trials[0].Samples) != len(obj.Spec.Workloads) {
		t.Errorf("trials %+v", docs.trials)
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}
