// SPDX-License-Identifier: Apache-2.0

package seccomp

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Install puts the filter on the calling thread, which must be locked to its goroutine and have no_new_privs set. It
// cannot be undone.
func Install(ioUring bool) error {
	program, err := Program(runtime.GOARCH, ioUring)
	if err != nil {
		return err
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("assemble the system call filter: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	fprog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// Without SPEC_ALLOW, kernels before 5.16 turn on mitigations for the thread that slow down what is measured; runc
	// sets the flag too.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		uintptr(unsafe.Pointer(&fprog)))
	if errno != 0 {
		return fmt.Errorf("install the system call filter (the kernel needs CONFIG_SECCOMP_FILTER): %w", errno)
	}
	return nil
}
