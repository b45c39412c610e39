// SPDX-License-Identifier: Apache-2.0

// Package mdraid describes the levels of Linux's software RAID that a baseline may use: what each needs and survives,
// how large an array is, and the command that makes it. It is pure.
package mdraid
