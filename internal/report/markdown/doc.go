// SPDX-License-Identifier: Apache-2.0

// Package markdown writes a report as summary.md. It decides what a reader sees first and how numbers are formatted. It
// does not compute any.
package markdown
