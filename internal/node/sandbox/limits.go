// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// baseTasks is enough for a tool's own few processes and threads, and for the runner's threads until it becomes the
	// tool.
	baseTasks = 64
	// baseDataBytes is enough for a tool's program, libraries, heap and stacks; fio 3.33 uses 152 MiB before its first
	// buffer.
	baseDataBytes = 512 << 20
)

// Limits are what a tool needs in addition to a base that is enough for any tool. They limit only what a broken tool
// can take from the node. Limits on CPU time or on the page cache, which a memory cgroup counts, would change what is
// measured.
//
// They are resource limits (setrlimit), which work the same with every version of cgroups, in a pod and on a plain
// host.
type Limits struct {
	// Tasks is the number of processes and threads together. The kernel counts all tasks of a user on the whole node,
	// so tools run as a user that nothing else uses.
	Tasks int
	// DataBytes is private memory of each process: heap, stacks, buffers. Shared memory and mapped files do not count.
	// A whole tool may use its number of processes times this. If the node runs out of memory, the kernel ends the tool
	// first.
	DataBytes int64
}

// impose sets the limits for this process and the tool that it becomes. A lower limit that already exists stays.
func (l Limits) impose() error {
	for _, limit := range []struct {
		name     string
		resource int
		value    uint64
	}{
		{"processes and threads", unix.RLIMIT_NPROC, baseTasks + uint64(max(0, l.Tasks))},
		{"private memory", unix.RLIMIT_DATA, baseDataBytes + uint64(max(0, l.DataBytes))},
	} {
		var before unix.Rlimit
		if err := unix.Getrlimit(limit.resource, &before); err != nil {
			return fmt.Errorf("read the limit on %s: %w", limit.name, err)
		}
		value := min(limit.value, before.Max)
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
	}
	return nil
}

// offerToOOMKiller makes the kernel end this process and its children first when the node runs out of memory, because
// shared memory has no limit.
func offerToOOMKiller() error {
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return fmt.Errorf("prefer the tool when memory runs out: %w", err)
	}
	return nil
}
