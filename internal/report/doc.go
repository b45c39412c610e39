// SPDX-License-Identifier: Apache-2.0

// Package report turns the trials of a benchmark into what people and programs read: the status' summary and results, summary.md, results.csv and
// results.json. It is pure.
package report
