// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/csi/localpv"
)

// claimView is everything that exists of a claim, read from the API itself.
type claimView struct {
	// class is the StorageClass that the manager makes; existing is the class that a baseline on an existing one names.
	class, existing *storagev1.StorageClass
	pvc             *corev1.PersistentVolumeClaim
	pod             *corev1.Pod
	volume          *corev1.PersistentVolume
	// zfsVolumes describes the driver's ZFSVolume objects in the benchmark's dataset.
	zfsVolumes []string
	// poolListed says that the driver knows the pool.
	poolListed bool
	// warning is the last warning event about the claim or the pod, not sanitized.
	warning string
	// facts are the known facts of the volume.
	facts result.ClaimFacts
	// evidence is about the volume of an existing class. It is nil unless the manager is about to use or remove the
	// volume.
	evidence *volumeEvidence
	// detached says that the pod was removed at the runner's request and has to be created again.
	detached bool
	// room is the largest size that policies allow for such a volume.
	room resource.Quantity
}

// observeClaim reads from the API, because the cache does not have these objects. If an object has the claim's name but
// does not belong to the manager, observeClaim returns an error, and the object stays untouched.
func (r *Reconciler) observeClaim(ctx context.Context, c jobspec.Claim, n *nodeRun) (claimView, error) {
	var v claimView
	var err error
	if v.pvc, err = findOwn(ctx, r, c, c.Namespace, &corev1.PersistentVolumeClaim{}); err != nil {
		return v, err
	}
	if v.pod, err = findOwn(ctx, r, c, c.Namespace, &corev1.Pod{}); err != nil {
		return v, err
	}
	if c.IsForeign() {
		v.existing = &storagev1.StorageClass{}
		found, err := r.find(ctx, client.ObjectKey{Name: c.ClassName()}, v.existing)
		if err != nil {
			return v, fmt.Errorf("get StorageClass: %w", err)
		}
		if !found {
			v.existing = nil
		}
	} else {
		if v.class, err = findOwn(ctx, r, c, "", &storagev1.StorageClass{}); err != nil {
			return v, err
		}
		if err := r.observeDriver(ctx, c, &v); err != nil {
			return v, err
		}
	}
	v.detached = n.claimAnswer != nil && n.claimAnswer.Ready && n.claimAnswer.Request.Want == result.ClaimDetached &&
		n.claimAnswer.Request.Trial == n.claimRequest.Trial
	v.facts = result.ClaimFacts{StorageClass: c.ClassName(), Volume: volumeName(v.pvc, n)}
	if v.facts.Volume != "" {
		volume := &corev1.PersistentVolume{}
		found, err := r.find(ctx, client.ObjectKey{Name: v.facts.Volume}, volume)
		if err != nil {
			return v, fmt.Errorf("get the volume: %w", err)
		}
		if found {
			v.volume = volume
			v.facts.Driver, v.facts.Dataset = madeBy(c, volume)
		}
	}
	if v.needsEvidence(c, n.claimRequest.Want) {
		if v.evidence, err = r.evidenceOf(ctx, v.pvc); err != nil {
			return v, err
		}
		if v.volume = v.evidence.volume; v.volume != nil {
			v.facts.Volume = v.volume.Name // a volume is bound before its claim is
		}
	}
	v.warning, err = r.lastWarning(ctx, v.pvc, v.pod)
	return v, err
}

// needsEvidence says whether a pod is about to use the volume of an existing class, or its claim is about to be
// deleted. Only then does the manager read all volumes of the cluster.
func (v claimView) needsEvidence(c jobspec.Claim, want string) bool {
	if !c.IsForeign() || v.pvc == nil || v.pod != nil || v.isTerminating() {
		return false
	}
	return v.pvc.Status.Phase == corev1.ClaimBound || want == result.ClaimAbsent || want == result.ClaimKept ||
		v.isOfAnother(c)
}

// evidenceOf reads, from the API, what shows whether the volume of a claim was made for it. If the claim is not bound
// yet, its volume is the one that names the claim: the volume is bound first.
func (r *Reconciler) evidenceOf(ctx context.Context, pvc *corev1.PersistentVolumeClaim) (*volumeEvidence, error) {
	e := &volumeEvidence{claim: pvc}
	class := &storagev1.StorageClass{}
	found, err := r.find(ctx, client.ObjectKey{Name: ptr.Deref(pvc.Spec.StorageClassName, "")}, class)
	if err != nil {
		return nil, fmt.Errorf("get StorageClass: %w", err)
	}
	if found {
		e.class = class
	}
	var volumes corev1.PersistentVolumeList
	if err := r.APIReader.List(ctx, &volumes); err != nil {
		return nil, fmt.Errorf("list volumes: %w", err)
	}
	e.all = volumes.Items
	for i := range e.all {
		volume := &e.all[i]
		ref := volume.Spec.ClaimRef
		names := ref != nil && ref.Namespace == pvc.Namespace && ref.Name == pvc.Name
		bound := pvc.Spec.VolumeName == volume.Name
		if bound || names && pvc.Spec.VolumeName == "" && (e.volume == nil || isKept(e.volume)) {
			e.volume = volume
		}
	}
	return e, nil
}

