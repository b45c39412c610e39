// SPDX-License-Identifier: Apache-2.0

// Package property knows which properties of pools and datasets a benchmark may set, and to what. The API server's
// rules for them are in api/v1alpha1, and the OpenZFS releases that brought them in package plan. It is pure.
package property
