// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"syscall"
	"time"

	"zfsbench.io/operator/internal/result"
)

// maxOutputBytes bounds a report, and maxJobs the jobs in it: an empty job takes three bytes there and hundreds in
// memory. A group, which is what our job files ask for, takes some 100 KiB.
const (
	maxOutputBytes = 16 << 20
	maxJobs        = 1024
)

// maxCPUSeconds is what 10,000 CPUs do in a year.
const maxCPUSeconds = 1e4 * 366 * 86400

// maxNotes bounds the lines that are kept beside the report.
const maxNotes = 64

// The parts of fio's JSON that are used, as show_thread_status_json in fio's stat.c writes them: times of directions in
// ms, latencies in ns, CPU in percent of job_runtime, which is the sum of the runtimes of all processes, in ms.
type (
	documentJSON struct {
		Version string   `json:"fio version"`
		Jobs    jobsJSON `json:"jobs"`
	}
	jobsJSON []jobJSON
	jobJSON  struct {
		Name        string        `json:"jobname"`
		Error       int           `json:"error"`
		Runtime     int64         `json:"job_runtime"`
		UserPercent float64       `json:"usr_cpu"`
		SysPercent  float64       `json:"sys_cpu"`
		Read        directionJSON `json:"read"`
		Write       directionJSON `json:"write"`
		Sync        syncJSON      `json:"sync"`
	}
	// syncJSON has no fdatasync in total_ios, only in the latencies. Neither end_fsync nor the ramp are in it.
	syncJSON struct {
		Latency latencyJSON `json:"lat_ns"`
	}
	directionJSON struct {
		Bytes   int64       `json:"io_bytes"`
		BWBytes int64       `json:"bw_bytes"`
		IOPS    float64     `json:"iops"`
		Runtime int64       `json:"runtime"`
		IOs     int64       `json:"total_ios"`
		Latency latencyJSON `json:"lat_ns"`
	}
	latencyJSON struct {
		Min        int64            `json:"min"`
		Max        int64            `json:"max"`
		Mean       float64          `json:"mean"`
		Stddev     float64          `json:"stddev"`
		N          int64            `json:"N"`
		Percentile map[string]int64 `json:"percentile"`
		Bins       map[string]int64 `json:"bins"`
	}
)

// UnmarshalJSON reads at most maxJobs jobs, one after the other.
func (jobs *jobsJSON) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return errors.Join(errors.New("jobs is not a list"), err)
	}
	*jobs = nil
	for decoder.More() {
		if len(*jobs) == maxJobs {
			return fmt.Errorf("more than %d jobs", maxJobs)
		}
		var job jobJSON
		if err := decoder.Decode(&job); err != nil {
			return err
		}
		*jobs = append(*jobs, job)
	}
	return nil
}

// ParseOutput reads the file that fio wrote with --output-format=json+. Lines of text before, between and after the
// documents are kept as notes; of several documents, which are cumulative, the last counts. A job that failed is a
// *JobError, with the report beside it. Other errors: *toolreport.MissingError, *toolreport.FormatError, also for more
// than 16 MiB and for numbers that fio cannot have measured, and the errors of r.
func ParseOutput(r io.Reader) (Report, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxOutputBytes+1))
	if err != nil {
		return Report{}, fmt.Errorf("read fio report: %w", err)
	}
	if len(data) > maxOutputBytes {
		return Report{}, tool.Malformedf("larger than %d bytes", maxOutputBytes)
	}
	document, notes, err := lastDocument(data)
	if err != nil {
		return Report{Notes: notes}, err
	}
	report := Report{Version: document.Version, Notes: notes}
	for i, j := range document.Jobs {
		job, err := j.job()
		if err != nil {
			return Report{Notes: notes}, tool.Malformedf("job %d: %w", i, err)
		}
		report.Jobs = append(report.Jobs, job)
	}
	for i, j := range report.Jobs {
		if j.Errno != 0 {
			return report, &JobError{Job: i, Errno: syscall.Errno(j.Errno)}
		}
	}
	return report, nil
}

// lastDocument finds documents by the brace at the start of a line.
func lastDocument(data []byte) (*documentJSON, []string, error) {
	var last *documentJSON
	var notes []string
	for len(data) > 0 {
		if data[0] == '{' {
			decoder := json.NewDecoder(bytes.NewReader(data))
			document := documentJSON{}
			if err := decoder.Decode(&document); err != nil {
				return nil, notes, tool.Malformed(err)
			}
			last, data = &document, data[decoder.InputOffset():]
			continue
		}
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if text := strings.TrimSpace(string(line)); text != "" && len(notes) < maxNotes {
			notes = append(notes, text)
		}
	}
	if last == nil || len(last.Jobs) == 0 {
		return nil, notes, tool.Missing()
	}
	return last, notes, nil
}

