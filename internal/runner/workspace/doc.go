// SPDX-License-Identifier: Apache-2.0

// Package workspace names a benchmark's directories below the scratch directory, and has the lock that one runner at a
// time holds. It must not know what other packages keep in the directories.
package workspace
