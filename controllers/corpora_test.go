// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

func TestRefuseCorpora(t *testing.T) {
	const named = "spec.workloads[1].corpus.persistentVolumeClaim.claimName: "
	tests := map[string]struct {
		change func(map[string]*corev1.PersistentVolumeClaim)
		want   string
	}{
		"it is there": {func(map[string]*corev1.PersistentVolumeClaim) {}, ""},
		"it waits for its pod": {func(c map[string]*corev1.PersistentVolumeClaim) {
			c["given"].Status.Phase = corev1.ClaimPending
		}, ""},
		"it is missing": {func(c map[string]*corev1.PersistentVolumeClaim) {
			delete(c, "given")
		}, named + "there is no PersistentVolumeClaim given in the runners' namespace, zfsbench-runners: create it " +
			"there"},
		"it is being deleted": {func(c map[string]*corev1.PersistentVolumeClaim) {
			c["given"].DeletionTimestamp = ptr.To(metav1.Now())
		}, named + "PersistentVolumeClaim given in namespace zfsbench-runners is being deleted"},
		"it is a block device": {func(c map[string]*corev1.PersistentVolumeClaim) {
			c["given"].Spec.VolumeMode = ptr.To(corev1.PersistentVolumeBlock)
		}, named + "PersistentVolumeClaim given in namespace zfsbench-runners is a block device (volumeMode Block)"},
		"its volume has gone": {func(c map[string]*corev1.PersistentVolumeClaim) {
			c["given"].Status.Phase = corev1.ClaimLost
		}, named + "PersistentVolumeClaim given in namespace zfsbench-runners has lost its volume pv-0"},
		"it has files, by name": {func(c map[string]*corev1.PersistentVolumeClaim) {
			c["given"].Spec.VolumeMode = ptr.To(corev1.PersistentVolumeFilesystem)
		}, ""},
		"another one is missing": {func(c map[string]*corev1.PersistentVolumeClaim) {
			delete(c, "other")
		}, "spec.workloads[2].corpus.persistentVolumeClaim.claimName: there is no PersistentVolumeClaim other"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := testReconciler()
			r.Config.RunnerNamespace = testNamespace
			s := &scope{benchmark: MakeBenchmark("team", "b").Corpora("given", "other").Obj(),
				corpora: map[string]*corev1.PersistentVolumeClaim{}}
			for _, claim := range []string{"given", "other"} {
				s.corpora[claim] = &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv-0"},
					Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}}
			}
			tt.change(s.corpora)
			got := r.refuseCorpora(s)
			switch {
			case tt.want == "" && got != nil:
				t.Errorf("refused: %s", got.message)
			case tt.want != "" && (got == nil || got.reason != v1alpha1.ReasonClaimNotReady || got.revoked ||
				!strings.Contains(got.message, tt.want)):
				t.Errorf("refusal %+v, want %q", got, tt.want)
			case tt.want != "" && s.requeueAfter != corpusPollInterval:
				t.Errorf("looks again after %s", s.requeueAfter)
			}
		})
	}
}

// corpusClaim makes a claim in the namespace of the runners.
func (p *play) corpusClaim(name string, mode corev1.PersistentVolumeMode) *corev1.PersistentVolumeClaim {
	p.t.Helper()
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: testNamespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadOnlyMany}, VolumeMode: &mode,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("1Gi"),
			}},
		},
	}
	p.must(p.Create(p.t.Context(), claim))
	return claim
}

// TestCorporaNeedConsentAndAClaim: a claim that no policy lists is not even looked for; one that is listed has to be
// there, with files. Then the Job has it, read-only.
func TestCorporaNeedConsentAndAClaim(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	name := p.namespace + "-given"
	b := p.create(MakeBenchmark(p.namespace, "copied").Node(node.Name).Corpora(name).Obj())
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonNoPolicy,
		fmt.Sprintf("read the PersistentVolumeClaim %q on node %s", name, node.Name))

	policy := p.policy(node)
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonPolicyMismatch,
		"spec.persistentVolumeClaims of BenchmarkDevicePolicy "+policy.Name, name)
	block := p.corpusClaim(name, corev1.PersistentVolumeBlock)
	policy.Spec.PersistentVolumeClaims = []string{name}
	p.updatePolicy(policy)
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonClaimNotReady,
		"spec.workloads[1].corpus.persistentVolumeClaim.claimName", "is a block device (volumeMode Block)")

	p.must(p.Delete(t.Context(), block))
	p.finish(block)
	p.touch(b, "gone")
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonClaimNotReady,
		"there is no PersistentVolumeClaim "+name+" in the runners' namespace, "+testNamespace)

	p.corpusClaim(name, corev1.PersistentVolumeFilesystem)
	p.touch(b, "with files")
	r := p.runner(b, "storage-0")
	pod := r.job(jobspec.RunJobName(r.run.Base())).Spec.Template.Spec
	volume := pod.Volumes[len(pod.Volumes)-1]
	if c := volume.PersistentVolumeClaim; c == nil || c.ClaimName != name || !c.ReadOnly {
		t.Errorf("volume %+v", volume)
	}
	mounts := pod.Containers[0].VolumeMounts
	if m := mounts[len(mounts)-1]; m.Name != volume.Name || m.MountPath != jobspec.CorporaDirectory+"/0" || !m.ReadOnly {
		t.Errorf("mount %+v", m)
	}
}

// TestPodWithoutVolumeSaysWhy: if a node cannot mount a volume, because another node has it for example, the status
// quotes the kubelet.
func TestPodWithoutVolumeSaysWhy(t *testing.T) {
	p := newPlay(t)
	p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "files").Node(p.nodeName("storage-0")).Obj())
	r := p.runner(b, "storage-0")
	status := corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodReadyToStartContainers, Status: corev1.ConditionFalse,
			LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Minute))},
	}}
	waitingFor("ContainerCreating", "")(&status)
	name := jobspec.RunJobName(r.run.Base())
	r.pod(name, status)
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonStarting,
		"is not set up by its node; `kubectl -n "+testNamespace+" describe pod "+name)

	var pods corev1.PodList
	p.must(p.List(t.Context(), &pods, client.InNamespace(testNamespace),
		client.MatchingLabels(r.job(name).Spec.Template.Labels)))
	p.warn(&pods.Items[0], "Pod", "FailedAttachVolume",
		"Multi-Attach error for volume \"given\": Volume is already used by pod(s) on another node")
	p.touch(b, "warned")
	p.waitCondition(b, v1alpha1.ConditionRunning, metav1.ConditionTrue, v1alpha1.ReasonStarting,
		"is not set up by its node: FailedAttachVolume: Multi-Attach error for volume")
}
