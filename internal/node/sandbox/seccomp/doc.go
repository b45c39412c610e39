// SPDX-License-Identifier: Apache-2.0

// Package seccomp limits the system calls of the calling thread, and of the program that it becomes, to those that
// containerd's RuntimeDefault profile allows for a process without capabilities.
//
// It is stricter than containerd and runc in three ways: calls of another architecture (i386, x32, arm) are always
// refused, ptrace and process_vm_* are refused on every kernel, and io_uring is allowed only on request.
package seccomp
