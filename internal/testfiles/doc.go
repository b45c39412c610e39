// SPDX-License-Identifier: Apache-2.0

// Package testfiles reads and compares the files in testdata for tests: captured output of real tools, and golden
// files. With -update, tests write their golden files.
package testfiles
