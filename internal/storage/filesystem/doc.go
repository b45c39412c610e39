// SPDX-License-Identifier: Apache-2.0

// Package filesystem describes the filesystems that a baseline may use: the tool that makes each, the options that a
// benchmark may set and their values, and how each protects data. Each has its own file; all lists the types. Package
// hostfs makes and mounts them. It is pure.
package filesystem
