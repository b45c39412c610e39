// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/testfiles"
	"zfsbench.io/operator/internal/tools/toolreport"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(testfiles.Read(t, "testdata", name))
}

// reportOf is the name of a captured report. Most are of the newer version.
func reportOf(name string) string {
	if name == "fdatasync" {
		return "fio-3.33-" + name
	}
	return "fio-3.39-" + name
}

// TestParseOutput holds what every captured report is read as, and which error it is.
func TestParseOutput(t *testing.T) {
	tests := map[string]error{
		"fdatasync": nil, "write": nil, "read": nil, "randrw": nil, "fast-randrw": nil, "randwrite-dsync": nil,
		"randrw-layout": nil,
		"clients":       nil, "clients-layout": nil, "randrw-status": nil,
		"write-enospc": syscall.ENOSPC, "layout-enospc": syscall.ENOSPC, "stuck": syscall.EDEADLK,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			report, err := ParseOutput(bytes.NewReader(fixture(t, reportOf(name)+".json")))
			if !errors.Is(err, want) {
				t.Fatalf("got error %v, want %v", err, want)
			}
			testfiles.Compare(t, "golden/"+reportOf(name)+".txt", describe(t, report))
		})
	}
}

// directions yields the directions of a job that have I/O, and its syncs.
func directions(job Job) iter.Seq2[string, *result.Operation] {
	return func(yield func(string, *result.Operation) bool) {
		if job.Read != nil && !yield("read", job.Read) {
			return
		}
		if job.Write != nil && !yield("write", job.Write) {
			return
		}
		if job.Sync != nil {
			yield("sync", job.Sync)
		}
	}
}

// describe is a report as indented JSON, with the histograms on one line each after it.
func describe(t *testing.T, report Report) string {
	t.Helper()
	var histograms strings.Builder
	for _, job := range report.Jobs {
		for name, d := range directions(job) {
			line, err := json.Marshal(d.Latency.Histogram)
			if err != nil {
				t.Fatal(err)
			}
			d.Latency.Histogram = result.Histogram{}
			histograms.WriteString(name + " " + string(line) + "\n")
		}
	}
	out, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n" + histograms.String()
}

// TestParseOutputPercentiles computes every percentile again from the bins: it must be fio's own.
func TestParseOutputPercentiles(t *testing.T) {
	for _, name := range []string{"fdatasync", "write", "read", "randrw", "fast-randrw", "randwrite-dsync", "write-enospc",
		"stuck"} {
		report, err := ParseOutput(bytes.NewReader(fixture(t, reportOf(name)+".json")))
		var job *JobError
		if err != nil && !errors.As(err, &job) {
			t.Fatal(err)
		}
		for direction, d := range directions(report.Jobs[0]) {
			l := d.Latency
			want := []int64{l.P50Nanoseconds, l.P95Nanoseconds, l.P99Nanoseconds, l.P999Nanoseconds}
			var got []int64
			for _, p := range []float64{50, 95, 99, 99.9} {
				got = append(got, l.Histogram.Percentile(p))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s (-fio +computed):\n%s", name, direction, diff)
			}
		}
	}
}

// TestParseOutputAggregates proves that the report of a group covers all its jobs: 4 jobs of 64 MiB in blocks of
// 128 KiB.
func TestParseOutputAggregates(t *testing.T) {
	for name, pick := range map[string]func(Job) *result.Operation{
		"write": func(j Job) *result.Operation { return j.Write },
		"read":  func(j Job) *result.Operation { return j.Read },
	} {
		report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.39-"+name+".json")))
		if err != nil {
			t.Fatal(err)
		}
		d := pick(report.Jobs[0])
		if d.Bytes != 4*64<<20 || d.IOs != 4*512 || d.Latency.Count != d.IOs {
			t.Errorf("%s: %d bytes in %d I/O, %d latencies", name, d.Bytes, d.IOs, d.Latency.Count)
		}
		seconds := float64(d.RuntimeNanoseconds) / 1e9
		if got, want := d.BandwidthBytesPerSecond, math.Floor(float64(d.Bytes)/seconds); got != want {
			t.Errorf("%s: bandwidth %v, but %v by bytes and runtime", name, got, want)
		}
		if got, want := d.IOPS, float64(d.IOs)/seconds; math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v IOPS, but %v by count and runtime", name, got, want)
		}
	}
}

