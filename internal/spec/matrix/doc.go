// SPDX-License-Identifier: Apache-2.0

// Package matrix makes the variants of a benchmark out of its matrix. It is pure.
package matrix
