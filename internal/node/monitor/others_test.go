// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// processLines are the lines of the captured processes, by their numbers.
func processLines(t testing.TB) map[string]string {
	t.Helper()
	of := map[string]string{}
	for line := range strings.Lines(captured(t, "processes-linux-6.18.txt")) {
		pid, _, _ := strings.Cut(line, " ")
		of[pid] = line
	}
	return of
}

// busyNode is a node with the captured processes, of which this one is bash, and disks: vda with two partitions, vdb
// below the mapping dm-0, the hidden path of an NVMe disk, and a loop device.
func busyNode(t *testing.T) Kernel {
	t.Helper()
	root := t.TempDir()
	n := Kernel{Proc: filepath.Join(root, "proc"), Sys: filepath.Join(root, "sys")}
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	for pid, line := range processLines(t) {
		put(n.proc(pid, "stat"), line)
	}
	put(n.proc("stat"), "cpu  100 20 3000 40000 500 60 7 800 0 0\n")
	put(n.proc("acpi", "wakeup"), "")
	link("1923", n.proc("self"))
	put(n.proc("diskstats"), ""+
		"254 0 vda 9 0 1000 9 9 0 200 9 0 9 9\n254 1 vda1 9 0 400 9 9 0 100 9 0 9 9\n254 16 vdb 9 0 30 9 9 0 4 9 0 9 9\n"+
		"253 0 dm-0 9 0 30 9 9 0 4 9 0 9 9\n259 1 nvme0c0n1 9 0 5 9 9 0 5 9 0 9 9\n7 0 loop0 9 0 70 9 9 0 7 9 0 9 9\n")
	for name, number := range map[string]string{"vda": "254:0", "vda/vda1": "254:1", "vdb": "254:16", "dm-0": "253:0",
		"nvme0c0n1": "259:1", "loop0": "7:0"} {
		put(n.sys("devices", name, "dev"), number+"\n")
		link(n.sys("devices", name), n.sys("dev", "block", number))
		if !strings.Contains(name, "/") {
			link(n.sys("devices", name), n.sys("block", name))
		}
	}
	put(n.sys("devices", "vda", "vda1", "partition"), "1\n")
	put(n.sys("devices", "nvme0c0n1", "hidden"), "1\n")
	for _, hardware := range []string{"vda", "vdb", "nvme0c0n1"} {
		put(n.sys("devices", hardware, "device", "uevent"), "")
	}
	link(n.sys("devices", "vdb"), n.sys("devices", "dm-0", "slaves", "vdb"))
	return n
}

func TestOthers(t *testing.T) {
	vda1, vda, vdb, dm := DeviceNumber{254, 1}, DeviceNumber{254, 0}, DeviceNumber{254, 16}, DeviceNumber{253, 0}
	const ofVDA, ofVDB = 1200 * 512, 34 * 512
	tests := map[string]struct {
		used  []DeviceNumber
		disks int64
		fails bool
	}{
		"no device of ours":   {disks: ofVDA + ofVDB},
		"a disk":              {used: []DeviceNumber{vda}, disks: ofVDB},
		"a partition":         {used: []DeviceNumber{vda1}, disks: ofVDB},
		"below a mapping":     {used: []DeviceNumber{dm}, disks: ofVDA},
		"all":                 {used: []DeviceNumber{vda1, vdb}},
		"one that is no more": {used: []DeviceNumber{{9, 9}}, fails: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := busyNode(t).Others(tt.used)
			if (err != nil) != tt.fails {
				t.Fatal(err)
			}
			// Of the processes only etcd has worked, as bash is this one.
			want := Others{CPUSeconds: float64(1656+1030) / 100, StolenSeconds: 8, CapacitySeconds: 444.87, DiskBytes: tt.disks}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What ended a moment ago has no file any more, or one that cannot be read; that is no error.
func TestOthersWhileProcessesEnd(t *testing.T) {
	n := busyNode(t)
	before, err := n.Others(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(n.proc("4940", "stat")); err != nil {
		t.Fatal(err)
	}
	after, err := n.Others(nil)
	if err != nil || after != before {
		t.Errorf("%+v, %v; want %+v", after, err, before)
	}
	if err := os.WriteFile(n.proc("16073", "stat"), []byte("16073 (etcd) S 1 16073\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := n.Others(nil); err == nil {
		t.Errorf("half a line is read as %+v", got)
	}
}

func TestParseProcess(t *testing.T) {
	of := processLines(t)
	tests := map[string]struct {
		in    string
		want  process
		fails bool
	}{
		"kthreadd":             {in: of["2"], want: process{parent: 0, ticks: 1}},
		"a thread of kernel":   {in: of["15"], want: process{parent: 2, ticks: 102 + 2786}},
		"with children":        {in: of["1923"], want: process{parent: 1920, ticks: 4 + 7 + 236 + 90}},
		"a name with brackets": {in: of["4940"], want: process{parent: 4760}},
		"a name of two lines": {in: strings.Replace(of["16073"], "etcd", "a) S 2 0\nb\xff", 1),
			want: process{parent: 1, ticks: 1656 + 1030}},
		"no name":               {in: "1 2 3 4\n", fails: true},
		"nothing":               {fails: true},
		"too few fields":        {in: "1 (a) S 1 1 1 0 0 0 0 0 0 0 1 2 3\n", fails: true},
		"time that is negative": {in: "1 (a) S 1 1 1 0 0 0 0 0 0 0 -1 2 3 4\n", fails: true},
		"a parent that is none": {in: "1 (a) S x 1 1 0 0 0 0 0 0 0 1 2 3 4\n", fails: true},
		"cut off":               {in: strings.TrimSpace(of["16073"]), fails: true},
		"endless":               {in: "1 (a) S 1" + strings.Repeat(" 1", maxProcessBytes) + "\n", fails: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseProcess(strings.NewReader(tt.in))
			if (err != nil) != tt.fails || got != tt.want {
				t.Errorf("%+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestOthersSub(t *testing.T) {
	before, after := Others{CPUSeconds: 5, StolenSeconds: 1, CapacitySeconds: 100, DiskBytes: 7},
		Others{CPUSeconds: 7, StolenSeconds: 1.5, CapacitySeconds: 120, DiskBytes: 10}
	if got, want := after.Sub(before), (Others{2, 0.5, 20, 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := before.Sub(after); got != (Others{}) {
		t.Errorf("what is lost counts as %+v", got)
	}
}

// TestOthersOnThisMachine reads all processes of the machine the test runs on.
func TestOthersOnThisMachine(t *testing.T) {
	before, err := Kernel{}.Others(nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := Kernel{}.Others(nil)
	if err != nil || after.CPUSeconds <= 0 || after.CapacitySeconds < before.CapacitySeconds ||
		before.CapacitySeconds <= 0 {
		t.Errorf("before %+v, after %+v, error %v", before, after, err)
	}
}

// BenchmarkOthers is what a reading costs: processor time, also for each process and thread of the kernel, of which a
// node has hundreds.
func BenchmarkOthers(b *testing.B) {
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		b.Fatal(err)
	}
	worked := func() float64 {
		var usage unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return float64(usage.Utime.Nano() + usage.Stime.Nano())
	}
	before := worked()
	for b.Loop() {
		if _, err := (Kernel{}).Others(nil); err != nil {
			b.Fatal(err)
		}
	}
	each := (worked() - before) / float64(b.N)
	b.ReportMetric(each, "cpu-ns/op")
	b.ReportMetric(each/float64(len(entries)), "cpu-ns/process")
}
