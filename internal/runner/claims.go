// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/csi/podvolume"
)

// Claims lets the manager make volumes in Kubernetes; sink.Kubernetes is the real one.
type Claims interface {
	// Ask returns when the request is where the manager reads it.
	Ask(ctx context.Context, request result.ClaimRequest) error
	// Answer is what the manager has said last, or nil.
	Answer(ctx context.Context) (*result.ClaimAnswer, error)
}

// PodVolumes are what pods on this node have; podvolume.Node is the real one.
type PodVolumes interface {
	// Attach makes what a pod has mounted at a path appear at a directory, for this process and its children. Mounts
	// unmounts it.
	Attach(podUID, inside, dir string) (podvolume.Held, error)
	// CheckEmpty wants nothing in a directory but lost+found. Give gives it to the tools' user.
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
	return fmt.Sprintf("after %s the volume is not %s: %s", e.time, map[string]string{
		result.ClaimPresent: "there, with a pod that has it", result.ClaimDetached: "free of its pod",
		result.ClaimAbsent: "gone", result.ClaimKept: "left alone, without its claim",
	}[e.want], last)
}

// refusedError is a request that the manager does not fulfil, or no longer does.
type refusedError struct{ message string }

func (e *refusedError) Error() string {
	return "the manager says: " + strings.TrimSuffix(e.message, ".")
}

// ask asks the manager for a state of the volume, and waits until it is so. When it fails it returns the last answer,
// if there was one: that may name the volume.
func (e *Engine) ask(ctx context.Context, own result.Ownership, want string) (last result.ClaimAnswer, err error) {
	if e.Claims == nil {
		return result.ClaimAnswer{}, errors.New("there is no manager to ask for volumes: they need Kubernetes")
	}
	request := result.ClaimRequest{Version: result.Version, PlanDigest: e.digest, Trial: own.TrialIndex,
		PoolTrial: own.Claim.PoolTrial, Want: want}
	waiting, cancel := context.WithTimeout(ctx, e.timings.claimPatience)
	defer cancel()
	err = e.Claims.Ask(waiting, request)
	for err == nil {
		var answer *result.ClaimAnswer
		if answer, err = e.Claims.Answer(waiting); err != nil {
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
		case <-time.After(e.timings.claimPoll):
		}
	}
	switch {
	case ctx.Err() != nil:
		return last, errors.Join(&unclaimedError{want, last.Message, e.timings.claimPatience}, context.Cause(ctx))
	case waiting.Err() != nil:
		return last, &unclaimedError{want, last.Message, e.timings.claimPatience}
	}
	return last, err
}

// attachVolume takes over what the pod has: a directory, or a device. It writes nothing.
func (e *Engine) attachVolume(ctx context.Context, t *target, podUID string, isBlock bool) error {
	var device string
	var held podvolume.Held
	finished := make(chan struct{})
	err := e.promptly(ctx, func(context.Context) (err error) {
		defer close(finished)
		var taken podvolume.Held
		if isBlock {
			device, taken, err = e.PodVolumes.Device(podUID, result.HeldDevice)
		} else {
			taken, err = e.PodVolumes.Attach(podUID, result.HeldDirectory, e.ws.Target())
		}
		if err == nil {
			held = taken
		}
		return err
	})
	if err != nil {
		go func() { // what opens too late must not stay open
			if <-finished; held != nil {
				_ = held.Close() // it was only read from
			}
		}()
		return err
	}
	e.held.set(held)
	t.device = device
	return nil
}

// proveEmpty fails unless the volume that was taken over certainly holds nothing.
func (e *Engine) proveEmpty(ctx context.Context, t *target) error {
	return e.promptly(ctx, func(ctx context.Context) error {
		if t.device != "" {
			return e.Disks.CheckBlank(ctx, t.device)
		}
		return e.PodVolumes.CheckEmpty(e.ws.Target())
	})
}

// giveVolume gives a directory to the tools' user, which is the first write to it. A device needs nothing.
func (e *Engine) giveVolume(ctx context.Context, t *target) error {
	if t.device != "" {
		return nil
	}
	return e.promptly(ctx, func(context.Context) error { return e.PodVolumes.Give(e.ws.Target()) })
}

// promptly does something with a volume that takes no long time unless what the volume is on hangs.
func (e *Engine) promptly(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, e.timings.claimPatience, errors.New("what the volume is on hangs"))
	defer cancel()
	return e.bounded(ctx, func() error { return do(ctx) })
}

// detachVolume ends the use of what the pod has.
func (e *Engine) detachVolume(ctx context.Context, t *target) error {
	t.device = ""
	return e.detachTarget(ctx)
}

// detachTarget unmounts whatever this runner has where workloads run. Nobody else mounts anything there: its mount
// namespace is its own.
func (e *Engine) detachTarget(ctx context.Context) error {
	release := e.held.release()
	if err := e.promptly(ctx, func(context.Context) error { return release() }); err != nil {
		return err
	}
	unmount := func() error { return e.Mounts.Unmount(e.ws.Target()) }
	return e.retryBusy(ctx, func() error { return e.bounded(ctx, unmount) })
}

// removeClaim sees to it that nothing of a claim is left in Kubernetes.
func (e *Engine) removeClaim(ctx context.Context, own result.Ownership) error {
	if own.Claim == nil {
		return nil
	}
	if err := e.detachTarget(ctx); err != nil {
		return step(v1alpha1.ReasonCleanupFailed, "let go of the claimed volume", err)
	}
	want := result.ClaimAbsent
	if own.Claim.Keep {
		want = result.ClaimKept
	}
	_, err := e.ask(ctx, own, want)
	return step(v1alpha1.ReasonCleanupFailed, "remove the claimed volume, which "+ownership.Describe(own)+" waits for",
		err)
}
