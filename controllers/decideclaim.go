// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// claimStep is what this reconcile does with a claim.
type claimStep struct {
	create []client.Object
	remove client.Object
	// keep is a volume that must survive the deletion of its claim. why is the reason, as the rest of a sentence that
	// begins with the volume's name.
	keep *corev1.PersistentVolume
	why  string
	// refused means that the request is denied, or that its result is lost.
	refused bool
	// ready means that the request is fulfilled; message says what the step waits for.
	ready   bool
	message string
	// podUID is the UID of the pod that has the volume, once it runs.
	podUID string
}

// waits is a step that only waits; its message includes what Kubernetes and the driver report.
func waits(v claimView, format string, args ...any) claimStep {
	text := fmt.Sprintf(format, args...)
	if len(v.zfsVolumes) > 0 {
		text += " " + strings.Join(v.zfsVolumes, ", ") + "."
	}
	if v.warning != "" {
		text += " Last warning: " + trimStop(v.warning) + "."
	}
	return claimStep{message: text}
}

// decideClaim returns the next step towards what a runner requests. It is a pure function.
func decideClaim(c jobspec.Claim, v claimView, want string, runner config.Runner) claimStep {
	switch {
	case want == result.ClaimAbsent:
		return decideAbsent(c, v, false)
	case want == result.ClaimKept:
		return decideAbsent(c, v, true)
	case v.isOfAnother(c):
		step := decideAbsent(c, v, true) // its runner did not remove it, so its content is unknown
		step.ready = false
		return step
	case want == result.ClaimDetached:
		return decideDetached(c, v)
	}
	return decidePresent(c, v, runner)
}

// isOfAnother says that an existing object was made for another trial.
func (v claimView) isOfAnother(c jobspec.Claim) bool {
	trial := strconv.Itoa(c.Trial)
	return v.pvc != nil && v.pvc.Labels[jobspec.LabelTrial] != trial ||
		v.pod != nil && v.pod.Labels[jobspec.LabelTrial] != trial ||
		v.class != nil && v.class.Labels[jobspec.LabelTrial] != trial
}

// isTerminating says that one of the objects is being removed.
func (v claimView) isTerminating() bool {
	return v.class != nil && v.class.DeletionTimestamp != nil || v.pvc != nil && v.pvc.DeletionTimestamp != nil ||
		v.pod != nil && v.pod.DeletionTimestamp != nil
}

// decideAbsent removes everything in an order that the driver can complete: the pod, then the claim with the volume,
// then the StorageClass. After that the runner removes the pool. With keep, the volume of an existing class stays.
func decideAbsent(c jobspec.Claim, v claimView, keep bool) claimStep {
	if step, found := decideKept(c, v, keep); found {
		return step
	}
	switch {
	case v.pod != nil:
		return v.remove(v.pod, "pod")
	case v.pvc != nil:
		return v.remove(v.pvc, "claim")
	case v.volume != nil && c.IsForeign() && isKept(v.volume):
		message := fmt.Sprintf("PersistentVolume %s is kept (reclaimPolicy Retain).", v.volume.Name)
		return claimStep{ready: true, message: message}
	case v.volume != nil:
		return waits(v, "Waiting for PersistentVolume %s to be removed by its driver.%s",
			v.volume.Name, volumeState(v.volume))
	case len(v.zfsVolumes) > 0:
		return waits(v, "Waiting for the driver to remove what it has in %s.", c.Parent())
	case v.class != nil:
		return claimStep{remove: v.class, message: "The StorageClass is being removed."}
	}
	return claimStep{ready: true}
}

// decideKept decides what has to happen before a claim to an existing class is deleted. The deletion would also delete
// the volume, even if the volume was not made for the claim or may hold other data. With keep, the volume is retained
// first, whoever deletes the claim. Without keep, the volume is checked again once its pod is gone. A claim without a
// volume can be deleted at once.
func decideKept(c jobspec.Claim, v claimView, keep bool) (claimStep, bool) {
	if !c.IsForeign() || v.volume == nil || isKept(v.volume) {
		return claimStep{}, false
	}
	why := whyNotEmpty
	if !keep {
		if v.pod != nil || v.pvc == nil || v.pvc.DeletionTimestamp != nil {
			return claimStep{}, false
		}
		if v.evidence == nil {
			return waits(v, "Waiting to look at PersistentVolume %s.", v.volume.Name), true
		}
		why = v.evidence.doubt()
	}
	if why == "" {
		return claimStep{}, false
	}
	message := fmt.Sprintf("PersistentVolume %s %s, so its reclaimPolicy becomes Retain before the claim is deleted.",
		v.volume.Name, why)
	return claimStep{keep: v.volume, why: why, message: message}, true
}

// whyNotEmpty is the reason to keep a volume that was made for its claim, as the rest of a sentence that begins with
// its name.
const whyNotEmpty = "was not found empty, and may hold data that does not belong to the benchmark"

// volumeState is what Kubernetes reports about a volume that is not removed.
func volumeState(volume *corev1.PersistentVolume) string {
	if volume.Status.Phase == "" {
		return ""
	}
	return fmt.Sprintf(" It is %s%s.", volume.Status.Phase, detail(volume.Status.Message))
}

// remove deletes an object, once, and waits for its end.
func (v claimView) remove(object client.Object, what string) claimStep {
	step := waits(v, "Waiting for the %s %s to be gone.", what, object.GetName())
	if object.GetDeletionTimestamp() == nil {
		step.remove = object
	}
	return step
}

