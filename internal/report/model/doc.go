// SPDX-License-Identifier: Apache-2.0

// Package model computes every figure of a report once. Its Report is all that a renderer needs; it knows no format
// but the JSON keys of results.json.
package model
