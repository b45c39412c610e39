// SPDX-License-Identifier: Apache-2.0

// Package threshold says which thresholds a benchmark meets. It is pure.
package threshold
