// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	// baseTasks is room for a tool's own few processes and threads, and for the runner's threads in the moment before it
	// becomes the tool.
	baseTasks = 64
	// baseDataBytes is room for a tool's program, libraries, heap and stacks; fio 3.33 takes 152 MiB before its first
	// buffer.
	baseDataBytes = 512 << 20
)

// Limits are what a tool needs beyond a base that is enough for any tool. They bound what a broken tool can take from
// the node, and nothing else: limits on CPU time or on the page cache, which a memory cgroup counts, would change what
// is measured.
//
// They are resource limits (setrlimit), which work the same with every version of cgroups, in a pod and on a plain
// host.
type Limits struct {
	// Tasks are processes and threads, all of them together. The kernel counts all of a user's on the whole node, which is
	// why tools run as a user of their own.
	Tasks int
	// DataBytes is private memory, of each process: heap, stacks, buffers. Shared memory and mapped files do not count.
	// All of a tool together may take its number of processes times this; the kernel ends a tool before anything else on a
	// node that runs out of memory.
	DataBytes int64
}

// impose puts the limits on this process and what it becomes. A lower limit that was there before stays.
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

// offerToOOMKiller makes this process and its children the first that the kernel ends when the node runs out of memory:
// shared memory has no limit.
func offerToOOMKiller() error {
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return fmt.Errorf("prefer the tool when memory runs out: %w", err)
	}
	return nil
}
