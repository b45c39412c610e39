// SPDX-License-Identifier: Apache-2.0

// Package bonnie writes the command line of bonnie++ and reads what it prints. It is pure: running it is the sandbox's
// work.
package bonnie
