// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// initialPIDNamespace is the name of the machine's initial process namespace: its inode is a constant of the kernel
// (PROC_PID_INIT_INO).
const initialPIDNamespace = "pid:[4026531836]"

// seesAllProcesses says whether this process is in the machine's own process namespace. In any other one, open files
// and mounts of most processes are invisible, and process 1 is not the host's.
func (n machine) seesAllProcesses() (bool, error) {
	name, err := os.Readlink(n.path("/proc/self/ns/pid"))
	if err != nil {
		return false, fmt.Errorf("process namespace: %w", err)
	}
	return name == initialPIDNamespace, nil
}

func (g *Guard) checkHost(_ context.Context, look *hostState, _ *Disk) error {
	if !look.initialPIDs {
		return errors.New("the node's other processes are invisible from here (hostPID is missing), so nobody can say " +
			"whether they use it")
	}
	return nil
}
