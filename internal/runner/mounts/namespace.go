// SPDX-License-Identifier: Apache-2.0

package mounts

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// privateMountsVariable marks a process that has its own mount namespace already.
const privateMountsVariable = "ZFSBENCH_PRIVATE_MOUNTS"

// MakePrivate starts this program again in its own mount namespace, and returns nil only there. The host never sees
// what the runner mounts, and the kernel removes these mounts with the runner's last process, however that ends. What
// the host unmounts is unmounted here as well. MakePrivate must be called before anything else.
func MakePrivate() error {
	if os.Getenv(privateMountsVariable) != "" {
		return os.Unsetenv(privateMountsVariable)
	}
	// Not /proc/self/exe: the process would be named "exe", and nobody would find it.
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	// A namespace belongs to a thread, and a new program keeps the namespace of the thread that executes it.
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("make a mount namespace: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return fmt.Errorf("make the mount namespace private: %w", err)
	}
	env := append(os.Environ(), privateMountsVariable+"=1")
	return fmt.Errorf("start again in the mount namespace: %w", syscall.Exec(self, os.Args, env))
}
