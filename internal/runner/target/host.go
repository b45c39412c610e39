// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/failure"
	"zfsbench.io/operator/internal/runner/workspace"
	"zfsbench.io/operator/internal/storage/zfs"
)

// Host is what every kind of storage needs: the node, Kubernetes, and the records. It knows neither the plan nor the
// order in which the engine runs trials.
type Host struct {
	Pools     Pools
	Disks     Disks
	Mounts    Mounts
	Baselines Baselines
	Node      Node
	// Claims and PodVolumes are nil without Kubernetes.
	Claims     Claims
	PodVolumes PodVolumes
	// Journal and Sink record what a trial owns.
	Journal Journal
	Sink    Sink
	// BenchmarkUID and Digest are the plan's.
	BenchmarkUID, Digest string
	Workspace            workspace.Workspace
	// NewGUID makes the UUID of a filesystem.
	NewGUID func() string
	Timings Timings
	// ShowStep shows in the progress what the current trial is doing.
	ShowStep func(text string)
	// Userland is the version of OpenZFS's tools, ArrayTool the version of mdadm, as the preflight found them.
	Userland, ArrayTool string
	Now                 func() time.Time
	Log                 *slog.Logger
	// mounted is the block device that this runner has mounted last, under the kernel's name for it.
	mounted string
	// held is the claimed volume that is in use.
	held *holding
}

// NewHost returns a host that uses no volume yet.
func NewHost(h Host) *Host {
	h.held = &holding{}
	return &h
}

// Record puts ownership into the journal and then to the sink.
func (h *Host) Record(ctx context.Context, own result.Ownership) error {
	if err := h.Journal.RecordOwned(own); err != nil {
		return failure.Wrap(v1alpha1.ReasonRunnerFailed, "record what the trial owns on the node", err)
	}
	if err := h.Sink.PutOwnership(ctx, own); err != nil {
		return failure.Wrap(v1alpha1.ReasonRunnerFailed, "record what the trial owns", err)
	}
	return nil
}

// Bounded runs something that takes no context and may wait in the kernel for ever, like everything that touches a
// suspended pool. When the context ends, it still waits some time for do to return before it gives up: what do changes
// afterwards would escape the teardown.
func (h *Host) Bounded(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	patience := time.NewTimer(h.Timings.KernelPatience)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
		return fmt.Errorf("it does not return: %w", context.Cause(ctx))
	}
}

// TextProperties converts properties of the API to the strings that the tools take.
func TextProperties[M ~map[string]v1alpha1.PropertyValue](in M) map[string]string {
	out := make(map[string]string, len(in))
	for name, value := range in {
		out[name] = string(value)
	}
	return out
}

// retryBusy retries something that fails only for a moment: a pool is busy until the kernel has released its last user,
// and udev briefly removes the links to a disk that has just been released.
func (h *Host) retryBusy(ctx context.Context, do func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, h.Timings.BusyPoll, h.Timings.BusyPatience, true,
		func(context.Context) (bool, error) {
			last = do()
			var exit *hostexec.ExitError
			var hidden *zfs.NotImportableError
			if errors.As(last, &exit) && exit.Err == nil || errors.As(last, &hidden) || errors.Is(last, unix.EBUSY) {
				return false, nil
			}
			return true, last
		})
	if last != nil {
		return last
	}
	return err
}

// took returns how long something took, in nanoseconds, if it succeeded.
func (h *Host) took(do func() error) (int64, error) {
	begin := h.Now()
	if err := do(); err != nil {
		return 0, err
	}
	return max(1, h.Now().Sub(begin).Nanoseconds()), nil
}

// timed runs do and returns a phase of one operation, without a rate in bytes.
func (h *Host) timed(name v1alpha1.Operation, do func() error) (result.Phase, error) {
	begin := h.Now()
	err := do()
	return withDuration(result.Phase{Name: string(name), Operation: result.Operation{IOs: 1}},
		h.Now().Sub(begin).Nanoseconds()), err
}