// decideDetached removes the pod, and keeps the claim.
func decideDetached(c jobspec.Claim, v claimView) claimStep {
	switch {
	case v.pod != nil:
		return v.remove(v.pod, "pod")
	case v.pvc == nil:
		return waits(v, "Claim %s does not exist any more: somebody has removed it.", c.Name())
	}
	return claimStep{ready: true}
}

// decidePresent creates the missing objects, one after the other.
func decidePresent(c jobspec.Claim, v claimView, runner config.Runner) claimStep {
	switch {
	case v.isTerminating():
		return waits(v, "Waiting for the objects of an earlier trial to be gone.")
	case c.IsForeign() && v.pod != nil && v.pvc == nil:
		return v.remove(v.pod, "pod") // its claim was checked; a new claim would not be
	case c.IsForeign() && v.pod == nil:
		return decideForeign(c, v, runner)
	case v.pvc == nil && !v.poolListed:
		return waits(v, "Waiting for the driver to find pool %s on %s. It looks once a minute; ZFSNode %s does not list the "+
			"pool yet.", c.Pool(), c.Run.Plan.Node.Name, c.NodeID())
	case v.class == nil && !c.IsForeign():
		return claimStep{create: []client.Object{c.StorageClass()}, message: "The StorageClass is being created."}
	case v.pvc == nil:
		return claimStep{create: []client.Object{c.PersistentVolumeClaim()}, message: "The claim is being created."}
	case v.pvc.Status.Phase != corev1.ClaimBound:
		return waits(v, "Waiting for claim %s to be bound.", c.Name())
	case v.pod == nil:
		return claimStep{create: []client.Object{c.Holder(runner)}, message: "The pod is being created."}
	}
	return decideMounted(c, v)
}

// decideForeign creates a claim to an existing class, and creates a pod only after the volume is proved to be new:
// nothing formats or mounts it before.
func decideForeign(c jobspec.Claim, v claimView, runner config.Runner) claimStep {
	if text := classProblem(c.ClassName(), v.existing); text != "" {
		return claimStep{refused: true, message: "The volume cannot be claimed: " + text}
	}
	switch {
	case v.pvc == nil && v.detached: // the runner has checked that volume, and would not check another
		return claimStep{refused: true, message: fmt.Sprintf("Somebody has removed claim %s while it was in use.", c.Name())}
	case v.pvc == nil:
		c.Waits = ptr.Deref(v.existing.VolumeBindingMode, "") == storagev1.VolumeBindingWaitForFirstConsumer
		return claimStep{create: []client.Object{c.PersistentVolumeClaim()}, message: "The claim is being created."}
	case v.pvc.Status.Phase != corev1.ClaimBound || v.evidence == nil || v.volume == nil:
		return waits(v, "Waiting for claim %s to be bound.", c.Name())
	}
	why := v.evidence.doubt()
	if why == "" {
		why = exceeds(v.volume, v.room)
	}
	if why != "" {
		message := fmt.Sprintf("PersistentVolume %s, bound to claim %s, is not used: it %s.", v.volume.Name, c.Name(), why)
		return claimStep{refused: true, message: message}
	}
	return claimStep{create: []client.Object{c.Holder(runner)}, message: "The pod is being created."}
}

// decideHeld checks the pod that a runner measures on. If that pod is lost, the runner does not get another one.
func decideHeld(v claimView, podUID string) claimStep {
	switch {
	case v.pod == nil:
		return claimStep{refused: true, message: "The pod that had the volume mounted was deleted while it was in use."}
	case string(v.pod.UID) != podUID:
		return claimStep{refused: true,
			message: fmt.Sprintf("Pod %s, which had the volume mounted, was replaced while it was in use.", v.pod.Name)}
	case v.pod.DeletionTimestamp != nil || podEnded(v.pod):
		return claimStep{refused: true,
			message: fmt.Sprintf("Pod %s, which had the volume mounted, ended while it was in use%s.",
				v.pod.Name, detail(v.pod.Status.Message))}
	}
	return claimStep{ready: true, podUID: podUID}
}

// decideMounted waits until the pod has the volume.
func decideMounted(c jobspec.Claim, v claimView) claimStep {
	switch {
	case podEnded(v.pod):
		step := waits(v, "The pod of claim %s has ended (%s), and will be created again.",
			c.Name(), trimStop(v.pod.Status.Message))
		step.remove = v.pod
		return step
	case v.pod.Status.Phase != corev1.PodRunning:
		return waits(v, "Waiting for pod %s to run with the volume.%s", c.Name(), podWaits(v.pod))
	case v.pvc.Status.Phase != corev1.ClaimBound || v.volume == nil:
		return waits(v, "Waiting for claim %s to be bound.", c.Name())
	case !c.IsForeign() && v.facts.Dataset == "":
		return waits(v, "PersistentVolume %s does not say which dataset it is.", v.volume.Name)
	}
	return claimStep{ready: true, podUID: string(v.pod.UID)}
}

// podWaits is why the container of a pod does not run, or why the pod is not scheduled.
func podWaits(pod *corev1.Pod) string {
	for _, status := range pod.Status.ContainerStatuses {
		if w := status.State.Waiting; w != nil && w.Reason != "ContainerCreating" && w.Reason != "" {
			return " It waits: " + w.Reason + detail(w.Message) + "."
		}
	}
	if message, ok := jobspec.Unschedulable(pod); ok {
		return " It cannot be scheduled" + detail(message) + "."
	}
	return ""
}
