// SPDX-License-Identifier: Apache-2.0

// Package csv writes a report as results.csv: one line for each operation of each workload and attempt of a trial.
package csv
