// SPDX-License-Identifier: Apache-2.0

// Package filesystem knows the filesystems that a baseline may be: with which tool each is made, which options a
// benchmark may set and to what, and what it does for the data. Each has a file of its own; all lists the types.
// Package hostfs makes and mounts them. It is pure.
package filesystem
