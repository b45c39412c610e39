// SPDX-License-Identifier: Apache-2.0

// Package fields checks single fields of an object's spec: numbers, sizes, durations, names. It knows nothing of what a
// field is for. It is pure.
package fields
