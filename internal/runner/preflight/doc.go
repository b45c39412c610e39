// SPDX-License-Identifier: Apache-2.0

// Package preflight checks, before the first trial, everything that the trials of a plan will need: OpenZFS, tools,
// devices, space, time. It makes all checks, whatever the first ones find, and writes to no device. It does not know
// the engine: Checks says what it needs.
package preflight
