// SPDX-License-Identifier: Apache-2.0

// Package hostexec runs commands. No other package does. Commands are argument vectors without a shell, with a fixed
// environment and bounded output. Errors contain the exit code and stderr. No process is left behind when the context
// ends.
package hostexec
