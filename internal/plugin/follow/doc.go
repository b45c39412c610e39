// SPDX-License-Identifier: Apache-2.0

// Package follow says what a benchmark is doing, in a line for people, and how it ended. It is pure.
package follow
