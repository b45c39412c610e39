// SPDX-License-Identifier: Apache-2.0

// Package disks shows what NodeStorages list: the disks as a table, and in sentences what is missing or no longer
// current, and what to do about it. It is pure.
package disks
