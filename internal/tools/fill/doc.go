// SPDX-License-Identifier: Apache-2.0

// Package fill describes how a pool is filled: how much to write next, and how the program that writes it is started.
// It is pure; package work is that program.
package fill
