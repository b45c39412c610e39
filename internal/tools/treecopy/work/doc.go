// SPDX-License-Identifier: Apache-2.0

// Package work copies a tree with another tool and measures that. It is the program behind the runner's hidden
// subcommand copy, and runs in the sandbox, where the tool is its child.
package work
