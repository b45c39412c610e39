// SPDX-License-Identifier: Apache-2.0

// Package stats reduces repetitions to numbers that can be compared, and says how far they can be trusted:
// docs/statistics.md. It is pure and never changes the slices it is given.
package stats
