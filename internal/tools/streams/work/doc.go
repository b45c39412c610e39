// SPDX-License-Identifier: Apache-2.0

// Package work writes and reads several files at once, each from its beginning to its end, and measures that. It is the
// program behind the runner's hidden subcommand streams, and runs in the sandbox.
package work
