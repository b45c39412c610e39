// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"zfsbench.io/operator/internal/node/series"
)

// parseDevice reads a block device's stat file: Documentation/block/stat.rst of Linux. Times are in milliseconds.
// Flushes are counted since Linux 5.5, and only for whole disks.
func parseDevice(r io.Reader) (series.Device, error) {
	text, err := onlyLine(r)
	if err != nil {
		return series.Device{}, err
	}
	fields := strings.Fields(text)
	moved, err := blockStatOf(fields)
	if err != nil {
		return series.Device{}, err
	}
	const readTime, writeTime, busyTime, queuedTime, flushes, flushTime = 3, 7, 9, 10, 15, 16
	var errs error
	count := func(field int) int64 {
		if field >= len(fields) {
			return 0
		}
		n, err := strconv.ParseUint(fields[field], 10, sectorsBits)
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("field %d: %w", field+1, err))
		}
		return int64(n)
	}
	// The limit keeps nanoseconds within an int64. Real counters since boot are far below it.
	milliseconds := func(field int) int64 { return min(count(field), maxMilliseconds) * int64(time.Millisecond) }
	d := series.Device{
		Reads: moved.Reads, Writes: moved.Writes, ReadBytes: moved.Read, WrittenBytes: moved.Written, Flushes: count(flushes),
		ReadNanoseconds: milliseconds(readTime), WriteNanoseconds: milliseconds(writeTime),
		FlushNanoseconds: milliseconds(flushTime),
		BusyNanoseconds:  milliseconds(busyTime), QueuedNanoseconds: milliseconds(queuedTime),
	}
	if errs != nil {
		return series.Device{}, errs
	}
	return d, nil
}

// maxMilliseconds is 34 years.
const maxMilliseconds = 1 << 40
