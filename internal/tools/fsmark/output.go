// SPDX-License-Identifier: Apache-2.0

package fsmark

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

const (
	// maxOutputBytes bounds what is read: fs_mark prints two kilobytes, and a line for each directory.
	maxOutputBytes = 64 << 10
	// columns are the columns of the result line: fill level, files, their size, files per second, overhead, and least,
	// average and greatest microseconds of six calls.
	columns = 23
	// maxMicroseconds is beyond anything real.
	maxMicroseconds = 1 << 40
)

// The places of columns.
const (
	columnFiles = 1
	columnSize  = 2
	columnRate  = 3
)

// calls are those that fs_mark times, with the place of their least latency.
var calls = []struct {
	operation v1alpha1.Operation
	least     int
}{
	{v1alpha1.FsmarkCreatCall, 5}, {v1alpha1.FsmarkWriteCall, 8}, {v1alpha1.FsmarkFsyncCall, 11},
	{v1alpha1.FsmarkSyncCall, 14}, {v1alpha1.FsmarkCloseCall, 17}, {v1alpha1.FsmarkUnlinkCall, 20},
}

// tool is the tool's name in messages.
const tool = toolreport.Tool("fs_mark")

var versionLine = regexp.MustCompile(`^#\tVersion ([0-9][0-9.]*), `)

// Parse reads the output of fs_mark -v into its part of a sample: tool, version, the rate of making files, and its
// system calls. The rate is the sum of the threads' rates, and the runtime is computed from it. Errors:
// *toolreport.MissingError, *toolreport.FormatError.
func Parse(r io.Reader, w v1alpha1.FsmarkWorkload) (result.Sample, error) {
	version, record, err := find(io.LimitReader(r, maxOutputBytes))
	switch {
	case err != nil:
		return result.Sample{}, tool.Malformed(err)
	case record == nil:
		return result.Sample{}, tool.Missing()
	case version == "":
		return result.Sample{}, tool.Malformedf("it has no version")
	}
	w = w.WithDefaults()
	create, err := created(record, w)
	if err != nil {
		return result.Sample{}, tool.Malformed(err)
	}
	s := result.Sample{Tool: "fs_mark", ToolVersion: "fs_mark-" + version, RuntimeNanoseconds: create.RuntimeNanoseconds,
		Phases: []result.Phase{create}}
	for _, c := range calls {
		if !slices.Contains(w.Operations(), c.operation) {
			continue
		}
		latency, err := latencyOf(record[c.least:c.least+3], countOf(c.operation, w))
		if err != nil {
			return result.Sample{}, tool.Malformedf("%s: %w", c.operation, err)
		}
		s.Phases = append(s.Phases, result.Calls(string(c.operation), int(w.Threads), latency))
	}
	return s, nil
}

// find returns the version, and the fields of the result line, which follows the line of titles.
func find(r io.Reader) (version string, record []string, err error) {
	scanner := bufio.NewScanner(r)
	titles := false
	for scanner.Scan() {
		line := scanner.Text()
		if found := versionLine.FindStringSubmatch(line); found != nil {
			version = found[1]
		}
		fields := strings.Fields(line)
		if titles && len(fields) == columns {
			record = fields
		}
		titles = titles || strings.HasPrefix(line, "FSUse%")
	}
	if err := scanner.Err(); err != nil {
		return "", nil, fmt.Errorf("read it: %w", err)
	}
	return version, record, nil
}

// created is all that was done to make the files, held to the workload.
func created(record []string, w v1alpha1.FsmarkWorkload) (result.Phase, error) {
	files := int64(w.Files) * int64(w.Threads)
	if record[columnFiles] != fmt.Sprint(files) || record[columnSize] != fmt.Sprint(w.FileSize.Value()) {
		return result.Phase{}, fmt.Errorf("%.16q files of %.16q bytes in place of %d of %d",
			record[columnFiles], record[columnSize], files, w.FileSize.Value())
	}
	rate, ok := toolreport.Rate(record[columnRate], 1)
	if !ok {
		return result.Phase{}, fmt.Errorf("%.16q is not a rate", record[columnRate])
	}
	bytes := files * w.FileSize.Value()
	return result.Phase{Name: string(v1alpha1.FsmarkCreate), Operation: result.Operation{
		Bytes: bytes, IOs: files, RuntimeNanoseconds: int64(float64(files) / rate * 1e9), IOPS: rate,
		BandwidthBytesPerSecond: rate * float64(w.FileSize.Value()),
	}}, nil
}

// countOf is how often all threads together make a call.
func countOf(o v1alpha1.Operation, w v1alpha1.FsmarkWorkload) int64 {
	files := int64(w.Files) * int64(w.Threads)
	switch o {
	case v1alpha1.FsmarkSyncCall:
		return int64(w.Threads)
	case v1alpha1.FsmarkWriteCall:
		size := int64(w.WriteSize)
		return files * ((w.FileSize.Value() + size - 1) / size)
	}
	return files
}

// resolution is the resolution of fs_mark's times, in nanoseconds.
const resolution = 1000

// latencyOf reads least, average and greatest. Of sync fs_mark does not keep the greatest: it is then the average.
func latencyOf(fields []string, count int64) (result.Latency, error) {
	var microseconds [3]int64
	for i, text := range fields {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || n > maxMicroseconds {
			return result.Latency{}, fmt.Errorf("%.16q is not a time", text)
		}
		microseconds[i] = n * resolution
	}
	least, average, greatest := microseconds[0], microseconds[1], microseconds[2]
	if greatest == 0 {
		greatest = average
	}
	if average == least-resolution { // seen: 1, 0 and 3; fs_mark drops fractions more than once
		average = least
	}
	if least > average || average > greatest {
		return result.Latency{}, fmt.Errorf("%d, %d and %d ns are not in order", least, average, greatest)
	}
	return result.Latency{Count: count, MinNanoseconds: least, MeanNanoseconds: float64(average),
		MaxNanoseconds: greatest}, nil
}
