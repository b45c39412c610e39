// SPDX-License-Identifier: Apache-2.0

// Package work writes files of random data, or overwrites records of those that are there. It is the program behind the
// runner's hidden subcommand fill, and runs in the sandbox.
package work
