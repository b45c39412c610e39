// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/csi/podvolume"
)

// claimPlan measures a persistent volume of ZFS.
func claimPlan(w *world) plan.Plan {
	p := testPlan(w)
	p.Variants[0].Dataset = v1alpha1.DatasetSpec{
		Type:             v1alpha1.DatasetPersistentVolume,
		PersistentVolume: &v1alpha1.PersistentVolumeSpec{Size: resource.MustParse("256Mi"), FSType: v1alpha1.FSTypeZFS},
	}
	return p
}

// keptClaimPlan measures two volumes with ext4, one after the other in one pool.
func keptClaimPlan(w *world) plan.Plan {
	w.source = volumeDevice
	p := claimPlan(w)
	p.Variants[0].Dataset.PersistentVolume.FSType = "ext4"
	p.FreshPool = v1alpha1.FreshPoolPerVariant
	return p
}

// classPlan measures a volume of somebody else's StorageClass.
func classPlan(w *world) plan.Plan {
	w.source = "server:/export"
	p := testPlan(w)
	p.Variants = []plan.Variant{{Name: "nfs", Baseline: &v1alpha1.Baseline{Name: "nfs",
		PersistentVolume: &v1alpha1.PersistentVolumeBaseline{
			StorageClassName: "nfs", Size: resource.MustParse("256Mi"),
		}}}}
	p.Devices, p.Trials = nil, []plan.Trial{{Index: 0, Variant: "nfs", Repetition: 1}}
	return p
}

// fakeClaims is the engine's view of the manager, and of the driver behind it, who do at once what is asked for.
type fakeClaims struct{ v *view }

func (f fakeClaims) Ask(_ context.Context, request result.ClaimRequest) error {
	return f.v.call(fmt.Sprintf("ask for the volume of trial %d to be %s", request.Trial, request.Want), func() error {
		if request.Want == result.ClaimPresent {
			isNew := f.v.volume == ""
			f.v.mustBeRecordedAs("the claim", func(own *result.Ownership) bool {
				foreign := own.Baseline == v1alpha1.KindPersistentVolume
				return own.Claim != nil && own.TrialIndex == request.Trial && own.Claim.Keep == (foreign && isNew)
			})
		}
		f.v.asked = &request
		if f.v.stuck != "" {
			return nil
		}
		switch request.Want {
		case result.ClaimKept:
			if f.v.volume != "" {
				f.v.kept = f.v.precious
			}
			f.v.hasPod, f.v.volume = false, ""
		case result.ClaimPresent:
			f.v.provision(request)
			f.v.hasPod = true
		case result.ClaimDetached:
			f.v.hasPod = false
		default:
			f.v.hasPod = false
			f.v.unprovision()
		}
		return nil
	})
}

// provision makes the volume, if it is not there, in the benchmark's pool, which the driver must see.
func (w *world) provision(request result.ClaimRequest) {
	if w.volume != "" {
		return
	}
	w.volume = "nfs/pvc"
	if w.source == "server:/export" {
		return
	}
	pool := w.pools[plan.PoolName(testUID, request.PoolTrial)]
	if pool == nil || !pool.imported {
		w.t.Errorf("a volume is asked for in pool %d, which is not there", request.PoolTrial)
		return
	}
	w.volume = fmt.Sprintf("%s/bench/pvc-%d", pool.name, request.Trial)
	pool.datasets = append(pool.datasets, w.volume)
}

// unprovision removes the volume. The driver takes one that it does not see for one that is gone.
func (w *world) unprovision() {
	if pool := w.pools[strings.Split(w.volume, "/")[0]]; pool != nil && pool.imported {
		if w.mounted != "" {
			w.t.Errorf("volume %s is to be removed while it is in use", w.volume)
		}
		pool.datasets = slices.DeleteFunc(pool.datasets, func(name string) bool { return name == w.volume })
	}
	if w.precious != "" && w.volume != "" {
		w.t.Errorf("%s is gone with its volume", w.precious)
	}
	w.volume = ""
}

