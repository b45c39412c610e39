// SPDX-License-Identifier: Apache-2.0

// Package preview computes what a benchmark would do, before it exists: where it runs and whether it may, its variants,
// trials, space and time. It is pure.
package preview