func TestParseOutputKeepsNotesAndLastDocument(t *testing.T) {
	write, read := string(fixture(t, "fio-3.39-write.json")), string(fixture(t, "fio-3.39-read.json"))
	in := "fio: before\n\n" + write + "fio: between\n" + read + "\n fio: after  "
	report, err := ParseOutput(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"fio: before", "fio: between", "fio: after"}, report.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if report.Jobs[0].Write != nil || report.Jobs[0].Read == nil {
		t.Error("not the last document")
	}
}

func TestParseOutputErrors(t *testing.T) {
	write := string(fixture(t, "fio-3.39-write.json"))
	tests := map[string]struct {
		in   string
		want string
	}{
		"empty":   {"", tool.Missing().Error()},
		"text":    {string(fixture(t, "fio-3.39-bad-option.txt")), tool.Missing().Error()},
		"no jobs": {"{\"fio version\": \"fio-3.39\"}\n", tool.Missing().Error()},
		"cut off": {write[:len(write)/2], "fio report: unexpected EOF"},
		"no percentiles": {strings.ReplaceAll(write, "99.900000", "99.500000"),
			"fio report: job 0: write: total latency has no percentile 99.900000"},
		"contradicts": {strings.ReplaceAll(write, `"N" : 2048`, `"N" : 2049`),
			"fio report: job 0: write: histogram counts 2048 of 2049 I/O"},
		"not fio's bins": {strings.Replace(write, `"bins" : {`, `"bins" : { "128": 1,`, 1),
			"fio report: job 0: write: histogram: 128 ns is not a bin at 6 bits"},
		"bins of letters": {strings.Replace(write, `"bins" : {`, `"bins" : { "x": 1,`, 1),
			`fio report: job 0: write: bin "x": strconv.ParseInt: parsing "x": invalid syntax`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := ParseOutput(strings.NewReader(tt.in))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestJobErrorNamesTheCause(t *testing.T) {
	_, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.39-write-enospc.json")))
	if want := "fio: job 0 failed: no space left on device"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReportSample(t *testing.T) {
	report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.39-randrw.json")))
	if err != nil {
		t.Fatal(err)
	}
	s, err := report.Sample(v1alpha1.FioWorkload{})
	if err != nil {
		t.Fatal(err)
	}
	job := report.Jobs[0]
	want := result.Sample{
		Tool: "fio", ToolVersion: "fio-3.39", Read: job.Read, Write: job.Write, ToolCPUSeconds: job.CPUSeconds,
		RuntimeNanoseconds: max(job.Read.RuntimeNanoseconds, job.Write.RuntimeNanoseconds),
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	layout, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.39-randrw-layout.json")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := layout.Sample(v1alpha1.FioWorkload{}); !errors.Is(err, ErrNoIO) {
		t.Errorf("layout: got %v, want %v", err, ErrNoIO)
	}
	var format *toolreport.FormatError
	if _, err := (Report{Jobs: make([]Job, 2)}).Sample(v1alpha1.FioWorkload{}); !errors.As(err, &format) {
		t.Errorf("two jobs: got %v, want a FormatError", err)
	}
}

// TestParseOutputTruncated proves that no part of a report is taken for one: every 97th prefix, and all that lack only
// a little.
func TestParseOutputTruncated(t *testing.T) {
	data := fixture(t, "fio-3.39-randrw.json")
	end := bytes.LastIndexByte(data, '}')
	for length := 0; length <= end; length++ {
		if length%97 != 0 && length < end-200 {
			continue
		}
		if report, err := ParseOutput(bytes.NewReader(data[:length])); err == nil {
			t.Fatalf("%d of %d bytes are read as %+v", length, len(data), report)
		}
	}
}

func TestParseOutputIsBounded(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"bytes": {strings.Repeat(" ", maxOutputBytes+1), "larger than 16777216 bytes"},
		"jobs":  {`{"jobs":[` + strings.Repeat("{},", maxJobs) + "{}]}", "more than 1024 jobs"},
		"notes": {strings.Repeat("note\n", maxNotes+1), tool.Missing().Error()},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			report, err := ParseOutput(strings.NewReader(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(report.Notes) > maxNotes {
				t.Errorf("got %v with %d notes, want %q", err, len(report.Notes), tt.want)
			}
		})
	}
}

// TestParseOutputImpossible holds reports that no fio writes.
func TestParseOutputImpossible(t *testing.T) {
	write := string(fixture(t, "fio-3.39-write.json"))
	tests := map[string]struct{ old, replacement, want string }{
		"negative bytes":      {`"io_bytes" : 268435456`, `"io_bytes" : -268435456`, "bytes: -268435456"},
		"another bandwidth":   {`"bw_bytes" : 13807697`, `"bw_bytes" : 1380769700`, "bandwidthBytesPerSecond"},
		"negative runtime":    {`"runtime" : 19441`, `"runtime" : -19441`, "runtime of -19441 ms"},
		"runtime overflows":   {`"runtime" : 19441`, `"runtime" : 9223372036854775807`, "runtime of"},
		"number too large":    {`"bw_bytes" : 13807697`, `"bw_bytes" : 1e400`, "cannot unmarshal"},
		"jobs of another age": {`"jobs" : [`, `"jobs" : {}, "old" : [`, "jobs is not a list"},
		"no CPU is so fast":   {`"usr_cpu" : `, `"usr_cpu" : 1e300, "old" : `, "CPU time"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := strings.Replace(write, tt.old, tt.replacement, 1)
			if strings.Contains(tt.old, "runtime") {
				in = strings.ReplaceAll(write, tt.old, tt.replacement)
			}
			var format *toolreport.FormatError
			_, err := ParseOutput(strings.NewReader(in))
			if !errors.As(err, &format) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a FormatError with %q", err, tt.want)
			}
		})
	}
}

// FuzzParseOutput looks for reports with numbers that a result document would not take.
func FuzzParseOutput(f *testing.F) {
	for _, name := range []string{"read.json", "write.json", "randrw.json", "randrw-status.json", "write-enospc.json",
		"layout-enospc.json", "bad-option.txt"} {
		f.Add(fixture(f, "fio-3.39-"+name))
	}
	f.Add(fixture(f, reportOf("fdatasync")+".json"))
	f.Add([]byte(`{"jobs":[{"write":{"total_ios":1},"sync":{"lat_ns":{"N":1,"percentile":{},"bins":{"-1":1}}}}]}`))
	f.Add([]byte(`{"jobs":[{"read":{"total_ios":1,"lat_ns":{"N":1,"percentile":{},"bins":{"-1":1}}}}]}`))
	f.Add([]byte(`{"jobs":[{"job_runtime":1,"usr_cpu":1e308,"write":{"total_ios":9223372036854775807,"runtime":-1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := ParseOutput(bytes.NewReader(data))
		var job *JobError
		if len(report.Notes) > maxNotes {
			t.Fatalf("%d notes", len(report.Notes))
		}
		if err != nil && !errors.As(err, &job) {
			return
		}
		if len(report.Jobs) == 0 || len(report.Jobs) > maxJobs {
			t.Fatalf("%d jobs", len(report.Jobs))
		}
		for _, j := range report.Jobs {
			if math.IsNaN(j.CPUSeconds) || j.CPUSeconds < 0 || j.CPUSeconds > maxCPUSeconds {
				t.Fatalf("%v seconds of CPU time", j.CPUSeconds)
			}
			for name, d := range directions(j) {
				if err := d.Check(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
	})
}
