// SPDX-License-Identifier: Apache-2.0

// Package mountinfo reads /proc/PID/mountinfo, see the kernel's Documentation/filesystems/proc.rst.
package mountinfo
