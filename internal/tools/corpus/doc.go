// SPDX-License-Identifier: Apache-2.0

// Package corpus knows a corpus of files: how much there is of it, and how the program that makes it is started. It is
// pure; package work is that program.
package corpus
