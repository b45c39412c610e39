// SPDX-License-Identifier: Apache-2.0

// Package podvolume finds on the node what a pod has mounted, or the files of the image of one of its containers, and
// makes the same mount appear where this process can use it: not another mount of what is below it, but the one that
// the pod has.
package podvolume
