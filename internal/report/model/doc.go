// SPDX-License-Identifier: Apache-2.0

// Package model computes every number of a report once. Its Report contains everything that a renderer needs. The only
// format it knows is the JSON keys of results.json.
package model
