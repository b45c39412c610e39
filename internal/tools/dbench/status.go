// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"strconv"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/lines"
	"zfsbench.io/operator/internal/tools"
)

// maxStatusLine is longer than any status line.
const maxStatusLine = 1 << 10

// StatusDecoder reads what dbench prints each second, in pieces of any size. The warm-up does not count.
type StatusDecoder struct {
	// Workload is what runs.
	Workload v1alpha1.DbenchWorkload
	pending  lines.Pending
	percent  int
	seen     bool
}

// Write takes the next piece of output. It never fails: other lines are ignored.
func (d *StatusDecoder) Write(p []byte) (int, error) {
	d.pending.Take(p, "\n", maxStatusLine, func(line []byte) {
		at := executeLine.FindSubmatch(line)
		if at == nil {
			return
		}
		seconds, _ := strconv.ParseInt(string(at[1]), 10, 64) // nine digits always fit
		d.percent, d.seen = int(min(100, 100*seconds/max(1, int64(d.Workload.RunTime()/time.Second)))), true
	})
	return len(p), nil
}

// Last is the fraction of the runtime that is over; false if it is not known.
func (d *StatusDecoder) Last() (tools.Status, bool) { return tools.Status{Percent: d.percent}, d.seen }
