// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseBlockSize returns the bytes of a block size such as 512, 4k, 128K or 1M. k and m, in either case, are powers of
// 1024, as fio (with its default kb_base) and ZFS read them; nothing else is a unit. It fails on any other form, on
// zero, and on more than an int64 holds.
func ParseBlockSize(s string) (int64, error) {
	digits, factor := s, int64(1)
	switch {
	case strings.HasSuffix(s, "k"), strings.HasSuffix(s, "K"):
		digits, factor = s[:len(s)-1], 1<<10
	case strings.HasSuffix(s, "m"), strings.HasSuffix(s, "M"):
		digits, factor = s[:len(s)-1], 1<<20
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n == 0 || int64(n) > math.MaxInt64/factor {
		return 0, fmt.Errorf("parse block size %q: not a positive number with k or M for powers of 1024", s)
	}
	return int64(n) * factor, nil
}
