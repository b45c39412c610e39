// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
)

// baselineBytes is what each workload on a baseline moves.
const baselineBytes = 4 << 20

// filesystemOn is a baseline of a type on the first disk, named after it.
func filesystemOn(kind v1alpha1.FilesystemType, mount ...v1alpha1.FilesystemOption) v1alpha1.Baseline {
	return v1alpha1.Baseline{Name: v1alpha1.AxisValueName(kind),
		Filesystem: &v1alpha1.FilesystemBaseline{Device: "d0",
			FilesystemSpec: v1alpha1.FilesystemSpec{Type: kind, MountOptions: mount}}}
}

// onMirror is ext4 on an md array of two small partitions of the second disk: its first sync is short.
const onMirror = "ext4-raid1"

// withMirror adds the disk and the baseline.
func (b benchmark) withMirror() benchmark {
	size := resource.MustParse("128Mi")
	b.obj.Spec.Devices = append(b.obj.Spec.Devices, v1alpha1.Device{
		Name: "d1", Path: suite.disks[1].path,
		Partitions: []v1alpha1.Partition{{Name: "m0", Size: &size}, {Name: "m1", Size: &size}},
	})
	b.obj.Spec.Baselines = append(b.obj.Spec.Baselines,
		v1alpha1.Baseline{Name: onMirror, Filesystem: &v1alpha1.FilesystemBaseline{
			FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"},
			MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1, Devices: []string{"m0", "m1"},
				Bitmap: v1alpha1.MDBitmapInternal},
		}})
	return b
}

