// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/lines"
)

// ErrNothingToDedup says that a pool contains no block that could be deduplicated.
var ErrNothingToDedup = errors.New("zdb found no block that could be deduplicated")

// dedupFactors is the last line of `zdb -S`, as dump_dedup_ratio in cmd/zdb/zdb.c prints it.
var dedupFactors = regexp.MustCompile(
	`^dedup = ([0-9.]+), compress = ([0-9.]+), copies = ([0-9.]+), dedup \* compress / copies = ([0-9.]+)$`,
)

// ParseSimulatedDedup reads the output of `zdb -S`. If no block can be deduplicated, zdb prints no factors, and the
// error is ErrNothingToDedup.
func ParseSimulatedDedup(r io.Reader) (result.SimulatedDedup, error) {
	var factors result.SimulatedDedup
	found := false
	for line, err := range lines.All(r) {
		if err != nil {
			return result.SimulatedDedup{}, fmt.Errorf("read zdb -S: %w", err)
		}
		parts := dedupFactors.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		for i, factor := range []*float64{&factors.Dedup, &factors.Compress, &factors.Copies, &factors.Combined} {
			number, err := strconv.ParseFloat(parts[i+1], 64)
			if err != nil || number <= 0 {
				return result.SimulatedDedup{}, &ParseError{What: "zdb -S", Line: line}
			}
			*factor = number
		}
		found = true
	}
	if !found {
		return result.SimulatedDedup{}, ErrNothingToDedup
	}
	return factors, nil
}
