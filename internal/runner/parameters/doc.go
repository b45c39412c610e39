// SPDX-License-Identifier: Apache-2.0

// Package parameters sets parameters of OpenZFS's kernel modules for a trial, and restores them. What they were is
// added to the record of what the trial owns before anything is set. It must not know what the trial runs on.
package parameters
