// SPDX-License-Identifier: Apache-2.0

// Package hostexec runs commands, and is the only package that does: argument vectors without a shell, a fixed
// environment, bounded output, errors that carry the exit code and stderr, and no process left behind when the context
// ends.
package hostexec
