// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs a measuring tool as an unprivileged user that sees only its own libraries, a fresh /proc, five
// device nodes and the target that it measures: no network, no capabilities, no other process. The runner re-executes
// itself as the first process of new namespaces; that process sets up the sandbox and then becomes the tool. A filter
// allows only the system calls that a container may use; limits restrict its private memory and its processes. There is
// no limit on CPU or page cache: that would change what is measured.
//
// It is the only package except hostexec that starts a process: what it starts is always the runner itself.
package sandbox
