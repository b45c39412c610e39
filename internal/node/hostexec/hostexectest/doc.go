// SPDX-License-Identifier: Apache-2.0

// Package hostexectest replaces commands in unit tests: scripted answers, and a transcript of what was run in which
// order.
package hostexectest
