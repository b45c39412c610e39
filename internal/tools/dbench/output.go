// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"bufio"
	"errors"
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
	// maxOutputBytes bounds what is read; what is between beginning and end of a long run is not needed.
	maxOutputBytes = 1 << 20
	// megabyte is what dbench calls MB.
	megabyte = 1e6
	// maxCount and maxMilliseconds are beyond anything real.
	maxCount        = 1 << 32
	maxMilliseconds = 1e9
)

// tool is the tool's name in messages.
const tool = toolreport.Tool("dbench")

var (
	versionLine = regexp.MustCompile(`^dbench version ([0-9][0-9.]*) `)
	executeLine = regexp.MustCompile(` MB/sec  execute +([0-9]{1,9}) sec`)
	totalLine   = regexp.MustCompile(`^Throughput ([0-9.e+-]+) MB/sec.* +([0-9]+) clients`)
)

// Version finds the version in what dbench prints; empty if it is not there.
func Version(text string) string {
	found := versionLine.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return "dbench-" + found[1]
}

// report is what is found in dbench's output.
type report struct {
	version string
	// seconds is when the throughput was taken, after the warm-up.
	seconds        int64
	bytesPerSecond float64
	calls          []result.Phase
}

// Parse reads what dbench prints of a workload into the part of a sample that it has: tool, version, the throughput,
// and each request of the load with its latency. Errors: *toolreport.MissingError, *toolreport.FormatError.
func Parse(r io.Reader, w v1alpha1.DbenchWorkload) (result.Sample, error) {
	found, err := read(io.LimitReader(r, maxOutputBytes), Clients(w))
	switch {
	case err != nil:
		return result.Sample{}, tool.Malformed(err)
	case found.bytesPerSecond == 0:
		return result.Sample{}, tool.Missing()
	case found.version == "":
		return result.Sample{}, tool.Malformedf("it has no version")
	case found.seconds == 0:
		return result.Sample{}, tool.Malformedf("it did not measure for a second")
	}
	throughput := result.Phase{Name: string(v1alpha1.DbenchThroughput), Mixed: true, Operation: result.Operation{
		Bytes: int64(found.bytesPerSecond * float64(found.seconds)), BandwidthBytesPerSecond: found.bytesPerSecond,
		RuntimeNanoseconds: found.seconds * 1e9,
	}}
	return result.Sample{
		Tool: "dbench", ToolVersion: found.version, RuntimeNanoseconds: throughput.RuntimeNanoseconds,
		Phases: append([]result.Phase{throughput}, found.calls...),
	}, nil
}

func read(r io.Reader, clients int) (report, error) {
	var found report
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		line := scanner.Text()
		if version := Version(line); version != "" {
			found.version = version
		}
		if at := executeLine.FindStringSubmatch(line); at != nil {
			found.seconds, _ = strconv.ParseInt(at[1], 10, 64) // nine digits always fit
		}
		if total := totalLine.FindStringSubmatch(line); total != nil {
			rate, ok := toolreport.Rate(total[1], megabyte)
			if !ok || total[2] != fmt.Sprint(clients) {
				return report{}, fmt.Errorf("%.80q is not a throughput of %d clients", line, clients)
			}
			found.bytesPerSecond = rate
		}
		call, is, err := callOf(line, clients)
		if err != nil {
			return report{}, err
		}
		if is {
			found.calls = append(found.calls, call)
		}
	}
	if err := scanner.Err(); err != nil {
		return report{}, fmt.Errorf("read it: %w", err)
	}
	return found, nil
}

// callOf reads a line of the table of requests: name, number, average and greatest milliseconds.
func callOf(line string, clients int) (call result.Phase, is bool, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 || !slices.Contains(v1alpha1.DbenchCalls(), fields[0]) {
		return result.Phase{}, false, nil
	}
	count, err := strconv.ParseInt(fields[1], 10, 64)
	average, err2 := strconv.ParseFloat(fields[2], 64)
	greatest, err3 := strconv.ParseFloat(fields[3], 64)
	if err := errors.Join(err, err2, err3); err != nil || count < 1 || count > maxCount ||
		!(average >= 0 && average <= greatest && greatest <= maxMilliseconds) {
		return result.Phase{}, false, fmt.Errorf("%.80q is not the number and latency of requests", line)
	}
	const nanoseconds = 1e6
	latency := result.Latency{Count: count, MeanNanoseconds: average * nanoseconds,
		MaxNanoseconds: int64(greatest * nanoseconds)}
	return result.Calls(string(v1alpha1.DbenchOperation(fields[0])), clients, latency), true, nil
}
