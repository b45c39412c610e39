// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/series"
)

// withLog is a captured zil kstat of a pool that has a log, too.
func withLog(text string) string {
	text = strings.Replace(text, "zil_itx_metaslab_slog_count     4    0", "zil_itx_metaslab_slog_count     4    2", 1)
	return strings.Replace(text, "zil_itx_metaslab_slog_bytes     4    0", "zil_itx_metaslab_slog_bytes     4    8192", 1)
}

func TestParsersOfEverySecond(t *testing.T) {
	zil, txgs := captured(t, "zil-zfs-2.3.9.txt"), captured(t, "txgs-zfs-2.3.9.txt")
	tests := map[string]struct {
		parse func(io.Reader) (any, error)
		text  string
		want  any
		// partial says that a part of it is something whole, too, if it ends where a line does.
		partial bool
	}{
		"stat": {boxed(parseCores), captured(t, "proc-stat-linux-6.12.txt"), series.CPU{
			All: series.CPUTime{User: 47.58, System: 97.26, Interrupts: 3.34, IOWait: 0.57, Idle: 207.51},
			Cores: []series.CPUTime{
				{User: 23.76, System: 48.62, Interrupts: 1.69, IOWait: 0.22, Idle: 104.03},
				{User: 23.82, System: 48.63, Interrupts: 1.65, IOWait: 0.34, Idle: 103.48},
			},
		}, true},
		"meminfo": {boxed(parseMemory), captured(t, "meminfo-linux-6.12.txt"),
			series.Memory{Available: 4629524 << 10, Cached: 274196 << 10, Dirty: 224 << 10}, false},
		"block stat": {boxed(parseDevice), captured(t, "block-stat-linux-6.12.txt"), series.Device{
			Reads: 2349, Writes: 924, Flushes: 146, ReadBytes: 278674 * 512, WrittenBytes: 668904 * 512, ReadNanoseconds: 2020e6,
			WriteNanoseconds: 2162e6, FlushNanoseconds: 113e6,
			BusyNanoseconds: 2556e6, QueuedNanoseconds: 4295e6,
		}, false},
		"block stat before Linux 4.18": {boxed(parseDevice), "1 0 8 2 1 0 8 3 0 4 5\n", series.Device{
			Reads: 1, Writes: 1, ReadBytes: 4096, WrittenBytes: 4096, ReadNanoseconds: 2e6, WriteNanoseconds: 3e6,
			BusyNanoseconds: 4e6, QueuedNanoseconds: 5e6,
		}, false},
		"pressure": {boxed(parseStall), captured(t, "pressure-io-linux-6.18.txt"),
			stall{some: 240.146845, full: 105.123189}, true},
		"pressure of CPUs before Linux 5.13": {boxed(parseStall), "some avg10=0.00 avg60=0.00 avg300=0.00 total=1500000\n",
			stall{some: 1.5}, true},
		"arcstats": {boxed(parseARC), captured(t, "arcstats-zfs-2.3.9.txt"), series.ARC{Size: 960, Target: 161328896},
			false},
		"zil": {boxed(parseZIL), zil, series.ZIL{Commits: 287, PoolWrites: 1286, PoolBytes: 142697056}, false},
		"zil of a log": {boxed(parseZIL), withLog(zil),
			series.ZIL{Commits: 287, PoolWrites: 1286, PoolBytes: 142697056, LogWrites: 2, LogBytes: 8192}, false},
		"dmu_tx": {boxed(parseTransactions), captured(t, "dmu_tx-zfs-2.3.9.txt"), series.Transactions{Assigned: 6040614},
			false},
		"txgs": {boxed(parseTxgs), txgs, []series.Txg{
			{ID: 23, WrittenBytes: 544256, OpenNanoseconds: 3008078692, QuiesceNanoseconds: 51890, WaitNanoseconds: 716460,
				SyncNanoseconds: 3293214759},
			{ID: 24, OpenNanoseconds: 3332275994, QuiesceNanoseconds: 50900, WaitNanoseconds: 196929, SyncNanoseconds: 1367541},
			{ID: 25, WrittenBytes: 544256, OpenNanoseconds: 72229176, QuiesceNanoseconds: 47527, WaitNanoseconds: 213150,
				SyncNanoseconds: 3096682986},
			{ID: 26, OpenNanoseconds: 3113679596, QuiesceNanoseconds: 54900, WaitNanoseconds: 168907, SyncNanoseconds: 7330402},
		}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := test.parse(strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(stall{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// What is cut off is an error, or says the same.
			for length := range len(test.text) {
				if part, err := test.parse(strings.NewReader(test.text[:length])); err == nil &&
					!cmp.Equal(part, got, cmp.AllowUnexported(stall{})) && (!test.partial || test.text[length-1] != '\n') {
					t.Fatalf("%d of %d bytes are read as %+v", length, len(test.text), part)
				}
			}
		})
	}
}

func TestParsersOfEverySecondRefuse(t *testing.T) {
	const head = "txg birth state ndirty nread nwritten reads writes otime qtime wtime stime\n"
	tests := map[string]struct {
		parse func(io.Reader) (any, error)
		text  string
	}{
		"stat without CPUs":           {boxed(parseCores), "intr 1\n"},
		"stat, one CPU of no numbers": {boxed(parseCores), "cpu 1 2 3 4 5 6 7 8\ncpu0 x 2 3 4 5 6 7 8\n"},
		"meminfo without a value":     {boxed(parseMemory), "Cached: 1 kB\nDirty: 1 kB\nWriteback: 0 kB\n"},
		"device of too few fields":    {boxed(parseDevice), "1 0 8 2\n"},
		"device of no numbers":        {boxed(parseDevice), "1 0 8 2 1 0 8 3 0 x 5\n"},
		"pressure of nothing":         {boxed(parseStall), ""},
		"pressure without a total":    {boxed(parseStall), "some avg10=0.00\n"},
		"pressure of no number":       {boxed(parseStall), "some avg10=0.00 total=x\n"},
		"arcstats without a size":     {boxed(parseARC), "c 4 1\ndemand_data_hits 4 1\ndemand_data_misses 4 1\n"},
		"zil without commits": {boxed(parseZIL),
			"zil_itx_metaslab_normal_bytes 4 1\nzil_itx_metaslab_slog_bytes 4 1\n"},
		"dmu_tx without transactions": {boxed(parseTransactions), "dmu_tx_dirty_delay 4 1\ndmu_tx_dirty_over_max 4 1\n"},
		"txgs of nothing":             {boxed(parseTxgs), ""},
		"txgs without a column":       {boxed(parseTxgs), "txg birth state\n"},
		"txgs with a column twice":    {boxed(parseTxgs), strings.Replace(head, "nread", "txg", 1)},
		"txgs of too few fields":      {boxed(parseTxgs), head + "1 2 C\n"},
		"txgs of no number":           {boxed(parseTxgs), head + "1 2 C 3 4 5 6 7 8 9 10 -1\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := test.parse(strings.NewReader(test.text)); err == nil {
				t.Errorf("read as %+v", got)
			}
		})
	}
}

