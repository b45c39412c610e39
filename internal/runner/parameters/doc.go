// SPDX-License-Identifier: Apache-2.0

// Package parameters sets parameters of OpenZFS's kernel modules for a trial, and restores them. Before it sets
// anything, it adds the old values to the trial's ownership record. It must not know the trial's target.
package parameters
