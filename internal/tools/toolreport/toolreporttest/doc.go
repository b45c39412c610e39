// SPDX-License-Identifier: Apache-2.0

// Package toolreporttest holds the readers of measuring tools' reports to what they have in common: hostile reports are
// refused by what is wrong with them, and whatever is read can be a part of a result.
package toolreporttest
