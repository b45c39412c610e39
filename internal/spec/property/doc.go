// SPDX-License-Identifier: Apache-2.0

// Package property knows which properties of pools and datasets a benchmark may set, and to what. It is pure.
package property
