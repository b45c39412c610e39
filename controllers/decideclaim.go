// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/config"
	"zfsbench.io/operator/internal/jobspec"
	"zfsbench.io/operator/internal/result"
)

// claimStep is what comes of a claim in this reconcile.
type claimStep struct {
	create []client.Object
	remove client.Object
	// ready means that what the runner wants is so; message says what is waited for.
	ready   bool
	message string
	// podUID is that of the pod that has the volume, once it runs.
	podUID string
}

// waits is a step that only waits, with what others say about it.
func waits(v claimView, format string, args ...any) claimStep {
	text := fmt.Sprintf(format, args...)
	if len(v.zfsVolumes) > 0 {
		text += " " + strings.Join(v.zfsVolumes, ", ") + "."
	}
	if v.trouble != "" {
		text += " The last warning is " + trimStop(v.trouble) + "."
	}
	return claimStep{message: text}
}

// decideClaim says what is to be done next for what a runner wants. It is a pure function.
func decideClaim(c jobspec.Claim, v claimView, want string, runner config.Runner) claimStep {
	switch {
	case want == result.ClaimAbsent:
		return decideAbsent(c, v)
	case v.isOfAnother(c):
		step := decideAbsent(c, v)
		step.ready = false
		return step
	case want == result.ClaimDetached:
		return decideDetached(c, v)
	}
	return decidePresent(c, v, runner)
}

// isOfAnother says that what there is was made for another trial.
func (v claimView) isOfAnother(c jobspec.Claim) bool {
	trial := strconv.Itoa(c.Trial)
	return v.pvc != nil && v.pvc.Labels[jobspec.LabelTrial] != trial ||
		v.pod != nil && v.pod.Labels[jobspec.LabelTrial] != trial ||
		v.class != nil && v.class.Labels[jobspec.LabelTrial] != trial
}

// isGoing says that something of it is being removed.
func (v claimView) isGoing() bool {
	return v.class != nil && v.class.DeletionTimestamp != nil || v.pvc != nil && v.pvc.DeletionTimestamp != nil || v.pod != nil && v.pod.DeletionTimestamp != nil
}

// decideAbsent takes everything away in the order in which the driver can finish: the pod, the claim with the volume, and then the StorageClass. The pool goes after that, which is the runner's business.
func decideAbsent(c jobspec.Claim, v claimView) claimStep {
	switch {
	case v.pod != nil:
		return v.goes(v.pod, "pod")
	case v.pvc != nil:
		return v.goes(v.pvc, "claim")
	case v.volume != nil:
		return waits(v, "Waiting for PersistentVolume %s to be removed by its driver.", v.volume.Name)
	case len(v.zfsVolumes) > 0:
		return waits(v, "Waiting for the driver to remove what it has in %s.", c.Parent())
	case v.class != nil:
		return claimStep{remove: v.class, message: "The StorageClass is being removed."}
	}
	return claimStep{ready: true}
}

// goes deletes an object, once, and waits for its end.
func (v claimView) goes(object client.Object, what string) claimStep {
	step := waits(v, "Waiting for the %s %s to be gone.", what, object.GetName())
	if object.GetDeletionTimestamp() == nil {
		step.remove = object
	}
	return step
}

// decideDetached takes the pod away.
func decideDetached(c jobspec.Claim, v claimView) claimStep {
	switch {
	case v.pod != nil:
		return v.goes(v.pod, "pod")
	case v.pvc == nil:
		return waits(v, "There is no claim %s to take a pod from: somebody has removed it.", c.Name())
	}
	return claimStep{ready: true}
}

// decidePresent makes what is missing, one after the other.
func decidePresent(c jobspec.Claim, v claimView, runner config.Runner) claimStep {
	switch {
	case v.isGoing():
		return waits(v, "Waiting for what was there before to be gone.")
	case !c.IsForeign() && v.pvc == nil && !v.poolListed:
		return waits(v, "Waiting for the driver to find pool %s on %s, for which it looks once a minute: ZFSNode %s does not list it.", c.Pool(), c.Run.Plan.Node.Name, c.NodeID())
	case !c.IsForeign() && v.class == nil:
		return claimStep{create: []client.Object{c.StorageClass()}, message: "The StorageClass is being made."}
	case v.pvc == nil:
		return claimStep{create: []client.Object{c.PersistentVolumeClaim()}, message: "The claim is being made."}
	case !c.IsForeign() && v.pvc.Status.Phase != corev1.ClaimBound:
		return waits(v, "Waiting for claim %s to be bound.", c.Name())
	case v.pod == nil:
		// A claim to somebody else's class may be bound only once a pod wants it.
		return claimStep{create: []client.Object{c.Holder(runner)}, message: "The pod is being made."}
	}
	return decideMounted(c, v)
}

// decideMounted waits until the pod has the volume.
func decideMounted(c jobspec.Claim, v claimView) claimStep {
	switch {
	case podEnded(v.pod):
		step := waits(v, "The pod of claim %s has ended (%s), and is made anew.", c.Name(), trimStop(v.pod.Status.Message))
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
	if message, ok := unschedulable(pod); ok {
		return " It cannot be scheduled" + detail(message) + "."
	}
	return ""
}
