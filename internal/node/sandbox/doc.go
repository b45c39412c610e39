// SPDX-License-Identifier: Apache-2.0

// Package sandbox runs a measuring tool as an unprivileged user that sees its own libraries, a fresh /proc, five device
// nodes and the target it measures, and nothing else: no network, no capabilities, no other process. The runner
// re-executes itself as the first process of new namespaces, which builds that world and then becomes the tool. A
// filter allows it the system calls that a container may use; limits bound its private memory and its processes. There
// is no limit on CPU or page cache: that would change what is measured.
//
// It is the one package beside hostexec that starts a process, because what it starts is only ever the runner itself.
package sandbox
