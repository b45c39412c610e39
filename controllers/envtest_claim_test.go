// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/csi/localpv"
)

// Claiming lets the benchmark run on a persistent volume.
func (m benchmarkBuilder) Claiming(fsType v1alpha1.PersistentVolumeFSType) benchmarkBuilder {
	m.b.Spec.Dataset = &v1alpha1.DatasetSpec{
		Type:             v1alpha1.DatasetPersistentVolume,
		PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("1Gi"), FSType: fsType},
		Properties:       v1alpha1.DatasetProperties{"recordsize": "16K", "sync": "always"},
	}
	return m
}

// touch has the benchmark looked at again.
func (p *play) touch(b *v1alpha1.ZfsBenchmark, value string) {
	p.t.Helper()
	p.must(p.Patch(p.t.Context(), b.DeepCopy(),
		client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{"test":%q}}}`, value))))
}

// driver plays zfs-localpv on a node.
type driver struct {
	*play
	node *corev1.Node
}

// register makes what the driver and the kubelet make on a node.
func (d driver) register() {
	d.t.Helper()
	err := d.Create(d.t.Context(), &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: localpv.Provisioner}})
	if !apierrors.IsAlreadyExists(err) {
		d.must(err)
	}
	d.must(d.Create(d.t.Context(), &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: d.node.Name},
		Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{Name: localpv.Provisioner, NodeID: d.node.Name,
			TopologyKeys: []string{localpv.TopologyKey}}}},
	}))
	node := driverObject("ZFSNode")
	node.SetNamespace(config.DefaultDriverNamespace)
	node.SetName(d.node.Name)
	node.Object["pools"] = []any{}
	d.must(d.Create(d.t.Context(), node))
}

// findPool lists a pool, as the driver does once a minute.
func (d driver) findPool(name string) {
	d.t.Helper()
	node := driverObject("ZFSNode")
	d.must(d.Get(d.t.Context(), client.ObjectKey{Namespace: config.DefaultDriverNamespace, Name: d.node.Name}, node))
	node.Object["pools"] = []any{map[string]any{"name": name, "uuid": "1234", "free": "1Gi", "used": "1Mi"}}
	d.must(d.Update(d.t.Context(), node))
}

// provision binds a claim to a new volume, and writes the driver's own object, with its finalizer.
func (d driver) provision(
	pvc *corev1.PersistentVolumeClaim, parent string,
) (*corev1.PersistentVolume, *unstructured.Unstructured) {
	d.t.Helper()
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(pvc.UID)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: pvc.Spec.Resources.Requests, AccessModes: pvc.Spec.AccessModes,
			StorageClassName:              *pvc.Spec.StorageClassName,
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
				Driver: localpv.Provisioner, VolumeHandle: "pvc-" + string(pvc.UID),
				VolumeAttributes: map[string]string{localpv.PoolAttribute: parent},
			}},
		},
	}
	d.must(d.Create(d.t.Context(), volume))
	own := driverObject("ZFSVolume")
	own.SetNamespace(config.DefaultDriverNamespace)
	own.SetName(volume.Name)
	own.SetFinalizers([]string{"zfs.openebs.io/finalizer"})
	own.Object["spec"] = map[string]any{"capacity": "1073741824", "ownerNodeID": d.node.Name, "poolName": parent,
		"volumeType": "DATASET"}
	own.Object["status"] = map[string]any{"state": "Ready"}
	d.must(d.Create(d.t.Context(), own))
	pvc.Spec.VolumeName = volume.Name
	d.must(d.Update(d.t.Context(), pvc))
	pvc.Status.Phase = corev1.ClaimBound
	d.must(d.Status().Update(d.t.Context(), pvc))
	return volume, own
}

// finish lets an object that is being deleted go, as its controllers do.
func (p *play) finish(object client.Object) {
	p.t.Helper()
	eventually(p.t, func() error {
		err := p.Get(p.t.Context(), client.ObjectKeyFromObject(object), object)
		if err == nil && object.GetDeletionTimestamp() == nil {
			return fmt.Errorf("%T %s is not being deleted", object, object.GetName())
		}
		return client.IgnoreNotFound(err)
	})
	p.must(client.IgnoreNotFound(p.Patch(p.t.Context(), object,
		client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))))
	p.waitGone(object)
}

// ask writes a request as a runner does, about the plan's first trial.
func (r *runner) ask(want string) {
	r.t.Helper()
	r.askAbout(0, want)
}

func (r *runner) askAbout(trial int, want string) {
	r.t.Helper()
	document, err := result.EncodeClaimRequest(result.ClaimRequest{Version: result.Version, PlanDigest: r.run.Digest,
		Trial: trial, PoolTrial: trial, Want: want})
	r.must(err)
	r.patchDocument(jobspec.ProgressName(r.run.Base()),
		map[string]any{"data": map[string]any{jobspec.KeyClaim: string(document)}})
}

// answered waits for an answer that is ready, or says a word.
func (r *runner) answered(want, word string) result.ClaimAnswer {
	r.t.Helper()
	var answer result.ClaimAnswer
	eventually(r.t, func() error {
		var err error
		if answer, err = r.lastAnswer(); err != nil {
			return err
		}
		if answer.Request.Want != want || answer.Ready != (word == "") || !strings.Contains(answer.Message, word) {
			return fmt.Errorf("the answer is %+v, want %s, %q", answer, want, word)
		}
		return nil
	})
	return answer
}

// lastAnswer is what the manager has said last.
func (r *runner) lastAnswer() (result.ClaimAnswer, error) {
	var cm corev1.ConfigMap
	if err := r.Get(r.t.Context(), r.key(jobspec.ClaimName(r.run.Base())), &cm); err != nil {
		return result.ClaimAnswer{}, err
	}
	return result.DecodeClaimAnswer([]byte(cm.Data[jobspec.KeyClaim]))
}

func (r *runner) claimKey(namespace string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: r.run.Base()}
}

// waitMade waits until an object of the claim is there.
func (r *runner) waitMade(namespace string, object client.Object) {
	r.t.Helper()
	eventually(r.t, func() error { return r.Get(r.t.Context(), r.claimKey(namespace), object) })
}

// runHolder sets the status of a pod that runs.
func (r *runner) runHolder() *corev1.Pod {
	r.t.Helper()
	pod := &corev1.Pod{}
	r.waitMade(config.DefaultClaimNamespace, pod)
	pod.Status.Phase = corev1.PodRunning
	r.must(r.Status().Update(r.t.Context(), pod))
	return pod
}

func (r *runner) mustNotBe(namespace string, object client.Object) {
	r.t.Helper()
	if err := r.Get(r.t.Context(), r.claimKey(namespace), object); !apierrors.IsNotFound(err) {
		r.t.Errorf("%T: %v, want it not to be there", object, err)
	}
}

func TestClaimsNeedTheDriver(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "claims").Node(node.Name).Claiming(v1alpha1.FSTypeZFS).Obj())
	now := p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonDriverNotReady)
	if c := describeConditions(now); !strings.Contains(c, "is not in this cluster") &&
		!strings.Contains(c, "has not registered") {
		t.Errorf("conditions = %s, want them to say what is missing", c)
	}
	driver{p, node}.register()
	p.touch(b, "registered")
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted)
}

// Whoever may create benchmarks may not thereby claim volumes of any class past their own quota.
func TestClassesNeedConsent(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	b := p.create(MakeBenchmark(p.namespace, "class").Node(node.Name).OnClass(p.namespace, "2Gi").Obj())
	refused := func(reason string, words ...string) {
		t.Helper()
		p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionFalse, reason, words...)
	}
	refused(v1alpha1.ReasonNoPolicy,
		fmt.Sprintf("claim volumes of the StorageClasses %s (2Gi of baseline other) for node %s", p.namespace, node.Name),
		"storageClasses: [{name: "+p.namespace+", totalSize: 2Gi}]")
	policy := p.policy(node)
	refused(v1alpha1.ReasonPolicyMismatch, "add them to spec of BenchmarkDevicePolicy "+policy.Name)
	p.allowClass(policy, p.namespace, "1Gi")
	refused(v1alpha1.ReasonPolicyMismatch, "claim at most 1Gi")
	p.allowClass(policy, p.namespace, "2Gi")
	refused(v1alpha1.ReasonDriverNotReady, "there is no StorageClass "+p.namespace)
	p.class(p.namespace)
	p.touch(b, "class")
	p.waitCondition(b, v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted)
}

// OnClass adds a volume of an existing StorageClass.
func (m benchmarkBuilder) OnClass(name, size string) benchmarkBuilder {
	m.b.Spec.Baselines = []v1alpha1.Baseline{{Name: "other",
		PersistentVolume: &v1alpha1.PersistentVolumeBaseline{StorageClassName: name, Size: resource.MustParse(size)}}}
	return m
}

// allowClass lets a policy allow volumes of a StorageClass, and of no other.
func (p *play) allowClass(policy *v1alpha1.BenchmarkDevicePolicy, name, size string) {
	p.t.Helper()
	policy.Spec.StorageClasses = []v1alpha1.PolicyStorageClass{{Name: name, TotalSize: resource.MustParse(size)}}
	p.updatePolicy(policy)
}

// class creates a StorageClass that is somebody else's.
func (p *play) class(name string) *storagev1.StorageClass {
	p.t.Helper()
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "other.example.com"}
	p.must(p.Create(p.t.Context(), class))
	return class
}

// The pod that waits for a claim has a warning of its own, which must not hide what the driver says.
func TestUnboundClaimTellsWhatItsDriverSays(t *testing.T) {
	p := newPlay(t)
	node := p.node("storage-0", nil)
	p.allowClass(p.policy(node), p.class(p.namespace).Name, "1Gi")
	r := p.runner(p.create(MakeBenchmark(p.namespace, "class").Node(node.Name).OnClass(p.namespace, "1Gi").Obj()),
		"storage-0")
	trial := slices.IndexFunc(r.run.Plan.Trials, func(t plan.Trial) bool { return t.Variant == "other" })
	r.askAbout(trial, result.ClaimPresent)
	pvc, pod := &corev1.PersistentVolumeClaim{}, &corev1.Pod{}
	r.waitMade(config.DefaultClaimNamespace, pvc)
	p.warn(pvc, "PersistentVolumeClaim", "ProvisioningFailed", "no such pool")
	r.answered(result.ClaimPresent, "ProvisioningFailed: no such pool")
	r.mustNotBe(config.DefaultClaimNamespace, pod)
	volume := p.bindForeign(pvc, nil)
	r.waitMade(config.DefaultClaimNamespace, pod)
	p.warn(pod, "Pod", "FailedScheduling", "0/1 nodes are available")
	r.answered(result.ClaimPresent, "FailedScheduling: 0/1 nodes are available")
	r.askAbout(trial, result.ClaimAbsent)
	p.finish(pvc)
	r.answered(result.ClaimAbsent, "Waiting for PersistentVolume "+volume.Name)
	p.must(p.Delete(t.Context(), volume))
	p.finish(volume)
	r.answered(result.ClaimAbsent, "")
}

// warn writes a warning about an object, as its driver or the scheduler does.
func (p *play) warn(about client.Object, kind, reason, message string) {
	p.t.Helper()
	p.must(p.Create(p.t.Context(), &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: about.GetNamespace(), GenerateName: "test-"},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: kind, Namespace: about.GetNamespace(),
			Name: about.GetName(), UID: about.GetUID()},
		Type: corev1.EventTypeWarning, Reason: reason, Message: message, LastTimestamp: metav1.Now(),
	}))
}

func TestClaim(t *testing.T) {
	p := newPlay(t)
	d := driver{p, p.node("storage-0", nil)}
	d.register()
	b := p.create(MakeBenchmark(p.namespace, "claims").Node(d.node.Name).Claiming(v1alpha1.FSTypeZFS).Obj())
	r := p.runner(b, "storage-0")
	pool := plan.PoolName(string(b.UID), 0)
	class, pvc := &storagev1.StorageClass{}, &corev1.PersistentVolumeClaim{}

	r.ask(result.ClaimPresent)
	r.answered(result.ClaimPresent, "does not list the pool yet")
	r.mustNotBe("", class)
	d.findPool(pool)
	r.waitMade("", class)
	r.waitMade(config.DefaultClaimNamespace, pvc)
	want := map[string]string{"poolname": pool + "/bench", "fstype": "zfs", "thinprovision": "no", "recordsize": "16K"}
	if diff := cmp.Diff(want, class.Parameters); diff != "" || !cmp.Equal(class.Finalizers, []string{v1alpha1.Finalizer}) {
		t.Errorf("finalizers %v, parameters (-want +got):\n%s", class.Finalizers, diff)
	}
	r.answered(result.ClaimPresent, "to be bound")
	r.mustNotBe(config.DefaultClaimNamespace, &corev1.Pod{})

	volume, own := d.provision(pvc, pool+"/bench")
	pod := r.runHolder()
	facts := result.ClaimFacts{StorageClass: r.run.Base(), Driver: localpv.Provisioner, Volume: volume.Name,
		Dataset: pool + "/bench/" + volume.Name}
	answer := r.answered(result.ClaimPresent, "")
	if diff := cmp.Diff(facts, answer.Facts); diff != "" || answer.PodUID != string(pod.UID) {
		t.Errorf("pod %s, want %s; facts (-want +got):\n%s", answer.PodUID, pod.UID, diff)
	}

	r.ask(result.ClaimDetached)
	r.answered(result.ClaimDetached, "")
	r.mustNotBe(config.DefaultClaimNamespace, &corev1.Pod{})
	r.waitMade(config.DefaultClaimNamespace, pvc)
	r.ask(result.ClaimPresent)
	again := r.runHolder()
	if answer := r.answered(result.ClaimPresent, ""); answer.PodUID != string(again.UID) || answer.Facts != facts {
		t.Errorf("answer = %+v, want pod %s with the same volume", answer, again.UID)
	}

	r.ask(result.ClaimAbsent)
	r.answered(result.ClaimAbsent, "claim")
	r.mustNotBe(config.DefaultClaimNamespace, &corev1.Pod{})
	r.waitMade("", class)
	p.finish(pvc)
	r.answered(result.ClaimAbsent, "Waiting for PersistentVolume")
	p.must(p.Delete(t.Context(), volume))
	p.finish(volume)
	r.answered(result.ClaimAbsent, "ZFSVolume "+own.GetName())
	r.waitMade("", class)
	p.must(p.Delete(t.Context(), own))
	p.finish(own)
	r.answered(result.ClaimAbsent, "")
	r.mustNotBe("", class)
}

// What a runner never told of goes with the benchmark.
func TestClaimsGoWithTheBenchmark(t *testing.T) {
	p := newPlay(t)
	d := driver{p, p.node("storage-0", nil)}
	d.register()
	b := p.create(MakeBenchmark(p.namespace, "claims").Node(d.node.Name).Claiming(v1alpha1.FSTypeZFS).Obj())
	r := p.runner(b, "storage-0")
	d.findPool(plan.PoolName(string(b.UID), 0))
	r.ask(result.ClaimPresent)
	pvc := &corev1.PersistentVolumeClaim{}
	r.waitMade(config.DefaultClaimNamespace, pvc)
	p.must(p.Delete(t.Context(), b))
	r.endDeletion(jobspec.RunJobName(r.run.Base()))
	p.finish(pvc)
	r.collectGarbage()
	p.waitGone(b)
	r.mustNotBe("", &storagev1.StorageClass{})
	r.mustNotBe(config.DefaultClaimNamespace, &corev1.Pod{})
}

// No role can say whose StorageClasses are meant.
func TestClaimsLeaveForeignClassesAlone(t *testing.T) {
	p := newPlay(t)
	class := p.class(p.namespace)
	eventually(t, func() error { // the policy takes effect a moment after it is there
		err := p.manager.Patch(t.Context(), class.DeepCopy(),
			client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"test":"x"}}}`)))
		if !apierrors.IsForbidden(err) {
			return fmt.Errorf("patch = %w, want it forbidden", err)
		}
		return nil
	})
	if err := p.manager.Delete(t.Context(), class); !apierrors.IsForbidden(err) {
		t.Errorf("delete = %v, want it forbidden", err)
	}
	p.must(p.Delete(t.Context(), class))
}
