// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

const testWWN = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4"

// reported is a report with a blank disk and one that is in use.
func reported(t *testing.T) string {
	t.Helper()
	data, err := result.EncodeInventory(v1alpha1.NodeInventory{Disks: []v1alpha1.NodeDisk{
		{Path: testWWN, Aliases: []string{"/dev/disk/by-id/ata-ACME_S1"}, Device: "/dev/sda", Serial: "S1",
			SizeBytes: 1 << 40, Verdict: v1alpha1.DiskBlank},
		{Path: "/dev/disk/by-id/ata-ACME_S2", Device: "/dev/sdb", Serial: "S2", SizeBytes: 1 << 40,
			Verdict: v1alpha1.DiskInUse, Check: "mounts", Reason: "It is mounted at /srv."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// storage is a node that was looked at an hour ago.
func storage() *storageState {
	node := MakeNode("storage-0").Obj()
	ago := metav1.Time{Time: testNow().Add(-time.Hour)}
	s := &storageState{now: testNow(), interval: 24 * time.Hour, node: node, object: &v1alpha1.NodeStorage{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, OwnerReferences: []metav1.OwnerReference{{UID: node.UID}}},
		Status:     v1alpha1.NodeStorageStatus{NodeUID: string(node.UID), ObservedAt: &ago, AttemptedAt: &ago},
	}}
	s.current(metav1.ConditionTrue, v1alpha1.ReasonDiscovered, "")
	return s
}

// request is a discovery that was started so long ago.
func (s *storageState) withRequest(age time.Duration, report string) {
	s.request = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: jobspec.DiscoveryName(string(s.node.UID)),
		CreationTimestamp: metav1.Time{Time: s.now.Add(-age)}}, Data: map[string]string{jobspec.KeyInventory: report}}
	s.job = &batchv1.Job{}
}

func TestDecideStorage(t *testing.T) {
	never := func(s *storageState) { s.object.Status = v1alpha1.NodeStorageStatus{} }
	// pod was created and deleted so long ago; less than 0 is not deleted.
	pod := func(created, deleted time.Duration) *corev1.Pod {
		pod := &corev1.Pod{}
		pod.CreationTimestamp = metav1.Time{Time: testNow().Add(-created)}
		if deleted >= 0 {
			pod.DeletionTimestamp = &metav1.Time{Time: testNow().Add(-deleted)}
		}
		return pod
	}
	ended := batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}}
	tests := map[string]struct {
		change func(*storageState)
		want   storageStep
		// reason is of the condition Current; empty for Discovered.
		reason string
		// after is when to look again.
		after time.Duration
	}{
		"found an hour ago": {after: 23 * time.Hour},
		"no node":           {change: func(s *storageState) { s.node = nil }, want: storageDelete},
		"no node and no object": {change: func(s *storageState) {
			s.node, s.object = nil, nil
		}, reason: "-"},
		"no label": {change: func(s *storageState) { s.node.Labels = nil }, want: storageDelete},
		"another label": {change: func(s *storageState) {
			s.node.Labels[v1alpha1.LabelNodeAllowed] = "yes"
		}, want: storageDelete},
		"a replaced node":    {change: func(s *storageState) { s.node.UID = "other" }, want: storageDelete},
		"a forged object":    {change: func(s *storageState) { s.object.OwnerReferences = nil }, want: storageDelete},
		"a node that is new": {change: func(s *storageState) { s.object = nil }, want: storageCreate, reason: "-"},
		"never looked at":    {change: never, want: storageStart, reason: v1alpha1.ReasonDiscovering},
		"never looked at, not Ready": {change: func(s *storageState) {
			never(s)
			s.node.Status.Conditions = nil
		}, reason: "-"},
		"asked": {change: func(s *storageState) {
			s.object.Annotations = map[string]string{v1alpha1.AnnotationDiscover: "1"}
		}, want: storageStart},
		"asked before": {change: func(s *storageState) {
			s.object.Annotations = map[string]string{v1alpha1.AnnotationDiscover: "1"}
			s.object.Status.ObservedRequest = "1"
		}, after: 23 * time.Hour},
		"a day ago": {change: func(s *storageState) { s.now = s.now.Add(23 * time.Hour) }, want: storageStart},
		"a day ago, not Ready": {change: func(s *storageState) {
			s.now = s.now.Add(23 * time.Hour)
			s.node.Status.Conditions = nil
		}, reason: v1alpha1.ReasonTooOld},
		"a benchmark runs": {change: func(s *storageState) { s.benchmarkRuns = true }, reason: v1alpha1.ReasonBenchmarkRuns},
		"a benchmark runs, and somebody asks": {change: func(s *storageState) {
			s.benchmarkRuns = true
			s.object.Annotations = map[string]string{v1alpha1.AnnotationDiscover: "1"}
		}, reason: v1alpha1.ReasonBenchmarkRuns},
		"a benchmark starts meanwhile": {change: func(s *storageState) {
			s.withRequest(time.Second, "")
			s.benchmarkRuns = true
		}, want: storageStop, reason: v1alpha1.ReasonBenchmarkRuns},
		"a benchmark has just ended": {change: func(s *storageState) {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonBenchmarkRuns, "")
		}, reason: v1alpha1.ReasonBenchmarkEnded, after: 30 * time.Second},
		"a benchmark has ended": {change: func(s *storageState) {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonBenchmarkRuns, "")
			s.decide()
			s.now = s.now.Add(30 * time.Second)
		}, want: storageStart, reason: v1alpha1.ReasonBenchmarkEnded},
		"a pod is ending": {change: func(s *storageState) {
			never(s)
			s.pods = []*corev1.Pod{pod(0, 0)}
		}, reason: "-", after: time.Minute},
		"a pod without its discovery": {change: func(s *storageState) {
			never(s)
			s.pods = []*corev1.Pod{pod(2*time.Minute, -1)}
		}, want: storageStop, reason: "-", after: time.Minute},
		"a new pod, whose discovery the cache does not show yet": {change: func(s *storageState) {
			never(s)
			s.pods = []*corev1.Pod{pod(time.Second, -1)}
		}, reason: "-", after: time.Minute},
		"a pod hangs": {change: func(s *storageState) {
			never(s)
			s.pods = []*corev1.Pod{pod(time.Hour, 2*time.Minute)}
		}, reason: v1alpha1.ReasonDiscoveryHangs, after: time.Minute},
		"a benchmark has ended, and the pod that hung is gone": {change: func(s *storageState) {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscoveryHangs, "")
		}, want: storageStart, reason: v1alpha1.ReasonDiscoveryHangs},
		"a benchmark has ended, and the node is Ready again": {change: func(s *storageState) {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonTooOld, "")
		}, want: storageStart, reason: v1alpha1.ReasonTooOld},
		"looking": {change: func(s *storageState) { s.withRequest(time.Minute, "") }, after: 11*time.Minute + time.Second},
		"looking, and forbidden": {change: func(s *storageState) {
			s.withRequest(time.Minute, "")
			s.node.Labels = nil
		}, want: storageDelete},
		"interrupted": {change: func(s *storageState) {
			s.withRequest(time.Minute, "")
			s.job = nil
		}, want: storageStart},
		"of another node of the name": {change: func(s *storageState) {
			s.withRequest(time.Minute, "")
			s.request.Name = "zn-0000000000000000"
		}, want: storageStop},
		"reported": {change: func(s *storageState) { s.withRequest(time.Minute, reported(t)) }, want: storageAccept,
			after: 24 * time.Hour},
		"reported nonsense": {change: func(s *storageState) { s.withRequest(time.Minute, "{}") }, want: storageFail,
			reason: v1alpha1.ReasonDiscoveryFailed, after: 30 * time.Minute},
		"ended without a report": {change: func(s *storageState) {
			s.withRequest(time.Minute, "")
			s.job.Status = ended
		}, want: storageFail, reason: v1alpha1.ReasonDiscoveryFailed, after: 30 * time.Minute},
		"too long": {change: func(s *storageState) { s.withRequest(13*time.Minute, "") }, want: storageFail,
			reason: v1alpha1.ReasonDiscoveryFailed, after: 30 * time.Minute},
		"failed just now": {change: func(s *storageState) {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscoveryFailed, "")
			s.object.Status.AttemptedAt = &metav1.Time{Time: s.now.Add(-10 * time.Minute)}
		}, reason: v1alpha1.ReasonDiscoveryFailed, after: 20 * time.Minute},
		"failed a while ago": {change: func(s *storageState) {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscoveryFailed, "")
		}, want: storageStart, reason: v1alpha1.ReasonDiscovering},
		"a second attempt was interrupted": {change: func(s *storageState) {
			s.current(metav1.ConditionFalse, v1alpha1.ReasonDiscovering, "")
			s.object.Status.AttemptedAt = &metav1.Time{Time: s.now.Add(-10 * time.Minute)}
		}, reason: v1alpha1.ReasonDiscovering, after: 20 * time.Minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := storage()
			if tt.change != nil {
				tt.change(s)
			}
			got := s.decide()
			if got.step != tt.want || got.requeueAfter != tt.after {
				t.Errorf("got %+v, want %q after %s", got, tt.want, tt.after)
			}
			if tt.reason == "" {
				tt.reason = v1alpha1.ReasonDiscovered
			}
			if tt.reason == "-" {
				return
			}
			c := meta.FindStatusCondition(s.object.Status.Conditions, v1alpha1.ConditionCurrent)
			isTrue := tt.reason == v1alpha1.ReasonDiscovered
			if c == nil || c.Reason != tt.reason || (c.Status == metav1.ConditionTrue) != isTrue {
				t.Errorf("condition %+v, want reason %s", c, tt.reason)
			}
		})
	}
}

