// SPDX-License-Identifier: Apache-2.0

// Package caveats finds results that are not what they look like: served from a cache, too short, of data that compresses. It warns; it never changes or leaves out a number. It is pure.
package caveats
