// SPDX-License-Identifier: Apache-2.0

// Package streams knows sequential streams: how much they move, and how the program that runs them is started. It is
// pure; package work is that program.
package streams