func TestAcceptedInventory(t *testing.T) {
	s := storage()
	s.withRequest(time.Minute, reported(t))
	s.decide()
	status := s.object.Status
	if status.DiskCount != 2 || status.BlankCount != 1 || len(status.Disks) != 2 || !status.ObservedAt.Time.Equal(s.now) {
		t.Errorf("status %+v", status)
	}
}

// TestFailedDiscoveryKeepsWhatWasFound: what was found before is listed until there is something newer.
func TestFailedDiscoveryKeepsWhatWasFound(t *testing.T) {
	s := storage()
	s.object.Status.Pools = []string{"tank"}
	s.withRequest(time.Minute, strings.Repeat("x", 1<<20))
	s.decide()
	if diff := cmp.Diff([]string{"tank"}, s.object.Status.Pools); diff != "" {
		t.Error(diff)
	}
}

// TestFailedDiscoverySaysWhy: the pod is deleted at once, so its last words have to be in the condition. A node's text
// is not trusted.
func TestFailedDiscoverySaysWhy(t *testing.T) {
	s := storage()
	s.withRequest(time.Minute, "")
	s.job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
	s.pods = []*corev1.Pod{{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
		Name: jobspec.RunnerContainer, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: 1, Message: "no sysfs\x1b[2J here" + strings.Repeat(" and on", 1000),
		}},
	}}}}}
	s.decide()
	message := meta.FindStatusCondition(s.object.Status.Conditions, v1alpha1.ConditionCurrent).Message
	if !strings.Contains(message, "without a report: no sysfs?[2J here and on") || len(message) > 1200 {
		t.Errorf("message %q", message)
	}
}

