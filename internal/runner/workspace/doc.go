// SPDX-License-Identifier: Apache-2.0

// Package workspace is where a benchmark keeps what it needs on the node: its directories below the scratch directory,
// and the lock that one runner at a time holds. What is in the directories is the business of others.
package workspace
