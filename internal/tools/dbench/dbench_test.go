// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport/toolreporttest"
)

func runtime(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }

// captured are the workloads of the fixtures, by their names.
var captured = map[string]v1alpha1.DbenchWorkload{
	"default": {Clients: 2, Runtime: runtime(10 * time.Second)},
	"sync":    {Clients: 3, Runtime: runtime(5 * time.Second), SyncOpen: true, SyncDirectories: true, Fsync: true},
	"full":    {Clients: 2, Runtime: runtime(3 * time.Second)},
}

var reader = toolreporttest.Reader[v1alpha1.DbenchWorkload]{Parse: Parse, Fixtures: "dbench-4.00-", Extension: ".txt",
	Captured: captured}

func TestArgv(t *testing.T) {
	tests := map[string]struct {
		workload v1alpha1.DbenchWorkload
		want     string
	}{
		"the least":  {v1alpha1.DbenchWorkload{}, "dbench -D /target -t 600 1"},
		"default":    {captured["default"], "dbench -D /target -t 10 2"},
		"everything": {captured["sync"], "dbench -D /target -t 5 -s -S -F 3"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(Argv(tt.workload, "/target"), " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := Tasks(captured["sync"]); got != 4 {
		t.Errorf("%d processes", got)
	}
}

func TestParse(t *testing.T) {
	tests := map[string]struct {
		throughput float64
		seconds    int64
		// flush is the call that takes longest, in nanoseconds.
		flush result.Latency
		slow  []string
	}{
		"default": {203.151, 9, result.Latency{Count: 4689, MeanNanoseconds: 1493000, MaxNanoseconds: 16085000}, []string{
			"throughput", "ntCreateX", "rename", "unlink", "qpathinfo", "sfileinfo", "find", "writeX", "flush",
		}},
		"sync": {66.0883, 4, result.Latency{Count: 821, MeanNanoseconds: 368000, MaxNanoseconds: 4800000}, []string{
			"throughput", "ntCreateX", "rename", "unlink", "qpathinfo", "qfileinfo", "qfsinfo", "sfileinfo", "find", "writeX",
			"flush",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := Parse(strings.NewReader(reader.Fixture(t, name)), captured[name])
			if err != nil {
				t.Fatal(err)
			}
			want := result.Phase{Name: "throughput", Mixed: true, Operation: result.Operation{
				Bytes: int64(tt.throughput * 1e6 * float64(tt.seconds)), BandwidthBytesPerSecond: tt.throughput * 1e6,
				RuntimeNanoseconds: tt.seconds * 1e9,
			}}
			if diff := cmp.Diff(want, s.Phases[0]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			flush := result.Calls("flush", int(captured[name].Clients), tt.flush)
			if diff := cmp.Diff(flush, s.Phases[len(s.Phases)-1]); diff != "" || len(s.Phases) != 15 {
				t.Errorf("%d phases, the last (-want +got):\n%s", len(s.Phases), diff)
			}
			var slow []string
			for _, o := range s.Operations() {
				slow = append(slow, o.Name)
			}
			if diff := cmp.Diff(tt.slow, slow); diff != "" {
				t.Errorf("calls with a rate (-want +got):\n%s", diff)
			}
			for _, p := range s.Phases {
				if err := p.Check(); err != nil || !slices.Contains(captured[name].Operations(), v1alpha1.Operation(p.Name)) {
					t.Errorf("%s: %v", p.Name, err)
				}
			}
			if s.Tool != "dbench" || s.ToolVersion != "dbench-4.00" || s.RuntimeNanoseconds != tt.seconds*1e9 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	good := reader.Fixture(t, "default")
	reader.RefusesRates(t, "default", "203.151", "")
	reader.Refuses(t, map[string]toolreporttest.Hostile{
		"nothing":       {"", "default", tool.Missing().Error()},
		"no space":      {reader.Fixture(t, "full"), "full", tool.Missing().Error()},
		"cut off":       {good[:len(good)-80], "default", tool.Missing().Error()},
		"no version":    {strings.Replace(good, "dbench version", "dbench", 1), "default", "it has no version"},
		"other clients": {good, "sync", "is not a throughput of 3 clients"},
		"no time": {strings.ReplaceAll(good, "execute", "warmup"), "default",
			"it did not measure for a second"},
		"no number of requests": {strings.Replace(good, " 4689 ", " many ", 1), "default",
			"is not the number and latency of requests"},
		"a latency of words": {strings.Replace(good, " 1.493 ", " NaN ", 1), "default",
			"is not the number and latency of requests"},
		"latencies in a mess": {strings.Replace(good, " 1.493 ", " 99.49 ", 1), "default",
			"is not the number and latency of requests"},
	})
}

// How far dbench is comes from what it prints each second, once it measures.
func TestStatusDecoder(t *testing.T) {
	d := StatusDecoder{Workload: captured["default"]}
	var seen []int
	for _, b := range []byte(reader.Fixture(t, "default")) { // in pieces of any size
		if _, err := d.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
		if status, known := d.Last(); known && (len(seen) == 0 || seen[len(seen)-1] != status.Percent) {
			seen = append(seen, status.Percent)
		}
	}
	if diff := cmp.Diff([]int{10, 20, 30, 40, 50, 60, 70, 80, 90}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) { reader.Fuzz(f) }
