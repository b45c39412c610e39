// SPDX-License-Identifier: Apache-2.0

// Package zfs drives the host's zpool, zfs and zdb: argument vectors out, parsed values back. It never passes -f and
// never -j, which 2.1 and 2.2 do not know; where a command has a scripted form it is -Hp. What may be created or
// destroyed is the caller's decision, except that a pool is destroyed or exported only under its name and GUID
// together.
package zfs
