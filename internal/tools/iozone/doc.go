// SPDX-License-Identifier: Apache-2.0

// Package iozone writes the command line of iozone and reads what it prints. It is pure: running it is the sandbox's
// work.
package iozone
