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

// StatusDecoder reads what a tool prints, in pieces of any size: lines with a phase and how much of it is done, as
// "create 42". Each phase begins at 0.
type StatusDecoder struct {
	pending lines.Pending
	percent int
	seen    bool
}

// Write takes the next piece of output. It never fails: what is no status line is not for us.
func (d *StatusDecoder) Write(p []byte) (int, error) {
	d.pending.Take(p, "\n", maxStatusLine, func(line []byte) {
		_, number, _ := bytes.Cut(line, []byte(" "))
		if percent, err := strconv.Atoi(string(number)); err == nil && percent >= 0 && percent <= 100 {
			d.percent, d.seen = percent, true
		}
	})
	return len(p), nil
}

// Last is how much of the phase under way is done, and whether that is known.
func (d *StatusDecoder) Last() (tools.Status, bool) { return tools.Status{Percent: d.percent}, d.seen }
