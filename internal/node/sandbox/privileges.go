// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// dropPrivileges makes the calling thread an unprivileged user for good: no capability in any set, none gained by
// executing a program, no supplementary group, no core dump. At its end it requests SIGKILL on the parent's death
// again, because changing the user clears that setting.
func dropPrivileges(uid, gid int) error {
	if uid <= 0 || gid <= 0 {
		return fmt.Errorf("a tool does not run as user %d, group %d", uid, gid)
	}
	if err := dropBoundingSet(); err != nil {
		return err
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"forbid new privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"clear ambient capabilities", func() error {
			return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
		}},
		{"forbid core dumps", func() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }},
		{"drop supplementary groups", func() error { return unix.Setgroups(nil) }},
		{"change group", func() error { return unix.Setresgid(gid, gid, gid) }},
		{"change user", func() error { return unix.Setresuid(uid, uid, uid) }},
		{"clear capabilities", clearCapabilities},
		{"die with the parent", func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) }},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// dropBoundingSet drops every capability that this kernel knows from the bounding set; the first unknown number ends
// the list.
func dropBoundingSet() error {
	for capability := uintptr(0); ; capability++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) && capability > unix.CAP_CHOWN {
			return nil
		}
		if err != nil {
			return fmt.Errorf("drop capability %d: %w", capability, err)
		}
	}
}

// clearCapabilities also empties the inheritable set, which changing the user does not clear.
func clearCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}
