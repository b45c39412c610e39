// SPDX-License-Identifier: Apache-2.0

// Package compare compares a benchmark with others that have finished. It defines what is kept of a benchmark for that,
// reads it back from an object that a user may have written, and compares two of them. It is pure.
package compare
