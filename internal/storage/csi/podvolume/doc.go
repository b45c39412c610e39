// SPDX-License-Identifier: Apache-2.0

// Package podvolume finds, on the node, what a pod has mounted, or the files of a container's image. It makes the same
// mount available to this process: a copy of the pod's own mount, not a new mount of the filesystem.
package podvolume
