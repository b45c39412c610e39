// SPDX-License-Identifier: Apache-2.0

// Package tree describes trees of directories and files: how large they are, how the program that works on them is
// started, and what it reports. It is pure; package work is that program.
package tree
