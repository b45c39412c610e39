// SPDX-License-Identifier: Apache-2.0

// Package json writes a report as results.json, and leaves parts out if it is too large.
package json
