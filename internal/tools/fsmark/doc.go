// SPDX-License-Identifier: Apache-2.0

// Package fsmark writes the command line of fs_mark and reads what it prints. It is pure: running it is the sandbox's
// work.
package fsmark
