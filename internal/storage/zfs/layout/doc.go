// SPDX-License-Identifier: Apache-2.0

// Package layout writes the vdevs of a pool as zpool create and zpool add take them. It runs nothing.
package layout
