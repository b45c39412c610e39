// SPDX-License-Identifier: Apache-2.0

package iozone

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// maxOutputBytes bounds what is read: a test of 128 threads prints some 10 KiB.
const maxOutputBytes = 1 << 20

// complete is the last line of a run that came to its end.
const complete = "iozone test complete."

// tool is the tool's name in messages.
const tool = toolreport.Tool("iozone")

var (
	versionLine = regexp.MustCompile(`Version \$Revision: ([0-9][0-9.]*) \$`)
	sumLine     = regexp.MustCompile(`^\s*Children see throughput for +[0-9]+ ([a-z -]+?)\s+= +([0-9.]+) kB/sec`)
	childLine   = regexp.MustCompile(`^\s*Child\[[0-9]+\] xfer count = +([0-9.]+) kB`)
)

// Version finds the version in what iozone prints; empty if it is not there.
func Version(text string) string {
	found := versionLine.FindStringSubmatch(text)
	if found == nil {
		return ""
	}
	return "iozone-" + found[1]
}

// reads are the operations that read.
var reads = map[v1alpha1.Operation]bool{
	v1alpha1.IozoneRead: true, v1alpha1.IozoneReread: true, v1alpha1.IozoneRandomRead: true,
	v1alpha1.IozoneBackwardRead: true, v1alpha1.IozoneStrideRead: true,
}

// Parse reads iozone's output into its part of a sample: tool, version, and a phase for each operation. Latencies are
// not known, and the runtime is the sum of all phases. With several threads, bytes and rate are iozone's totals: what
// all threads did until the first one finished. Errors: *toolreport.MissingError, *toolreport.FormatError.
func Parse(r io.Reader, w v1alpha1.IozoneWorkload) (result.Sample, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxOutputBytes))
	if err != nil {
		return result.Sample{}, tool.Malformed(err)
	}
	lines, finished := linesOf(string(text))
	if !finished {
		return result.Sample{}, tool.Missing()
	}
	version := Version(string(text))
	if version == "" {
		return result.Sample{}, tool.Malformedf("it has no version")
	}
	parse := table
	if w.Threads > 1 {
		parse = throughputs
	}
	phases, err := parse(lines, w)
	if err != nil {
		return result.Sample{}, tool.Malformed(err)
	}
	s := result.Sample{Tool: "iozone", ToolVersion: version, Phases: phases}
	for _, p := range phases {
		s.RuntimeNanoseconds += p.RuntimeNanoseconds
	}
	return s, nil
}

// linesOf are the lines of a text, and whether the last line of a run is among them.
func linesOf(text string) (lines []string, finished bool) {
	scanner := bufio.NewScanner(strings.NewReader(text))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
		finished = finished || scanner.Text() == complete
	}
	return lines, finished
}

// table reads the one line of rates of a single thread: operations that did not run are blank, so the rates are in the
// order of the operations that did.
func table(lines []string, w v1alpha1.IozoneWorkload) ([]result.Phase, error) {
	operations := w.Operations()
	size, record := fmt.Sprint(w.Size.Value()/kibibyte), fmt.Sprint(w.RecordBytes()/kibibyte)
	for _, line := range lines {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != size || fields[1] != record {
			continue
		}
		rates := fields[2:]
		if len(rates) != len(operations) {
			return nil, fmt.Errorf("%d rates of %d operations", len(rates), len(operations))
		}
		var phases []result.Phase
		for i, o := range operations {
			p, err := phase(o, w.Size.Value(), rates[i])
			if err != nil {
				return nil, err
			}
			phases = append(phases, p)
		}
		return phases, nil
	}
	return nil, fmt.Errorf("it has no rates of a file of %s KiB and records of %s KiB", size, record)
}

// titles are the operations as iozone calls them with several threads, with its order.
var titles = map[string]v1alpha1.Operation{
	"initial writers": v1alpha1.IozoneWrite, "rewriters": v1alpha1.IozoneRewrite, "readers": v1alpha1.IozoneRead,
	"re-readers":     v1alpha1.IozoneReread,
	"random readers": v1alpha1.IozoneRandomRead, "random writers": v1alpha1.IozoneRandomWrite,
	"reverse readers": v1alpha1.IozoneBackwardRead, "stride readers": v1alpha1.IozoneStrideRead,
}

// throughputs reads the sums of several threads.
func throughputs(lines []string, w v1alpha1.IozoneWorkload) ([]result.Phase, error) {
	found := map[v1alpha1.Operation]result.Phase{}
	var rate string
	var operation v1alpha1.Operation
	var children int32
	var moved float64
	for _, line := range lines {
		if sum := sumLine.FindStringSubmatch(line); sum != nil {
			operation, rate, children, moved = titles[sum[1]], sum[2], 0, 0
			continue
		}
		child := childLine.FindStringSubmatch(line)
		if child == nil || operation == "" {
			continue
		}
		amount, err := strconv.ParseFloat(child[1], 64)
		if err != nil || amount > float64(w.Size.Value()/kibibyte) {
			return nil, fmt.Errorf("%s: a thread has moved %.16q KiB", operation, child[1])
		}
		if children, moved = children+1, moved+amount; children < w.Threads {
			continue
		}
		if found[operation], err = phase(operation, int64(moved*kibibyte), rate); err != nil {
			return nil, err
		}
	}
	var phases []result.Phase
	for _, o := range w.Operations() {
		p, is := found[o]
		if !is {
			return nil, fmt.Errorf("it has nothing of %d threads of %s", w.Threads, o)
		}
		phases = append(phases, p)
	}
	return phases, nil
}

// phase makes amount and time of an operation from its rate.
func phase(o v1alpha1.Operation, bytes int64, text string) (result.Phase, error) {
	rate, ok := toolreport.Rate(text, kibibyte)
	if !ok || bytes <= 0 {
		return result.Phase{}, fmt.Errorf("rate of %s: %.16q is not a rate of %d bytes", o, text, bytes)
	}
	return result.Phase{Name: string(o), Reads: reads[o], Operation: result.Operation{
		Bytes: bytes, BandwidthBytesPerSecond: rate, RuntimeNanoseconds: int64(float64(bytes) / rate * 1e9),
	}}, nil
}