func (f fakeClaims) Answer(context.Context) (*result.ClaimAnswer, error) {
	var answer *result.ClaimAnswer
	err := f.v.call("read the answer", func() error {
		if f.v.asked == nil {
			return nil
		}
		answer = &result.ClaimAnswer{Request: *f.v.asked, Ready: f.v.stuck == "" && f.v.refusal == "",
			Refused: f.v.refusal != "", Message: f.v.stuck + f.v.refusal, PodUID: "pod"}
		if f.v.volume != "" {
			answer.Facts = result.ClaimFacts{Driver: "zfs.csi.openebs.io", Volume: "pvc", Dataset: f.v.volume}
		}
		return nil
	})
	if f.v.stuck != "" {
		f.v.mu.Lock()
		f.v.transcript = f.v.transcript[:len(f.v.transcript)-1] // nobody knows how often
		f.v.mu.Unlock()
	}
	return answer, err
}

// fakePods is the engine's view of the node's pods.
type fakePods struct{ v *view }

func (f fakePods) Attach(podUID, inside, _ string) (podvolume.Held, error) {
	return fakeHeld(f), f.v.call("attach "+inside+" of "+podUID, func() error {
		if !f.v.hasPod {
			return errors.New("there is no pod")
		}
		f.v.mounted = f.v.volume
		if f.v.source != "" {
			f.v.mounted = f.v.source
		}
		return nil
	})
}

func (f fakePods) CheckEmpty(string) error {
	return f.v.call("is it empty?", func() error {
		if f.v.precious != "" {
			return errors.New("its filesystem is not empty: it has \"" + f.v.precious + "\"")
		}
		return nil
	})
}

// Give complains about a volume that holds something, or of which nobody has recorded that it does not.
func (f fakePods) Give(string) error {
	return f.v.call("give the volume to the tools", func() error {
		f.v.mustBeRecordedAs("the volume", func(own *result.Ownership) bool { return own.Claim != nil && !own.Claim.Keep })
		if f.v.precious != "" {
			f.v.t.Errorf("a volume with %s is given to the tools", f.v.precious)
		}
		return nil
	})
}

func (f fakePods) Device(podUID, inside string) (string, podvolume.Held, error) {
	if f.v.opens != nil {
		<-f.v.opens
	}
	return volumeDevice, fakeHeld(f), f.v.call("find "+inside+" of "+podUID, func() error { return nil })
}

// fakeHeld is a volume that a pod has until it is gone.
type fakeHeld struct{ v *view }

func (f fakeHeld) Check() error {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	if f.v.heldHangs {
		f.v.mu.Unlock()
		<-f.v.end
		f.v.mu.Lock()
	}
	if !f.v.hasPod || f.v.another {
		return errors.New("pod pod no longer has the volume: it is another device")
	}
	return nil
}

func (f fakeHeld) Close() error {
	if f.v.closed != nil {
		close(f.v.closed)
	}
	return nil
}

func TestOrderOnAClaim(t *testing.T) {
	for name, planFor := range map[string]func(*world) plan.Plan{"claim": claimPlan, "keptclaim": keptClaimPlan,
		"class": classPlan} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := planFor(w)
			got, _ := w.execute(t.Context(), p)
			if got.Progress.State != result.StateComplete {
				t.Fatalf("outcome %+v, failure %+v", got, got.Progress.Failure)
			}
			compareTranscript(t, w, name)
			if left := w.left(); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
			for index, trial := range w.trials {
				if trial.Claim == nil || trial.Claim.Dataset == "" || len(trial.Samples) != 2 {
					t.Errorf("trial %d: claim %+v, %d samples", index, trial.Claim, len(trial.Samples))
				}
			}
		})
	}
}

// What keeps a volume from being there is in the failure; what keeps it from going keeps the pool.
func TestStuckClaim(t *testing.T) {
	w := newWorld(t)
	p := claimPlan(w)
	w.stuck = "Waiting for claim zb-1 to be bound. The last warning is ProvisioningFailed: no space."
	got, _ := w.execute(t.Context(), p)
	f := got.Progress.Failure
	if f == nil || f.Reason != v1alpha1.ReasonCleanupFailed || !strings.Contains(f.Message,
		"ProvisioningFailed: no space") {
		t.Errorf("failure %+v, want the driver's words", f)
	}
	if w.ownership == nil || w.pools[plan.PoolName(testUID, 0)] == nil {
		t.Errorf("left %v, want the record and the pool to stay", w.left())
	}
	w.stuck = ""
	if got, _ := w.cleanUp(p); got.Progress.State != result.StateCleaned || len(w.left()) != 0 {
		t.Errorf("outcome %+v, left %v", got, w.left())
	}
}

