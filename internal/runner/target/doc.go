// SPDX-License-Identifier: Apache-2.0

// Package target sets up, uses, describes and tears down the target of a trial: what its workloads run on. Each kind (a
// pool, a filesystem on one of its volumes, a volume that the CSI driver makes in it, a volume of a StorageClass,
// another filesystem, a raw device, an md array) is an implementation of Storage; Host has what they share. The package
// must not know in which order trials run, nor how a tool is run.
package target
