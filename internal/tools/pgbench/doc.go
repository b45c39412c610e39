// SPDX-License-Identifier: Apache-2.0

// Package pgbench knows pgbench, PostgreSQL's benchmark: how it and its server are started, and what they print. It is
// pure; package work is the program that starts them in the sandbox.
package pgbench