// findOwn returns the object with the claim's name, or nil.
func findOwn[T client.Object](
	ctx context.Context, r *Reconciler, c jobspec.Claim, namespace string, object T,
) (T, error) {
	var none T
	found, err := r.find(ctx, client.ObjectKey{Namespace: namespace, Name: c.Name()}, object)
	switch {
	case err != nil:
		return none, fmt.Errorf("get %T %s: %w", object, c.Name(), err)
	case !found:
		return none, nil
	case object.GetLabels()[v1alpha1.LabelBenchmarkUID] != c.Run.Plan.Benchmark.UID:
		return none, fmt.Errorf("%T %s does not belong to this benchmark, and is left alone", object, c.Name())
	}
	return object, nil
}

// volumeName is the name of the claim's volume. If the claim is gone, the last answer about this trial has it.
func volumeName(pvc *corev1.PersistentVolumeClaim, n *nodeRun) string {
	switch {
	case pvc != nil && pvc.Spec.VolumeName != "":
		return pvc.Spec.VolumeName
	case pvc != nil:
		return ""
	case n.claimAnswer != nil && n.claimAnswer.Request.Trial == n.claimRequest.Trial:
		return n.claimAnswer.Facts.Volume
	}
	return ""
}

// madeBy returns the driver that made a volume, and the volume's dataset in the benchmark's own pool.
func madeBy(c jobspec.Claim, volume *corev1.PersistentVolume) (driver, dataset string) {
	csi := volume.Spec.CSI
	if csi == nil {
		return "", ""
	}
	if c.IsForeign() || csi.VolumeAttributes[localpv.PoolAttribute] == "" {
		return csi.Driver, ""
	}
	return csi.Driver, csi.VolumeAttributes[localpv.PoolAttribute] + "/" + csi.VolumeHandle
}

// observeDriver reads whether the driver has found the pool, and which volumes it has there.
func (r *Reconciler) observeDriver(ctx context.Context, c jobspec.Claim, v *claimView) error {
	node := driverObject("ZFSNode")
	found, err := r.find(ctx, client.ObjectKey{Namespace: r.Config.CSI.DriverNamespace, Name: c.NodeID()}, node)
	if err != nil {
		return fmt.Errorf("get ZFSNode %s: %w", c.NodeID(), err)
	}
	if found {
		pools, _, err := unstructured.NestedSlice(node.Object, "pools")
		if err != nil {
			return fmt.Errorf("read ZFSNode %s: %w", c.NodeID(), err)
		}
		v.poolListed = slices.ContainsFunc(pools, func(pool any) bool {
			fields, ok := pool.(map[string]any)
			return ok && fields["name"] == c.Pool()
		})
	}
	volumes := &unstructured.UnstructuredList{}
	volumes.SetGroupVersionKind(driverKind("ZFSVolumeList"))
	if err := r.APIReader.List(ctx, volumes, client.InNamespace(r.Config.CSI.DriverNamespace)); err != nil {
		return fmt.Errorf("list ZFSVolumes: %w", err)
	}
	for _, volume := range volumes.Items {
		if in, _, _ := unstructured.NestedString(volume.Object, "spec", "poolName"); in != c.Parent() {
			continue
		}
		state, _, _ := unstructured.NestedString(volume.Object, "status", "state")
		if volume.GetDeletionTimestamp() != nil {
			state = "being removed by the driver"
		}
		v.zfsVolumes = append(v.zfsVolumes, fmt.Sprintf("ZFSVolume %s is %s", volume.GetName(), orUnknown(state)))
	}
	return nil
}

func orUnknown(state string) string {
	if state == "" {
		return "without a state"
	}
	return state
}

func driverKind(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: localpv.Group, Version: localpv.Version, Kind: kind}
}

func driverObject(kind string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(driverKind(kind))
	return object
}

// lastWarning is the newest Warning event about the object that is waited for: the claim until it is bound, then the
// pod. If that object has no warnings, it is the newest about the other one. While a claim is not bound, warnings about
// its pod only repeat that.
func (r *Reconciler) lastWarning(
	ctx context.Context, pvc *corev1.PersistentVolumeClaim, pod *corev1.Pod,
) (string, error) {
	var about []client.Object
	if pod != nil {
		about = append(about, pod)
	}
	if pvc != nil {
		about = append(about, pvc)
	}
	if pvc != nil && pvc.Status.Phase != corev1.ClaimBound {
		slices.Reverse(about)
	}
	for _, object := range about {
		var events corev1.EventList
		if err := r.APIReader.List(ctx, &events, client.InNamespace(object.GetNamespace()),
			client.MatchingFields{"involvedObject.uid": string(object.GetUID())}); err != nil {
			return "", fmt.Errorf("list events: %w", err)
		}
		warnings := slices.DeleteFunc(events.Items, func(e corev1.Event) bool { return e.Type != corev1.EventTypeWarning })
		if len(warnings) == 0 {
			continue
		}
		last := slices.MaxFunc(warnings, func(a, b corev1.Event) int { return eventTime(a).Compare(eventTime(b)) })
		return last.Reason + ": " + last.Message, nil
	}
	return "", nil
}

// eventTime is when an event was seen last.
func eventTime(e corev1.Event) time.Time {
	if e.Series != nil {
		return e.Series.LastObservedTime.Time
	}
	if e.LastTimestamp.IsZero() {
		return e.EventTime.Time
	}
	return e.LastTimestamp.Time
}

func isClass(object client.Object) bool {
	_, ok := object.(*storagev1.StorageClass)
	return ok
}
