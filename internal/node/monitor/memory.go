// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/text/lines"
)

// parseMemory reads /proc/meminfo. Dirty includes data that is being written back.
func parseMemory(r io.Reader) (series.Memory, error) {
	var m series.Memory
	var writeback int64
	wanted := map[string]*int64{"MemAvailable:": &m.Available, "Cached:": &m.Cached, "Dirty:": &m.Dirty,
		"Writeback:": &writeback}
	for line, err := range lines.All(r) {
		if err != nil {
			return series.Memory{}, err
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[2] != "kB" || wanted[fields[0]] == nil {
			continue
		}
		kib, err := strconv.ParseUint(fields[1], 10, kibibytesBits)
		if err != nil {
			return series.Memory{}, err
		}
		*wanted[fields[0]] = int64(kib) << 10
		if delete(wanted, fields[0]); len(wanted) == 0 {
			m.Dirty += writeback
			return m, nil
		}
	}
	return series.Memory{}, fmt.Errorf("%d values are missing", len(wanted))
}
