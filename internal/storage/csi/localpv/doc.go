// SPDX-License-Identifier: Apache-2.0

// Package localpv is what the operator knows of OpenEBS zfs-localpv: which properties it takes as parameters of a
// StorageClass, what it makes of a claim, and what its objects are called. It is pure.
package localpv
