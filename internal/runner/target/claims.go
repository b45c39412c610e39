// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/storage/csi/podvolume"
)

// Claims lets the manager make volumes in Kubernetes; sink.Kubernetes is the real one.
type Claims interface {
	// Ask writes the request where the manager reads it, and returns once it is written.
	Ask(ctx context.Context, request result.ClaimRequest) error
	// Answer is the manager's last answer, or nil.
	Answer(ctx context.Context) (*result.ClaimAnswer, error)
}

// PodVolumes are the volumes of pods on this node; podvolume.Node is the real one.
type PodVolumes interface {
	// Attach mounts what a pod has at a path at a directory, for this process and its children. Mounts unmounts it.
	Attach(podUID, inside, dir string) (podvolume.Held, error)
	// CheckEmpty fails if a directory has anything but lost+found. Give gives it to the tools' user.
	CheckEmpty(dir string) error
	Give(dir string) error
	// Device is the block device that a pod has at a path.
	Device(podUID, inside string) (device string, held podvolume.Held, err error)
}

// unclaimedError is a request that was not fulfilled in time.
type unclaimedError struct {
	want, last string
	time       time.Duration
}

func (e *unclaimedError) Error() string {
	last := e.last
	if last == "" {
		last = "the manager has not answered: is it running, with CSI switched on?"
	}
	return fmt.Sprintf("after %s %s: %s", e.time, map[string]string{
		result.ClaimPresent:  "there is no volume with a pod that has it mounted",
		result.ClaimDetached: "the volume's pod is not gone",
		result.ClaimAbsent:   "the volume is not gone",
		result.ClaimKept:     "the volume is not released from its claim",
	}[e.want], last)
}

// refusedError says that the manager does not fulfil a request, or no longer does.
type refusedError struct{ message string }

func (e *refusedError) Error() string {
	return "the manager says: " + strings.TrimSuffix(e.message, ".")
}

// ask requests a state of the volume from the manager, and waits until the volume has it. If that fails, it returns the
// last answer, if there was one, because that may name the volume.
func (h *Host) ask(ctx context.Context, own result.Ownership, want string) (last result.ClaimAnswer, err error) {
	if h.Claims == nil {
		return result.ClaimAnswer{}, errors.New("there is no manager to ask for volumes: they need Kubernetes")
	}
	request := result.ClaimRequest{Version: result.Version, PlanDigest: h.Digest, Trial: own.TrialIndex,
		PoolTrial: own.Claim.PoolTrial, Want: want}
	waiting, cancel := context.WithTimeout(ctx, h.Timings.ClaimPatience)
	defer cancel()
	err = h.Claims.Ask(waiting, request)
	for err == nil {
		var answer *result.ClaimAnswer
		if answer, err = h.Claims.Answer(waiting); err != nil {
			break
		}
		if answer != nil && answer.Request == request {
			last = *answer
			if answer.Ready {
				return last, nil
			}
			if answer.Refused {
				return last, &refusedError{answer.Message}
			}
		}
		select {
		case <-waiting.Done():
			err = waiting.Err()
		case <-time.After(h.Timings.ClaimPoll):
		}
	}
	switch {
	case ctx.Err() != nil:
		return last, errors.Join(&unclaimedError{want, last.Message, h.Timings.ClaimPatience}, context.Cause(ctx))
	case waiting.Err() != nil:
		return last, &unclaimedError{want, last.Message, h.Timings.ClaimPatience}
	}
	return last, err
}

// attachVolume attaches the pod's volume: a directory, or a device. It writes nothing.
func (h *Host) attachVolume(ctx context.Context, t *Target, podUID string, isBlock bool) error {
	var device string
	var held podvolume.Held
	finished := make(chan struct{})
	err := h.promptly(ctx, func(context.Context) (err error) {
		defer close(finished)
		var taken podvolume.Held
		if isBlock {
			device, taken, err = h.PodVolumes.Device(podUID, result.HeldDevice)
		} else {
			taken, err = h.PodVolumes.Attach(podUID, result.HeldDirectory, h.Workspace.Target())
		}
		if err == nil {
			held = taken
		}
		return err
	})
	if err != nil {
		go func() { // a volume that opens too late must not stay open
			if <-finished; held != nil {
				_ = held.Close() // it was only read from
			}
		}()
		return err
	}
	h.held.set(held)
	t.Device = device
	return nil
}

// proveEmpty fails unless the attached volume is certainly empty.
func (h *Host) proveEmpty(ctx context.Context, t *Target) error {
	return h.promptly(ctx, func(ctx context.Context) error {
		if t.Device != "" {
			return h.Disks.CheckBlankVolume(ctx, t.Device)
		}
		return h.PodVolumes.CheckEmpty(h.Workspace.Target())
	})
}

// giveVolume gives a directory to the tools' user, which is the first write to the volume. A device needs no change.
func (h *Host) giveVolume(ctx context.Context, t *Target) error {
	if t.Device != "" {
		return nil
	}
	return h.promptly(ctx, func(context.Context) error { return h.PodVolumes.Give(h.Workspace.Target()) })
}

// promptly runs do with a timeout: it takes long only if the storage behind the volume hangs.
func (h *Host) promptly(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, h.Timings.ClaimPatience,
		errors.New("the storage behind the volume hangs"))
	defer cancel()
	return h.Bounded(ctx, func() error { return do(ctx) })
}

// detachVolume ends the use of the pod's volume.
func (h *Host) detachVolume(ctx context.Context, t *Target) error {
	t.Device = ""
	return h.detachTarget(ctx)
}

// detachTarget unmounts whatever this runner has mounted at the workloads' directory. Nobody else can mount anything
// there: the runner has its own mount namespace.
func (h *Host) detachTarget(ctx context.Context) error {
	release := h.held.release()
	if err := h.promptly(ctx, func(context.Context) error { return release() }); err != nil {
		return err
	}
	unmount := func() error { return h.Mounts.Unmount(h.Workspace.Target()) }
	return h.retryBusy(ctx, func() error { return h.Bounded(ctx, unmount) })
}

// removeClaim removes a claim from Kubernetes.
func (h *Host) removeClaim(ctx context.Context, own result.Ownership) error {
	if own.Claim == nil {
		return nil
	}
	if err := h.detachTarget(ctx); err != nil {
		return failure.Wrap(v1alpha1.ReasonCleanupFailed, "detach the claimed volume", err)
	}
	want := result.ClaimAbsent
	if own.Claim.Keep {
		want = result.ClaimKept
	}
	_, err := h.ask(ctx, own, want)
	return failure.Wrap(v1alpha1.ReasonCleanupFailed,
		"remove the claimed volume, which "+h.Describe(own)+" waits for", err)
}