// A volume elsewhere is none of the benchmark's.
func TestClaimElsewhere(t *testing.T) {
	w := newWorld(t)
	p := claimPlan(w)
	w.on["ask for the volume of trial 0 to be Present"] = func() { w.volume = "tank/bench/pvc-0" }
	got, _ := w.execute(t.Context(), p)
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonClaimFailed ||
		!strings.Contains(f.Message, "is not in zfsbench-0c7c9a41-0/bench") {
		t.Errorf("failure %+v", got.Progress.Failure)
	}
}

func TestClaimsNeedKubernetes(t *testing.T) {
	w := newWorld(t)
	p := claimPlan(w)
	got, _ := w.work(func() Outcome {
		e := w.engine(p)
		e.Claims, e.PodVolumes = nil, nil
		return e.Execute(t.Context())
	})
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonPreflightFailed ||
		!strings.Contains(f.Message, "need Kubernetes") {
		t.Errorf("failure %+v", got.Progress.Failure)
	}
}

// blockClassPlan measures a block volume of somebody else's StorageClass.
func blockClassPlan(w *world) plan.Plan {
	p := classPlan(w)
	p.Variants[0].Baseline.PersistentVolume.VolumeMode = v1alpha1.VolumeBlock
	return p
}

// Consent is to new volumes: one that holds something is neither written to nor removed, also by the runner after this
// one.
func TestVolumeThatHoldsSomethingStays(t *testing.T) {
	for name, planFor := range map[string]func(*world) plan.Plan{"filesystem": classPlan, "block": blockClassPlan} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := planFor(w)
			w.precious = "db"
			got, _ := w.execute(t.Context(), p)
			f := got.Progress.Failure
			if f == nil || f.Reason != v1alpha1.ReasonClaimFailed || !strings.Contains(f.Message,
				"PersistentVolume pvc, which stays as it is") {
				t.Errorf("failure %+v", f)
			}
			if w.kept != "db" || w.ownership != nil {
				t.Errorf("kept %q, left %v", w.kept, w.left())
			}
			for _, line := range w.transcript {
				if strings.HasPrefix(line, "fio rw") || strings.HasPrefix(line, "fio create") {
					t.Errorf("%q ran on it", line)
				}
			}
		})
	}
}

// A manager that refuses says why, and nothing is tried.
func TestRefusedClaim(t *testing.T) {
	w := newWorld(t)
	p := classPlan(w)
	w.on["ask for the volume of trial 0 to be Present"] = func() {
		w.refusal = "PersistentVolume old, which claim zb-1 got, is not used: it is older than the claim."
	}
	w.on["ask for the volume of trial 0 to be Kept"] = func() { w.refusal = "" }
	got, _ := w.execute(t.Context(), p)
	if f := got.Progress.Failure; f == nil || f.Reason != v1alpha1.ReasonClaimFailed ||
		!strings.Contains(f.Message, "PersistentVolume old") {
		t.Errorf("failure %+v", f)
	}
}

// The pod is deleted between two workloads and its device's name is given to another volume: no tool runs on that.
func TestVolumeIsProvedBeforeEveryTool(t *testing.T) {
	for name, change := range map[string]func(*world){
		"another volume has its name": func(w *world) { w.another = true },
		"the pod is gone":             func(w *world) { w.hasPod = false },
		"the manager saw it go": func(w *world) {
			w.refusal = "Pod zb-1, which had the volume mounted, was ended " +
				"while it was in use."
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := blockClassPlan(w)
			w.on["fio rw=write"] = func() { change(w) }
			w.on["ask for the volume of trial 0 to be Absent"] = func() { w.refusal = "" }
			_, _ = w.execute(t.Context(), p)
			trial := w.trials[0]
			if f := trial.Failure; f == nil || f.Reason != v1alpha1.ReasonClaimFailed ||
				!strings.Contains(f.Message, "continue with the claimed volume") {
				t.Errorf("failure %+v", f)
			}
			if slices.Contains(w.transcript, "fio rw=read") {
				t.Error("a tool ran on it")
			}
		})
	}
}
