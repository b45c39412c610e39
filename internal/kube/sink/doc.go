// SPDX-License-Identifier: Apache-2.0

// Package sink stores a runner's documents: in ConfigMaps of the runner namespace, or in a directory.
package sink
