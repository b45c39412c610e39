// SPDX-License-Identifier: Apache-2.0

// Package localpv is what the operator knows about OpenEBS zfs-localpv: which properties the driver takes as parameters
// of a StorageClass, what it makes for a claim, and how its objects are named. It is pure.
package localpv
