// SPDX-License-Identifier: Apache-2.0

package pgbench

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/toolreport"
)

var (
	least      = v1alpha1.PgbenchWorkload{}
	everything = v1alpha1.PgbenchWorkload{
		Script: v1alpha1.PgbenchSelectOnly, Scale: 100, Clients: 32, Runtime: &metav1.Duration{Duration: 5 * time.Minute},
		SharedBuffers: ptr.To(resource.MustParse("1Gi")), FullPageWrites: ptr.To(false),
	}
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/pgbench-15.18-" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCommands(t *testing.T) {
	tests := map[string]struct {
		argv []string
		want string
	}{
		"the least": {
			Argv(least, "/target/w", "/out/report.json", 5, false),
			"runner pgbench --directory=/target/w --report=/out/report.json --script=TPCB --scale=10 --clients=1 " +
				"--runtime=1m0s --shared-buffers=134217728 --full-page-writes=true --seed=5",
		},
		"everything": {
			Argv(everything, "/target/w", "/out/report.json", 5, true),
			"runner pgbench --directory=/target/w --report=/out/report.json --script=SelectOnly --scale=100 --clients=32 " +
				"--runtime=5m0s --shared-buffers=1073741824 --full-page-writes=false --seed=5 --layout",
		},
		"the server": {
			Server(everything, "/b", "/t"),
			"/b/postgres -D /t/data -c listen_addresses= -c unix_socket_directories=/t -c dynamic_shared_memory_type=mmap -c " +
				"huge_pages=off -c max_connections=40 " +
				"-c shared_buffers=1024MB -c full_page_writes=false -c max_wal_size=1024MB -c log_min_messages=fatal",
		},
		"a new database": {Initdb("/b", "/t"),
			"/b/initdb -D /t/data -U zfsbench --auth=trust --encoding=UTF8 --no-locale --no-sync"},
		"its tables":      {Load(least, "/b", "/t"), "/b/pgbench -i -q -s 10 -h /t -U zfsbench postgres"},
		"whether it runs": {Ready("/b", "/t"), "/b/pg_isready -q -h /t -U zfsbench -d postgres"},
		"what measures": {Measure(least, "/b", "/t", 7<<33),
			"/b/pgbench -n -b tpcb-like -c 1 -j 1 -T 60 --random-seed=7 --log --log-prefix=/t/transactions -h /t -U zfsbench " +
				"postgres"},
		"what only reads": {
			Measure(everything, "/b", "/t", 0),
			"/b/pgbench -n -b select-only -c 32 -j 16 -T 300 --random-seed=0 --log --log-prefix=/t/transactions " +
				"--sampling-rate=0.1 -h /t -U zfsbench postgres",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, strings.Join(tt.argv, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is known of a workload before it runs.
func TestTool(t *testing.T) {
	type known struct {
		Describe          string
		Mebibytes         int
		Duration, Least   time.Duration
		Tasks             int
		Named, Layout     bool
		Synchronous, Data bool
	}
	tests := map[string]struct {
		workload v1alpha1.PgbenchWorkload
		want     known
	}{
		"the least": {least, known{
			"pgbench, script TPCB, scale 10, 1 client, for 1m0s, shared_buffers 128 MiB", 320 + 2048 + 60, 250 * time.Second,
			time.Minute, 130, true, true, true, true,
		}},
		"everything": {everything, known{
			"pgbench, script SelectOnly, scale 100, 32 clients, for 5m0s, shared_buffers 1 GiB, no full-page writes",
			3200 + 2048 + 300, 1120 * time.Second, 5 * time.Minute, 192, true, true, true, true,
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tool := Of(v1alpha1.Workload{Name: "w", Pgbench: &tt.workload})
			start, err := tool.Start(tools.Place{Directory: "/target", Output: "/out"})
			if err != nil || !start.Self || start.Argv[2] != "--directory=/target/w" {
				t.Errorf("%+v, %v", start, err)
			}
			got := known{
				tool.Describe(), int(tool.Bytes()) >> 20, tool.Duration(), tool.LeastDuration(), start.Limits.Tasks,
				start.NamedUser, tool.NeedsLayout(),
				tool.Synchronous(), tool.HasOwnData(),
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if Of(v1alpha1.Workload{Fio: &v1alpha1.FioWorkload{}}) != nil {
		t.Error("another tool's workload has a tool")
	}
	if got := Version("pgbench (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"); got != "pgbench-15.18" ||
		Version("pgbench") != "" {
		t.Errorf("version %q", got)
	}
}

func TestParse(t *testing.T) {
	tests := map[string]result.Operation{
		"tpcb":   {IOs: 2416, IOPS: 608.222126, RuntimeNanoseconds: 3972232},
		"select": {IOs: 45371, IOPS: 15145.769393, RuntimeNanoseconds: 2995621},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := Parse(bytes.NewReader(fixture(t, name+".txt")))
			p.RuntimeNanoseconds /= 1000
			if diff := cmp.Diff(result.Phase{Name: "transaction", Operation: want}, p); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	good := string(fixture(t, "tpcb.txt"))
	var missing *toolreport.MissingError
	if _, err := Parse(strings.NewReader(good[:len(good)/2])); !errors.As(err, &missing) {
		t.Errorf("half of it: %v", err)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"no transactions": {strings.Replace(good, "processed: 2416", "processed: 0", 1), "0 transactions"},
		"no rate":         {strings.Replace(good, "tps = 608.222126", "tps = 0.0.1", 1), "at 0.0.1 per second"},
		"failed transactions": {strings.Replace(good, "failed transactions: 0", "failed transactions: 3", 1),
			"3 transactions failed"},
	} {
		if _, err := Parse(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestParseLog(t *testing.T) {
	var all result.Recorder
	for _, name := range []string{"tpcb.log", "select.log"} {
		if err := ParseLog(bytes.NewReader(fixture(t, name)), &all); err != nil {
			t.Error(err)
		}
	}
	if got := all.Latency(); got.Count != 900 || got.MinNanoseconds != 30e3 || got.MaxNanoseconds != 90307e3 {
		t.Errorf("%d latencies from %d to %d ns", got.Count, got.MinNanoseconds, got.MaxNanoseconds)
	}
	for text, want := range map[string]string{
		"0 1 failed 0 1 2\n": "is not a latency", "0 1 -5 0 1 2\n": "is not a latency", "0 1 2\n": "is not a line",
		"0 1 NaN 0 1 2\n":                "is not a latency",
		strings.Repeat("9", 2000) + "\n": "more than 1024 bytes", "0 1 5 0 1 2": "cut off", "0 1 5\x00 0 1 2\n": "no text",
	} {
		if err := ParseLog(strings.NewReader(text), &all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// FuzzParse: whatever pgbench prints, it is a phase that a result may have, or an error.
func FuzzParse(f *testing.F) {
	f.Add(fixture(f, "tpcb.txt"))
	f.Add(fixture(f, "select.txt"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := Parse(bytes.NewReader(data)); err == nil && (p.IOs <= 0 || !(p.IOPS > 0) || p.RuntimeNanoseconds <= 0) {
			t.Errorf("%+v", p)
		}
	})
}

// FuzzParseLog: whatever is in a log, its latencies are possible.
func FuzzParseLog(f *testing.F) {
	f.Add(fixture(f, "select.log"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var all result.Recorder
		err := ParseLog(bytes.NewReader(data), &all)
		if got := all.Latency(); err == nil && got.Count > 0 && (got.MinNanoseconds < 0 || got.MaxNanoseconds > 1e15) {
			t.Errorf("%+v", got)
		}
	})
}
