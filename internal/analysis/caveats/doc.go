// SPDX-License-Identifier: Apache-2.0

// Package caveats finds results that may mislead: for example because they were served from a cache, were too short, or
// used data that compresses. Each rule has its own file; rules lists them. A caveat only warns; it never changes or
// omits a number. It is pure.
package caveats
