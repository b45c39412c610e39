// SPDX-License-Identifier: Apache-2.0

// Package treecopy knows copies of trees: the tools that make them, and how the program that runs these is started. It
// is pure; package work is that program.
package treecopy
