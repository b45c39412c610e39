// SPDX-License-Identifier: Apache-2.0

// Package lines reads what tools print and what the kernel shows as text, line by line and within bounds. Whatever is
// cut off, endless or no text is an error: a number that lost its last digit still looks like one.
package lines
