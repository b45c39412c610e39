// SPDX-License-Identifier: Apache-2.0

// Package work makes or copies a corpus of files, and measures that. It is the program behind the runner's hidden
// subcommand corpus, and runs in the sandbox.
package work
