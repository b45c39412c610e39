// SPDX-License-Identifier: Apache-2.0

// Package script starts a user's program and reads the numbers that it prints. It is pure.
package script
