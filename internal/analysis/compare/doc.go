// SPDX-License-Identifier: Apache-2.0

// Package compare compares a benchmark with others that have finished: what is kept of a benchmark for that, how it is
// read back from an object that a user may have written, and how two of them are compared. It is pure.
package compare
