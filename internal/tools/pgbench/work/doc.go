// SPDX-License-Identifier: Apache-2.0

// Package work runs pgbench against a private server. It is the program behind the runner's hidden subcommand pgbench,
// and runs in the sandbox, where both are its children.
package work
