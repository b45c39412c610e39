// SPDX-License-Identifier: Apache-2.0

// Package toolreport has what the readers of measuring tools' reports have in common: what can be wrong with a report,
// and which rates are real. It is pure.
package toolreport