func TestOffers(t *testing.T) {
	device := v1alpha1.PolicyDevice{Path: testWWN, Serial: "S1", Size: resource.MustParse("1Ti")}
	offers := func(change func(*v1alpha1.BenchmarkDevicePolicy)) int32 {
		s := storage()
		s.withRequest(time.Minute, reported(t))
		s.decide()
		p := v1alpha1.BenchmarkDevicePolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
		p.Spec.Node = v1alpha1.PolicyNode{Name: s.node.Name, UID: string(s.node.UID)}
		p.Spec.Devices = []v1alpha1.PolicyDevice{device}
		change(&p)
		s.policies = []v1alpha1.BenchmarkDevicePolicy{p}
		s.offer()
		return s.object.Status.OfferedCount
	}
	tests := map[string]struct {
		change func(*v1alpha1.BenchmarkDevicePolicy)
		want   int32
	}{
		"as it is": {func(*v1alpha1.BenchmarkDevicePolicy) {}, 1},
		"by an alias": {func(p *v1alpha1.BenchmarkDevicePolicy) {
			p.Spec.Devices[0].Path = "/dev/disk/by-id/ata-ACME_S1"
		}, 1},
		"another serial":  {func(p *v1alpha1.BenchmarkDevicePolicy) { p.Spec.Devices[0].Serial = "S2" }, 0},
		"another size":    {func(p *v1alpha1.BenchmarkDevicePolicy) { p.Spec.Devices[0].Size = resource.MustParse("1T") }, 0},
		"another path":    {func(p *v1alpha1.BenchmarkDevicePolicy) { p.Spec.Devices[0].Path += "0" }, 0},
		"another node":    {func(p *v1alpha1.BenchmarkDevicePolicy) { p.Spec.Node.Name = "storage-1" }, 0},
		"a replaced node": {func(p *v1alpha1.BenchmarkDevicePolicy) { p.Spec.Node.UID = "before" }, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := offers(tt.change); got != tt.want {
				t.Errorf("%d disks are offered, want %d", got, tt.want)
			}
		})
	}
}
