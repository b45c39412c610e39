// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// Waits counts the requests to a vdev since the pool was imported, by their duration: Total from when OpenZFS queued
// them until they ended, Disk from when the device got them.
type Waits struct {
	// Vdev is the vdev's name or path, as zpool prints it with these options; for the pool, the pool's name.
	Vdev                                       string
	TotalRead, TotalWrite, DiskRead, DiskWrite WaitHistogram
}

// WaitHistogram counts requests: element i counts requests that took from 2^i to less than 2^(i+1) ns, the first also
// shorter ones, the last also longer ones.
type WaitHistogram []int64

// The indexes of columns after the end of a bucket, as in iostat_top_labels in cmd/zpool/zpool_main.c. Later columns
// differ between releases.
const (
	waitTotalRead = iota + 1
	waitTotalWrite
	waitDiskRead
	waitDiskWrite
	waitColumns
)

// maxWaitBuckets is more than the 37 buckets that OpenZFS has, and enough for 36 years.
const maxWaitBuckets = 60

// Waits reads how long requests to an imported pool and to each of its vdevs took, the pool first. A suspended pool is
// a *SuspendedError.
func (c *Client) Waits(ctx context.Context, pool string) ([]Waits, error) {
	if err := c.CheckState(pool); err != nil {
		return nil, fmt.Errorf("latencies of pool %s: %w", pool, err)
	}
	out, err := c.run(ctx, "zpool", "iostat", "-HpPvw", pool)
	if err != nil {
		return nil, fmt.Errorf("latencies of pool %s: %w", pool, err)
	}
	return ParseWaits(strings.NewReader(string(out)))
}

// ParseWaits reads the output of `zpool iostat -HpPvw POOL`: for each vdev an empty line, its name, and a line for each
// bucket, with the bucket's last nanosecond and the number of requests in it, for each kind.
func ParseWaits(r io.Reader) ([]Waits, error) {
	var all []Waits
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, fmt.Errorf("read zpool iostat: %w", err)
		}
		fields := strings.Split(line, "\t")
		switch {
		case line == "":
		case len(fields) == 1:
			all = append(all, Waits{Vdev: line})
		case len(all) == 0 || len(fields) < waitColumns || !all[len(all)-1].add(fields):
			return nil, &ParseError{What: "zpool iostat -w", Line: line}
		}
	}
	for _, w := range all {
		if len(w.TotalRead) == 0 {
			return nil, &ParseError{What: "zpool iostat -w", Line: w.Vdev}
		}
	}
	return all, nil
}

// add adds the next bucket; false if the line is not the next bucket.
func (w *Waits) add(fields []string) bool {
	bucket := len(w.TotalRead)
	if bucket == maxWaitBuckets || fields[0] != strconv.FormatInt(1<<(bucket+1)-1, 10) {
		return false
	}
	for column, histogram := range w.columns() {
		const bits = 50 // so that all buckets together fit
		n, err := strconv.ParseInt(fields[column], 10, bits)
		if err != nil || n < 0 {
			return false
		}
		*histogram = append(*histogram, n)
	}
	return true
}

// columns are the histograms by their column index.
func (w *Waits) columns() map[int]*WaitHistogram {
	return map[int]*WaitHistogram{waitTotalRead: &w.TotalRead, waitTotalWrite: &w.TotalWrite, waitDiskRead: &w.DiskRead,
		waitDiskWrite: &w.DiskWrite}
}

// WaitsSince returns what was added since earlier readings of the same vdevs. It returns false if the vdevs differ, for
// example while one is replaced, or if the readings are not in order. It may not notice that an import in between has
// reset the counters.
func WaitsSince(later, earlier []Waits) ([]Waits, bool) {
	if len(later) != len(earlier) {
		return nil, false
	}
	added := make([]Waits, len(later))
	for i := range later {
		if later[i].Vdev != earlier[i].Vdev {
			return nil, false
		}
		added[i].Vdev = later[i].Vdev
		before, after := earlier[i].columns(), later[i].columns()
		for column, histogram := range added[i].columns() {
			var ok bool
			if *histogram, ok = after[column].sub(*before[column]); !ok {
				return nil, false
			}
		}
	}
	return added, true
}

// sub is what was added since an earlier reading; false if that was not earlier.
func (h WaitHistogram) sub(earlier WaitHistogram) (WaitHistogram, bool) {
	if len(h) != len(earlier) {
		return nil, false
	}
	added := make(WaitHistogram, len(h))
	for i := range h {
		if added[i] = h[i] - earlier[i]; added[i] < 0 {
			return nil, false
		}
	}
	return added, true
}

// Count is the number of requests.
func (h WaitHistogram) Count() int64 {
	var count int64
	for _, n := range h {
		count += n
	}
	return count
}

// Mean is in nanoseconds, computed like zpool iostat -l: every request counts with the middle of its bucket. It is 0
// without requests.
func (h WaitHistogram) Mean() float64 {
	var sum float64
	for i, n := range h {
		sum += float64(n) * 1.5 * math.Pow(2, float64(i))
	}
	return sum / max(1, float64(h.Count()))
}

// AtMost is the time in nanoseconds within which the given fraction of the requests ended, rounded up to the end of a
// bucket. It is 0 without requests.
func (h WaitHistogram) AtMost(fraction float64) int64 {
	var seen int64
	count := h.Count()
	for i, n := range h {
		if seen += n; n > 0 && float64(seen) >= fraction*float64(count) {
			return 1<<(i+1) - 1
		}
	}
	return 0
}
