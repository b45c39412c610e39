// SPDX-License-Identifier: Apache-2.0

// Package mounts mounts datasets in the runner's own mount namespace, and finds out which volume a block device is.
// It must not know what the datasets are for.
package mounts
