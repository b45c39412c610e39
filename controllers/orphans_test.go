// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

func TestOwnerless(t *testing.T) {
	labels := func(uid string) metav1.ObjectMeta { return metav1.ObjectMeta{Labels: jobspec.Labels(uid, "storage-0")} }
	going := labels("gone")
	going.DeletionTimestamp = ptr.To(metav1.NewTime(testNow()))
	lease := jobspec.Lease(testNamespace, MakeBenchmark("default", "a").UID("gone").Obj(), "storage-0", "storage-0-uid")
	known := map[types.UID]bool{"here": true}
	tests := map[string]struct {
		objects []client.Object
		want    []orphan
	}{
		"nothing":        {},
		"of a benchmark": {objects: []client.Object{&corev1.ConfigMap{ObjectMeta: labels("here")}}},
		"of none":        {objects: []client.Object{&corev1.ConfigMap{}}},
		"gone": {
			objects: []client.Object{&corev1.ConfigMap{ObjectMeta: labels("gone")}, lease,
				&corev1.Pod{ObjectMeta: labels("here")}},
			want: []orphan{{uid: "gone", benchmark: types.NamespacedName{Namespace: "default", Name: "a"}, objects: 2}},
		},
		"two": {
			objects: []client.Object{&corev1.Pod{ObjectMeta: labels("z")}, &corev1.Pod{ObjectMeta: labels("y")}},
			want:    []orphan{{uid: "y", objects: 1}, {uid: "z", objects: 1}},
		},
		"going by itself": {objects: []client.Object{&corev1.ConfigMap{ObjectMeta: going}}},
		"a class waits for the sweep": {objects: []client.Object{&storagev1.StorageClass{ObjectMeta: going}},
			want: []orphan{{uid: "gone", objects: 1}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ownerless(tt.objects, known), cmp.AllowUnexported(orphan{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOrphanNotice(t *testing.T) {
	of := orphan{uid: "u", benchmark: types.NamespacedName{Namespace: "default", Name: "a"}, objects: 3}
	const gone = "Benchmark default/a (UID u) no longer exists"
	warning := func(note string) notice {
		return notice{kind: corev1.EventTypeWarning, reason: v1alpha1.ReasonOrphanFound, action: "CleanUp", note: note}
	}
	tests := map[string]struct {
		run  *nodeRun
		want notice
	}{
		"stopping": {
			run:  MakeRun().Ours().Planned(1).Job().Owned().Obj(),
			want: warning(gone + ", but left 3 objects. The runner on storage-0 is being stopped."),
		},
		"cleaning up": {
			run:  MakeRun().Ours().Planned(1).Owned().Obj(),
			want: warning(gone + ", but left 3 objects. What the runner left on storage-0 is being removed."),
		},
		"on a node that does not answer": {
			run: MakeRun().Node(MakeNode("storage-0").NotReady().Obj()).Ours().Planned(1).JobDeleting().Pod(1,
				nil).Owned().Obj(),
			want: warning(gone + ", but left 3 objects. Waiting for the runner's pod on storage-0 to end. " +
				"Node storage-0 is not Ready; this continues when it is. If it never will be, delete the Node object."),
		},
		"cleanup unconfirmed": {
			run: MakeRun().Ours().Planned(1).Owned().With(recordDisk).
				ReportedFailure(v1alpha1.ReasonCleanupFailed, "Disk a is away.").CleanupEnded(batchv1.JobComplete).Obj(),
			want: warning(gone + ", but left 3 objects. The cleanup on storage-0 did not confirm that everything " +
				"is gone. " +
				"It says: Disk a is away. It is tried again. " +
				"Remove by hand what this message names; the cleanup is tried again every minute. " +
				"If a disk never comes back, a cluster administrator can give it up by its serial number: " +
				"`kubectl -n zfsbench-runners annotate --overwrite configmap " + MakeRun().Planned(1).Obj().progressMap.Name +
				" zfsbench.io/forget-devices=S1`."),
		},
		"cleanup of files unconfirmed": {
			run: MakeRun().Ours().Planned(1).Owned().CleanupEnded(batchv1.JobFailed).Obj(),
			want: warning(gone + ", but left 3 objects. The cleanup on storage-0 did not confirm that everything " +
				"is gone. " +
				"It is tried again. Remove by hand what this message names; the cleanup is tried again every minute."),
		},
		"plan unreadable": {
			run: MakeRun().Ours().With(func(n *nodeRun) { n.recordsError = errors.New("it is torn") }).Obj(),
			want: warning(gone + ", but left 3 objects. The plan for storage-0 cannot be read (it is torn), so " +
				"what it left there cannot be removed. " +
				"Clean up the node by hand, then run `kubectl -n zfsbench-runners delete configmap,job,lease -l " +
				"zfsbench.io/benchmark-uid=u`."),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.run.cleanupStep = decideCleanup(tt.run, testNow(), true)
			if diff := cmp.Diff(tt.want, orphanNotice(tt.run, of, testNamespace), cmp.AllowUnexported(notice{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// recordDisk is what a runner records of a disk.
func recordDisk(n *nodeRun) {
	data, err := result.EncodeOwnership(result.Ownership{
		Version: result.Version, BenchmarkUID: "u", PlanDigest: testDigest(), PoolName: "zfsbench-1", PoolComment: "c",
		Devices: []result.OwnedDevice{{
			Name: "a", Path: "/dev/disk/by-id/a", Serial: "S1", SizeBytes: 1 << 30, DiskGUID: "d",
			Partitions: []result.OwnedPartition{{Name: "a", GUID: "p"}},
		}},
	})
	if err != nil {
		panic(err)
	}
	n.progressMap.Data = map[string]string{jobspec.KeyOwnership: string(data)}
}

// A long text of a runner must not cut off what can be done.
func TestOrphanAdviceIsNotCutOff(t *testing.T) {
	run := MakeRun().Ours().Planned(1).Owned().With(recordDisk).
		ReportedFailure(v1alpha1.ReasonCleanupFailed, strings.Repeat("Disk a is away. ", 200)).
		CleanupEnded(batchv1.JobComplete).Obj()
	run.cleanupStep = decideCleanup(run, testNow(), true)
	note := orphanNotice(run, orphan{uid: "u", objects: 3}, testNamespace).note
	if len(note) > maxNote || !strings.HasSuffix(note, "zfsbench.io/forget-devices=S1`.") {
		t.Errorf("%d bytes: %s", len(note), note)
	}
}