// TestBaselines measures four filesystems and the raw disk beside a pool on the same disk, and one on an md array: each
// says what it was, and each leaves the disks blank to the next.
func TestBaselines(t *testing.T) {
	studies(t)
	suite.grant(t, "e2e-arrays", v1alpha1.BenchmarkDevicePolicySpec{MDArrays: v1alpha1.MDArraysAllowed})
	b := newBenchmark("baselines").disks(v1alpha1.VdevStripe, 1).repetitions(1).property("compression", "off").
		fio("seq-write", v1alpha1.FioWrite, "128k", "4Mi").fio("seq-read", v1alpha1.FioRead, "128k", "4Mi")
	b.obj.Spec.Baselines = []v1alpha1.Baseline{
		filesystemOn("ext4", "data=journal", "noatime"), filesystemOn("ext2"), filesystemOn("xfs"), filesystemOn("btrfs"),
		{Name: v1alpha1.KindRaw, Raw: &v1alpha1.RawBaseline{Device: "d0"}},
	}
	b.obj.Spec.Comparison = &v1alpha1.ComparisonSpec{Reference: "ext4"}
	obj := b.withMirror().apply(t)
	got := awaitComplete(t, obj)
	docs := readDocuments(t, got)
	t.Logf("summary.md:\n%s", docs.summary)
	seen := map[string]bool{}
	for _, trial := range docs.trials {
		if trial.Failure != nil || len(trial.Samples) != 2 {
			t.Fatalf("trial %d of %s: %d samples, failure %+v", trial.Index, trial.Variant, len(trial.Samples), trial.Failure)
		}
		seen[trial.Variant] = true
		assertFeatures(t, trial)
		for _, s := range trial.Samples {
			assertBaseline(t, trial.Variant, s)
		}
	}
	for _, variant := range []string{"default", "ext4", "ext2", "xfs", "btrfs", "raw", onMirror} {
		if !seen[variant] || !strings.Contains(docs.summary, variant) {
			t.Errorf("variant %s: measured %t, in the summary %t",
				variant, seen[variant], strings.Contains(docs.summary, variant))
		}
	}
	if !strings.Contains(docs.summary, "## Features") {
		t.Error("the summary has no table of features")
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// assertFeatures holds what the filesystem of a trial was found to do to what is known of it on any node.
func assertFeatures(t *testing.T, trial result.Trial) {
	t.Helper()
	f := trial.Features
	if trial.Variant == v1alpha1.KindRaw {
		if f != nil {
			t.Errorf("a disk has features of a filesystem: %+v", f)
		}
		return
	}
	if f == nil || f.Reflink == nil || f.TemporaryFile == nil || f.PosixACL == nil || f.DirectIO == nil ||
		f.UserXattr == nil || !*f.UserXattr || f.PunchHole == nil || !*f.PunchHole || f.Quota == nil {
		t.Errorf("features of %s: %+v", trial.Variant, f)
		return
	}
	if reflink, known := map[string]bool{"ext4": false, "ext2": false, onMirror: false, "xfs": true,
		"btrfs": true}[trial.Variant]; known && (*f.Reflink != reflink || !*f.PosixACL) {
		t.Errorf("%s: reflinks %t, ACLs %t", trial.Variant, *f.Reflink, *f.PosixACL)
	}
	yes, no := new(true), new(false)
	want := map[string]result.Features{
		"default": {Journal: result.JournalIntentLog, Quota: yes, Grow: yes, Shrink: yes, Defragment: no, Send: yes},
		// with data=journal no blocks are moved
		"ext4":   {Journal: result.JournalMetadata, Grow: yes, Shrink: no, Defragment: no, Send: no},
		"ext2":   {Journal: result.JournalNone, Grow: yes, Shrink: no, Defragment: no, Send: no},
		onMirror: {Journal: result.JournalMetadata, Grow: yes, Shrink: no, Defragment: yes, Send: no},
		"xfs":    {Journal: result.JournalMetadata, Grow: yes, Shrink: no, Defragment: yes, Send: no},
		"btrfs":  {Journal: result.JournalLogTree, Quota: yes, Grow: yes, Shrink: yes, Defragment: yes, Send: yes},
	}[trial.Variant]
	got := result.Features{Journal: f.Journal, Quota: f.Quota, Grow: f.Grow, Shrink: f.Shrink, Defragment: f.Defragment,
		Send: f.Send}
	if want.Quota == nil {
		got.Quota = nil // as the kernel is configured
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("features of %s (-want +got):\n%s", trial.Variant, diff)
	}
}

// assertBaseline holds a sample to the variant that it is of: what it was taken on, with which options, and that it
// came from the disk.
func assertBaseline(t *testing.T, variant string, s result.Sample) {
	t.Helper()
	if s.Read != nil && s.DeviceReadBytes < baselineBytes*9/10 {
		t.Errorf("%s on %s read %d bytes, but only %d from the disk: the cache was not empty",
			s.Workload, variant, s.Read.Bytes, s.DeviceReadBytes)
	}
	if s.Write != nil && s.DeviceWrittenBytes < baselineBytes*9/10 {
		t.Errorf("%s on %s wrote %d bytes, but only %d to the disk", s.Workload, variant, s.Write.Bytes, s.DeviceWrittenBytes)
	}
	if variant == "default" {
		if s.Baseline != nil || s.Pool.Health != "ONLINE" {
			t.Errorf("%s on the pool: %+v, %+v", s.Workload, s.Pool, s.Baseline)
		}
		return
	}
	facts, kind := s.Baseline, strings.TrimSuffix(variant, "-raid1")
	if facts == nil || facts.Type != kind || facts.CacheBudgetBytes <= 0 || s.Pool.Health != "" {
		t.Errorf("%s on %s: %+v, %+v", s.Workload, variant, s.Pool, facts)
		return
	}
	if array := facts.Array; (array != nil) != (variant == onMirror) ||
		array != nil && (array.Level != "raid1" || array.Disks != 2 || array.Bitmap != "internal" ||
			len(array.MadeWith) == 0) {
		t.Errorf("%s on %s: array %+v", s.Workload, variant, array)
	}
	if variant == v1alpha1.KindRaw {
		return
	}
	options := []string{"nosuid", "nodev", "noexec"}
	if variant == "ext4" {
		options = append(options, "data=journal", "noatime")
	}
	for _, option := range options {
		if !strings.Contains(","+facts.MountOptions+",", ","+option+",") {
			t.Errorf("%s on %s: mounted with %s, without %s", s.Workload, variant, facts.MountOptions, option)
		}
	}
	if facts.SizeBytes <= 0 || facts.AvailableBytes <= 0 || len(facts.MadeWith) == 0 {
		t.Errorf("%s on %s: %+v", s.Workload, variant, facts)
	}
}

// TestFilesystemOnAVolume measures ext4 on a zvol: what is read comes from the disk, through both caches, and the
// results have the facts of both.
func TestFilesystemOnAVolume(t *testing.T) {
	studies(t)
	b := newBenchmark("ext4-on-zvol").disks(v1alpha1.VdevStripe, 1).volume("256Mi").property("compression", "off").
		fio("seq-write", v1alpha1.FioWrite, "128k", "4Mi").fio("seq-read", v1alpha1.FioRead, "128k", "4Mi")
	b.obj.Spec.Dataset.Volume.Filesystem = &v1alpha1.FilesystemSpec{Type: "ext4"}
	docs := readDocuments(t, awaitComplete(t, b.apply(t)))
	for _, s := range docs.trials[0].Samples {
		if s.Pool.Health != "ONLINE" || s.Baseline == nil || s.Baseline.Type != "ext4" || s.Baseline.AvailableBytes <= 0 {
			t.Errorf("%s: %+v, %+v", s.Workload, s.Pool, s.Baseline)
		}
		if s.DeviceReadBytes+s.DeviceWrittenBytes < baselineBytes*9/10 {
			t.Errorf("%s read %d and wrote %d bytes of the disk", s.Workload, s.DeviceReadBytes, s.DeviceWrittenBytes)
		}
	}
}

// TestBaselineSurvivesARunner kills the runner while ext4 is mounted: the next one finds its own filesystem by the
// recorded UUID, and measures the trial again.
func TestBaselineSurvivesARunner(t *testing.T) {
	studies(t)
	b := newBenchmark("baseline-killed").fio("timed-write", v1alpha1.FioWrite, "128k", "4Mi", timeBased(15*time.Second))
	b.obj.Spec.Pool = nil
	b.obj.Spec.Devices = []v1alpha1.Device{{Name: "d0", Path: suite.disks[0].path}}
	b.obj.Spec.Baselines = []v1alpha1.Baseline{filesystemOn("ext4")}
	obj := b.apply(t)
	awaitWorkload(t, obj, "timed-write")
	onNode(t, "pkill", "-KILL", "-f", "execute --plan[=]")
	docs := readDocuments(t, awaitComplete(t, obj))
	if len(docs.trials) != 1 || docs.trials[0].Failure != nil || docs.trials[0].Samples[0].Baseline == nil {
		t.Errorf("trials %+v", docs.trials)
	}
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// TestArraySurvivesARunner kills the runner while ext4 on an md array is mounted: the next one finds the array by its
// partitions, proves it by the recorded UUID, and measures the trial again.
func TestArraySurvivesARunner(t *testing.T) {
	studies(t)
	suite.grant(t, "e2e-arrays", v1alpha1.BenchmarkDevicePolicySpec{MDArrays: v1alpha1.MDArraysAllowed})
	b := newBenchmark("array-killed").fio("timed-write", v1alpha1.FioWrite, "128k", "4Mi", timeBased(15*time.Second))
	b.obj.Spec.Pool = nil
	obj := b.withMirror().apply(t)
	awaitWorkload(t, obj, "timed-write")
	onNode(t, "pkill", "-KILL", "-f", "execute --plan[=]")
	docs := readDocuments(t, awaitComplete(t, obj))
	if len(docs.trials) != 1 || docs.trials[0].Failure != nil || docs.trials[0].Samples[0].Baseline == nil ||
		docs.trials[0].Samples[0].Baseline.Array == nil {
		t.Errorf("trials %+v", docs.trials)
	}
	assertNodeClean(t)
	remove(t, obj)
	assertNothingLeft(t, obj)
}

// TestArraysNeedConsent asks for an md array of disks that a policy offers, where none allows arrays.
func TestArraysNeedConsent(t *testing.T) {
	b := newBenchmark("array-unallowed").seqWrite()
	b.obj.Spec.Pool = nil
	obj := b.withMirror().apply(t)
	assertWaitsForPolicy(t, obj, v1alpha1.ReasonPolicyMismatch, "BenchmarkDevicePolicy e2e", "spec.mdArrays",
		suite.node.Name, benchNamespace)
	remove(t, obj)
}

// TestBaselineIsRefusedByName asks for a filesystem that the node's kernel does not have.
func TestBaselineIsRefusedByName(t *testing.T) {
	studies(t)
	suite.grant(t, "e2e-filesystems",
		v1alpha1.BenchmarkDevicePolicySpec{Filesystems: []v1alpha1.RarelyUsedFilesystem{"reiserfs", "jfs"}})
	b := newBenchmark("baseline-refused").seqWrite()
	b.obj.Spec.Pool, b.obj.Spec.DryRun = nil, true
	b.obj.Spec.Devices = []v1alpha1.Device{{Name: "d0", Path: suite.disks[0].path}}
	b.obj.Spec.Baselines = []v1alpha1.Baseline{filesystemOn("reiserfs"), filesystemOn("jfs")}
	reason, message := awaitFailed(t, b.apply(t))
	if reason != v1alpha1.ReasonPreflightFailed || !strings.Contains(message, "reiserfs") ||
		!strings.Contains(message, "jfs") {
		t.Errorf("failed with %s %q", reason, message)
	}
}