func (j jobJSON) job() (Job, error) {
	out := Job{Name: j.Name, Errno: j.Error, CPUSeconds: j.cpuSeconds()}
	if !(out.CPUSeconds >= 0) || out.CPUSeconds > maxCPUSeconds {
		return Job{}, fmt.Errorf("%v seconds of CPU time are not possible", out.CPUSeconds)
	}
	var err error
	if out.Read, err = j.Read.direction(); err != nil {
		return Job{}, fmt.Errorf("read: %w", err)
	}
	if out.Write, err = j.Write.direction(); err != nil {
		return Job{}, fmt.Errorf("write: %w", err)
	}
	if out.Sync, err = j.Sync.operation(out.Write); err != nil {
		return Job{}, fmt.Errorf("sync: %w", err)
	}
	return out, nil
}

// cpuSeconds undoes fio's division: user and system time were whole milliseconds before it made percentages of them.
func (j jobJSON) cpuSeconds() float64 {
	milliseconds := func(percent float64) float64 { return math.Round(percent / 100 * float64(j.Runtime)) }
	return (milliseconds(j.UserPercent) + milliseconds(j.SysPercent)) / 1000
}

// direction is nil if there was no I/O.
func (d directionJSON) direction() (*result.Operation, error) {
	if d.IOs == 0 {
		return nil, nil
	}
	if d.Runtime < 0 || d.Runtime > math.MaxInt64/millisecond {
		return nil, fmt.Errorf("a runtime of %d ms is not possible", d.Runtime)
	}
	latency, err := d.Latency.latency()
	if err != nil {
		return nil, err
	}
	out := &result.Operation{
		Bytes:                   d.Bytes,
		IOs:                     d.IOs,
		RuntimeNanoseconds:      d.Runtime * millisecond,
		BandwidthBytesPerSecond: float64(d.BWBytes),
		IOPS:                    d.IOPS,
		Latency:                 latency,
	}
	return out, out.Check()
}

// operation is nil where nothing was synced, or no write was measured that it could belong to. Its runtime is that of
// the writes.
func (s syncJSON) operation(write *result.Operation) (*result.Operation, error) {
	if s.Latency.N == 0 || write == nil {
		return nil, nil
	}
	latency, err := s.Latency.latency()
	if err != nil {
		return nil, err
	}
	out := &result.Operation{IOs: latency.Count, RuntimeNanoseconds: write.RuntimeNanoseconds, Latency: latency}
	if out.RuntimeNanoseconds > 0 {
		out.IOPS = float64(out.IOs) / (float64(out.RuntimeNanoseconds) / float64(time.Second))
	}
	return out, out.Check()
}

func (l latencyJSON) latency() (result.Latency, error) {
	out := result.Latency{Count: l.N, MinNanoseconds: l.Min, MaxNanoseconds: l.Max, MeanNanoseconds: l.Mean,
		StddevNanoseconds: l.Stddev}
	if l.N == 0 {
		return out, nil
	}
	for _, p := range []struct {
		key string
		to  *int64
	}{
		{"50.000000", &out.P50Nanoseconds}, {"95.000000", &out.P95Nanoseconds},
		{"99.000000", &out.P99Nanoseconds}, {"99.900000", &out.P999Nanoseconds},
	} {
		value, ok := l.Percentile[p.key]
		if !ok {
			return result.Latency{}, fmt.Errorf("total latency has no percentile %s", p.key)
		}
		*p.to = value
	}
	bins, err := binsOf(l.Bins)
	if err != nil {
		return result.Latency{}, err
	}
	if out.Histogram, err = result.NewHistogram(bins); err != nil {
		return result.Latency{}, err
	}
	if got := out.Histogram.Count(); got != l.N {
		return result.Latency{}, fmt.Errorf("histogram counts %d of %d I/O", got, l.N)
	}
	return out, nil
}

func binsOf(in map[string]int64) ([]result.Bin, error) {
	out := make([]result.Bin, 0, len(in))
	for key, count := range in {
		ns, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("bin %q: %w", key, err)
		}
		out = append(out, result.Bin{Nanoseconds: ns, Count: count})
	}
	return out, nil
}
