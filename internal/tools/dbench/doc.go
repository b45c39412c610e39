// SPDX-License-Identifier: Apache-2.0

// Package dbench writes the command line of dbench and reads what it prints. It is pure: running it is the sandbox's
// work.
package dbench
