// SPDX-License-Identifier: Apache-2.0

// Package module reads and sets parameters of OpenZFS's kernel modules, which apply to all pools of a node at once.
package module
