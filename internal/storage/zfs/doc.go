// SPDX-License-Identifier: Apache-2.0

// Package zfs runs the host's zpool, zfs and zdb: it builds argument vectors and parses output. It never passes -f, and
// never -j, which 2.1 and 2.2 do not know; commands with a scripted form get -Hp. The caller decides what may be
// created or destroyed, except that a pool is destroyed or exported only if both its name and its GUID match.
package zfs
