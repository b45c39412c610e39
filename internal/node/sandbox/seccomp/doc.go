// SPDX-License-Identifier: Apache-2.0

// Package seccomp limits the system calls of the calling thread, and of whatever it becomes, to those that containerd's
// RuntimeDefault profile allows to a process without any capability.
//
// It differs from what containerd and runc install in three things, each stricter: calls of another architecture (i386,
// x32, arm) are refused altogether, ptrace and process_vm_* are refused on every kernel, and io_uring is allowed to
// those who ask only.
package seccomp
