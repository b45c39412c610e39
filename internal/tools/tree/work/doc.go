// SPDX-License-Identifier: Apache-2.0

// Package work makes trees of directories and files, works on them and measures that. It is the program behind the
// runner's hidden subcommand tree, and runs in the sandbox.
package work
