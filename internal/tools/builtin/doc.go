// SPDX-License-Identifier: Apache-2.0

// Package builtin has what the runner's own measuring tools have in common: they are hidden subcommands of the runner
// that it starts in the sandbox, say how far they are on standard output, and leave a report. It is pure.
package builtin
