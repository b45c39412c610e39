// SPDX-License-Identifier: Apache-2.0

// Package json writes a report as results.json, and leaves out what does not fit.
package json
