// SPDX-License-Identifier: Apache-2.0

// Package result holds the documents a runner reports and a manager reads: trials with their samples, progress,
// ownership and the final report. It is pure; the manager treats every document as hostile and bounds what it decodes.
package result
