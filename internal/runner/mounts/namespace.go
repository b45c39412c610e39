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

// MakePrivate gives this process a mount namespace of its own and starts the program again in it; only in the new one
// it returns nil. What the runner mounts there the host never sees, and the kernel removes it with the runner's last
// process, however that ends. What the host unmounts is unmounted here as well. It has to be called before anything
// else is begun.
func MakePrivate() error {
	if os.Getenv(privateMountsVariable) != "" {
		return os.Unsetenv(privateMountsVariable)
	}
	// Not /proc/self/exe: the kernel would call the process "exe", and nobody would find it.
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	// A namespace belongs to a thread; the thread that executes a program takes its own along.
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