// watchedNode has everything that is looked at.
func watchedNode(t testing.TB) Kernel {
	t.Helper()
	root := t.TempDir()
	n := Kernel{Proc: filepath.Join(root, "proc"), Sys: filepath.Join(root, "sys")}
	for path, text := range map[string]string{
		n.proc("stat"): captured(t, "proc-stat-linux-6.12.txt"), n.proc("meminfo"): captured(t, "meminfo-linux-6.12.txt"),
		n.kstat("arcstats"): captured(t, "arcstats-zfs-2.3.9.txt"), n.kstat("zil"): captured(t, "zil-zfs-2.3.9.txt"),
		n.kstat("dmu_tx"): captured(t, "dmu_tx-zfs-2.3.9.txt"), n.kstat("bench", "txgs"): captured(t, "txgs-zfs-2.3.9.txt"),
		n.sys("dev", "block", "8:1", "stat"):             captured(t, "block-stat-linux-6.12.txt"),
		n.sys("dev", "block", "8:17", "stat"):            "1 0 8 2 1 0 8 3 0 4 5\n",
		n.proc("pressure", "cpu"):                        captured(t, "pressure-io-linux-6.18.txt"),
		n.proc("pressure", "io"):                         captured(t, "pressure-io-linux-6.18.txt"),
		n.proc("pressure", "memory"):                     captured(t, "pressure-io-linux-6.18.txt"),
		n.sys("class", "hwmon", "hwmon0", "temp1_input"): "41500\n",
		n.sys("class", "hwmon", "hwmon1", "temp1_input"): "55000\n",
		n.sys("class", "hwmon", "hwmon1", "temp2_input"): "2147483647\n",
		n.sys("class", "hwmon", "hwmon1", "temp3_input"): "broken\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func TestObserve(t *testing.T) {
	sda1, sdb1, gone := DeviceNumber{8, 1}, DeviceNumber{8, 17}, DeviceNumber{9, 9}
	n := watchedNode(t)
	whole, err := n.Observe("bench", []DeviceNumber{sda1, gone, sdb1}, true)
	if err != nil {
		t.Fatal(err)
	}
	if whole.At.IsZero() || whole.CPU == nil || whole.Memory == nil || whole.ARC == nil || whole.ZIL == nil ||
		whole.Transactions == nil || len(whole.Txgs) != 4 || whole.Pressure == nil {
		t.Errorf("%+v", whole)
	}
	if d := whole.Devices; len(d) != 3 || d[0] == nil || d[0].Reads != 2349 || d[1] != nil || d[2] == nil ||
		d[2].Reads != 1 {
		t.Errorf("devices %+v", d)
	}
	if whole.HottestCelsius == nil || *whole.HottestCelsius != 55 {
		t.Errorf("temperature %v", whole.HottestCelsius)
	}
	if again, err := n.Observe("", nil, false); err != nil || again.Txgs != nil || again.HottestCelsius != nil ||
		len(again.Devices) != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	if bare, err := (Kernel{Proc: t.TempDir(), Sys: t.TempDir()}).Observe("bench", []DeviceNumber{sda1},
		true); err != nil || bare.CPU != nil || bare.ARC != nil || bare.Txgs != nil || bare.Pressure != nil {
		t.Errorf("a node without anything: %+v, %v", bare, err)
	}
	if err := os.WriteFile(n.kstat("zil"), []byte("zil_commit_count 4 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if broken, err := n.Observe("bench", nil, false); err == nil || broken.ZIL != nil || broken.ARC == nil {
		t.Errorf("a broken kstat: %+v, %v", broken, err)
	}
}

func TestObserveThisMachine(t *testing.T) {
	got, err := Kernel{}.Observe("", nil, true)
	if err != nil || got.CPU == nil || len(got.CPU.Cores) == 0 || got.Memory == nil || got.Memory.Available <= 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// BenchmarkObserve measures what a look costs, of the second that it is for: with a pool of eight devices and a hundred
// txgs, the most that the module remembers.
func BenchmarkObserve(b *testing.B) {
	n := watchedNode(b)
	head, line, _ := strings.Cut(captured(b, "txgs-zfs-2.3.9.txt"), "\n")
	line, _, _ = strings.Cut(line, "\n")
	if err := os.WriteFile(n.kstat("bench", "txgs"), []byte(head+"\n"+strings.Repeat(line+"\n", 100)), 0o644); err != nil {
		b.Fatal(err)
	}
	useRealProc(b, n)
	devices := make([]DeviceNumber, 8)
	names := make([]string, len(devices))
	for i := range devices {
		devices[i], names[i] = DeviceNumber{8, 1}, string(rune('a'+i))
	}
	collector := series.NewCollector(0, names)
	worked := func() float64 {
		var usage unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return float64(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before := worked()
	for b.Loop() {
		o, err := n.Observe("bench", devices, false)
		if err != nil {
			b.Fatal(err)
		}
		collector.Add(o)
	}
	each := (worked() - before) / float64(b.N)
	b.ReportMetric(each, "cpu-ns/op")
	b.ReportMetric(100*each/1e9, "%-of-a-core")
}

// useRealProc takes the kernel's own files where this machine has them: to read them is to have the kernel count.
func useRealProc(b *testing.B, n Kernel) {
	b.Helper()
	for _, path := range []string{"stat", "meminfo", "pressure"} {
		if err := os.RemoveAll(n.proc(path)); err != nil {
			b.Fatal(err)
		}
		if err := os.Symlink("/proc/"+path, n.proc(path)); err != nil {
			b.Fatal(err)
		}
	}
}
