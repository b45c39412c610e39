// SPDX-License-Identifier: Apache-2.0

// Package mdraid knows the levels of Linux's software RAID that a baseline may be on: what each takes and survives, how
// large an array is, and the command that makes one. It is pure.
package mdraid
