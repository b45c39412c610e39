// SPDX-License-Identifier: Apache-2.0

// Package human writes numbers for people: three significant digits and at most one unit. It is pure.
package human
