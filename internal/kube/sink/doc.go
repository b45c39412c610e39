// SPDX-License-Identifier: Apache-2.0

// Package sink takes a runner's documents to where they are wanted: into ConfigMaps of the runner namespace, or into a
// directory.
package sink
