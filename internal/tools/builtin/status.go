// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"bytes"
	"strconv"

	"zfsbench.io/operator/internal/text/lines"
	"zfsbench.io/operator/internal/tools"
)

// maxStatusLine is longer than any status line.
const maxStatusLine = 1 << 10

// StatusDecoder reads what a tool prints, in pieces of any size: lines with a phase and its percentage, such as "create
// 42". Each phase begins at 0.
type StatusDecoder struct {
	pending lines.Pending
	percent int
	seen    bool
}

// Write takes the next piece of output. It never fails: other lines are ignored.
func (d *StatusDecoder) Write(p []byte) (int, error) {
	d.pending.Take(p, "\n", maxStatusLine, func(line []byte) {
		_, number, _ := bytes.Cut(line, []byte(" "))
		if percent, err := strconv.Atoi(string(number)); err == nil && percent >= 0 && percent <= 100 {
			d.percent, d.seen = percent, true
		}
	})
	return len(p), nil
}

// Last is the fraction of the current phase that is done; false if it is not known.
func (d *StatusDecoder) Last() (tools.Status, bool) { return tools.Status{Percent: d.percent}, d.seen }
