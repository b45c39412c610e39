// SPDX-License-Identifier: Apache-2.0

// Package recommend says which variant of a benchmark to use, and how to create it in a cluster. It is pure.
package recommend
