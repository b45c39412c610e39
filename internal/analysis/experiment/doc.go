// SPDX-License-Identifier: Apache-2.0

// Package experiment evaluates the trials of a plan as an experiment: how often each variant was measured, when that is
// enough, and how the variants compare. The runner uses it to decide when to stop; the manager uses it to check the
// runner. It is pure.
package experiment
