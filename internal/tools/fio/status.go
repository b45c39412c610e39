// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"sync"

	"zfsbench.io/operator/internal/text/lines"
	"zfsbench.io/operator/internal/tools"
)

// StatusDecoder reads fio's standard output as it comes, in pieces of any size: lines that end in a carriage return or
// line feed, as display_thread_status in fio's eta.c writes them. fio prints no status in its first seconds or while it
// lays out files. One goroutine may write while another reads the status.
type StatusDecoder struct {
	mu      sync.Mutex
	pending lines.Pending
	last    tools.Status
	seen    bool
}

// maxStatusLine is longer than any status line; of anything longer, only the end is kept.
const maxStatusLine = 8 << 10

// Write takes the next piece of output. It never fails: other lines are ignored.
func (d *StatusDecoder) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending.Take(p, "\r\n", maxStatusLine, func(line []byte) {
		if s, ok := parseStatus(line); ok {
			d.last, d.seen = s, true
		}
	})
	return len(p), nil
}

// Last is the last status, to fio's four digits, and whether there was any.
func (d *StatusDecoder) Last() (tools.Status, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last, d.seen
}

var (
	statusPattern = regexp.MustCompile(
		`\[([0-9]{1,3}\.[0-9])%\](?:\[([^\]]*)\]\[[^\]]* IOPS\])?\[eta (?:([0-9]{1,5})d:)?(?:([0-9]{1,5})h:)?([0-9]{1,5})m:([0-9]{1,5})s\]`,
	)
	ratePattern = regexp.MustCompile(`([rw])=([0-9.]+)([KMGTP]i)?B/s`)
)

// parseStatus reads a line such as
//
//	Jobs: 4 (f=4): [m(4)][75.0%][r=12.3MiB/s,w=2224KiB/s][r=3148,w=569 IOPS][eta 00m:01s]
func parseStatus(line []byte) (tools.Status, bool) {
	match := statusPattern.FindSubmatch(line)
	if match == nil {
		return tools.Status{}, false
	}
	percent, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		return tools.Status{}, false
	}
	s := tools.Status{Percent: int(math.Min(percent, 100))}
	for _, rate := range ratePattern.FindAllSubmatch(match[2], 2) {
		if rate[1][0] == 'r' {
			s.ReadBytesPerSecond = bytesOf(rate[2], rate[3])
		} else {
			s.WriteBytesPerSecond = bytesOf(rate[2], rate[3])
		}
	}
	return s, true
}

// bytesOf reads a number as fio's num2str writes it, for example 12.3 and Mi.
func bytesOf(number, prefix []byte) int64 {
	n, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		return 0
	}
	if len(prefix) > 0 {
		n *= math.Pow(1024, float64(bytes.IndexByte([]byte("KMGTP"), prefix[0])+1))
	}
	if n > math.MaxInt64/2 {
		return 0
	}
	return int64(math.Round(n))
}
