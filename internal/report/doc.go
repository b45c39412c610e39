// SPDX-License-Identifier: Apache-2.0

// Package report makes everything that a user sees of a benchmark's results: status, summary.md, results.csv,
// results.json and comparable.json. Package model computes the numbers, and one package per format writes them. It is
// pure.
package report
