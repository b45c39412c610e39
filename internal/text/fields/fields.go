// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"k8s.io/apimachinery/pkg/api/resource"
)

// MaxBytes bounds the sizes in a benchmark: 64 TiB. Products with the number of jobs stay far below what an int64
// holds, and CEL takes quantities of 100 TiB and more for no integers.
const MaxBytes int64 = 64 << 40

// Bytes returns a quantity in bytes; false if it is no whole number of bytes, more than an int64 holds, or written with
// an exponent. The CRDs take no exponents either, and one such as 1e99999999 keeps a processor busy for minutes.
func Bytes(q resource.Quantity) (int64, bool) {
	if q.Format == resource.DecimalExponent {
		return 0, false
	}
	n := q.Value()
	return n, q.CmpInt64(n) == 0
}

// Text is a quantity for a message; one with an exponent may take minutes to print.
func Text(q resource.Quantity) string {
	if q.Format == resource.DecimalExponent {
		return "a number with an exponent"
	}
	return q.String()
}
