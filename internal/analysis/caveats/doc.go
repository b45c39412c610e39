// SPDX-License-Identifier: Apache-2.0

// Package caveats finds results that are not what they look like: served from a cache, too short, of data that
// compresses. Each rule has a file of its own; rules lists them. A caveat warns; it never changes or leaves out a
// number. It is pure.
package caveats
