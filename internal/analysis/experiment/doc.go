// SPDX-License-Identifier: Apache-2.0

// Package experiment reads the trials of a plan as an experiment: how often each variant was measured, when that is
// enough, and how the variants compare. It is pure, and serves the runner, which stops when it is enough, as well as
// the manager, which does not take the runner's word for it.
package experiment
