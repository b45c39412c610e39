// SPDX-License-Identifier: Apache-2.0

// Package scaffold writes the manifest of a first benchmark, with comments. It is pure.
package scaffold
