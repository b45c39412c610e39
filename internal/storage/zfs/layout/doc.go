// SPDX-License-Identifier: Apache-2.0

// Package layout builds the vdev arguments of zpool create and zpool add. It runs nothing.
package layout
