// SPDX-License-Identifier: Apache-2.0

// Package corpus describes a corpus of files: its size, and how the program that makes it is started. It is pure;
// package work is that program.
package corpus
