// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

func TestParsersOnRealFiles(t *testing.T) {
	tests := map[string]struct {
		parse func(io.Reader) (any, error)
		want  any
	}{
		"proc-stat-linux-6.12.txt": {boxed(parseCPUTimes),
			cpuTimes{busy: 47.58 + 97.26 + 3.34, capacity: 47.58 + 97.26 + 207.51 + 0.57 + 3.34}},
		"diskstats-linux-6.18.txt": {boxed(parseDiskStats), map[string]int64{
			"loop0": (2528 + 104) * 512, "loop1": 0, "loop2": 0, "loop3": 0, "loop4": 0, "loop5": 0, "loop6": 0, "loop7": 0,
			"vda": (229593852 + 280977059) * 512, "zram0": 0,
		}},
		"block-stat-linux-6.12.txt": {boxed(parseBlockStat),
			Moved{Read: 278674 * 512, Written: 668904 * 512, Reads: 2349, Writes: 924}},
		"meminfo-linux-6.12.txt":   {boxed(parseMemTotal), int64(5041528 << 10)},
		"cpuinfo-linux-6.12.txt":   {boxed(parseCPUInfo), cpuInfo{count: 2, model: "QEMU TCG CPU version 2.5+"}},
		"os-release-debian-13.txt": {boxed(parsePrettyName), "Debian GNU/Linux 13 (trixie)"},
		"arcstats-zfs-2.3.9.txt": {
			boxed(parseARCMax), int64(4088782848),
		},
		"iostats-zfs-2.3.9.txt": {boxed(parseDirectBytes), Moved{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			got, err := test.parse(f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(cpuInfo{}, cpuTimes{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParsersRefuse(t *testing.T) {
	kstat := parseARCMax
	tests := map[string]struct {
		parse func(io.Reader) (any, error)
		in    string
	}{
		"stat without cpu":          {boxed(parseCPUTimes), "cpu0 1 2 3 4 5 6 7 8\n"},
		"stat too short":            {boxed(parseCPUTimes), "cpu 1 2 3 4 5 6 7\n"},
		"stat no number":            {boxed(parseCPUTimes), "cpu 1 2 x 4 5 6 7 8\n"},
		"diskstats too short":       {boxed(parseDiskStats), "254 0 vda 1 2 3 4 5 6 7 8 9 10\n"},
		"diskstats no number":       {boxed(parseDiskStats), "254 0 vda 1 2 x 4 5 6 7 8 9 10 11\n"},
		"block stat too short":      {boxed(parseBlockStat), "1 2 3"},
		"block stat no number":      {boxed(parseBlockStat), "1 2 x 4 5 6 7 8 9 10 11"},
		"meminfo in other units":    {boxed(parseMemTotal), "MemTotal: 5 MB\n"},
		"cpuinfo empty":             {boxed(parseCPUInfo), ""},
		"os-release without a name": {boxed(parsePrettyName), "ID=x\n"},
		"kstat without the value":   {boxed(kstat), "c_min 4 5\n"},
		"kstat no number":           {boxed(kstat), "c_max 4 x\n"},
		"iostats no number":         {boxed(parseDirectBytes), "direct_read_bytes 4 -1\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := test.parse(strings.NewReader(test.in)); err == nil {
				t.Errorf("no error but %v", got)
			}
		})
	}
}

func boxed[T any](parse func(io.Reader) (T, error)) func(io.Reader) (any, error) {
	return func(r io.Reader) (any, error) { return parse(r) }
}

// The captured file counts no direct I/O; with some, the counters are the numbers of bytes.
func TestDirectBytes(t *testing.T) {
	captured, err := os.ReadFile(filepath.Join("testdata", "iostats-zfs-2.3.9.txt"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("direct_read_bytes               4    0", "direct_read_bytes               4    4096",
		"direct_write_bytes              4    0", "direct_write_bytes              4    1048576").Replace(string(captured))
	got, err := parseDirectBytes(strings.NewReader(text))
	if want := (Moved{Read: 4096, Written: 1 << 20}); err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := fakeNode(t).DirectBytes("tank"); err != nil || got != (Moved{}) {
		t.Errorf("of an OpenZFS without these counters: %+v, %v", got, err)
	}
}

// fakeNode makes a /proc and /sys from the files of a real node.
func fakeNode(t *testing.T) Kernel {
	t.Helper()
	root := t.TempDir()
	put := func(text string, path ...string) {
		full := filepath.Join(append([]string{root}, path...)...)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	captured := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	put(captured("proc-stat-linux-6.12.txt"), "proc", "stat")
	put(captured("meminfo-linux-6.12.txt"), "proc", "meminfo")
	put(captured("cpuinfo-linux-6.12.txt"), "proc", "cpuinfo")
	put(captured("arcstats-zfs-2.3.9.txt"), "proc", "spl", "kstat", "zfs", "arcstats")
	put(captured("os-release-debian-13.txt"), "host", "usr", "lib", "os-release")
	put("SUSPENDED\n", "proc", "spl", "kstat", "zfs", "tank", "state")
	put("6.12.107+deb13-cloud-amd64\n", "proc", "sys", "kernel", "osrelease")
	put("9cfbdfa1-84ee-4300-a531-01db73811dce\n", "proc", "sys", "kernel", "random", "boot_id")
	put("5\n", "sys", "module", "zfs", "parameters", "zfs_txg_timeout")
	put("0\n", "sys", "module", "spl", "parameters", "spl_hostid")
	put(captured("block-stat-linux-6.12.txt"), "sys", "dev", "block", "254:0", "stat")
	put("1 0 10 0 5 0 20 0 0 0 0\n", "sys", "dev", "block", "8:1", "stat")
	return Kernel{Proc: filepath.Join(root, "proc"), Sys: filepath.Join(root, "sys"),
		HostRoot: filepath.Join(root, "host")}
}

func TestFacts(t *testing.T) {
	want := result.NodeFacts{
		Kernel: "6.12.107+deb13-cloud-amd64", OS: "Debian GNU/Linux 13 (trixie)", CPUModel: "QEMU TCG CPU version 2.5+",
		CPUs:        2,
		MemoryBytes: 5041528 << 10, ARCMaxBytes: 4088782848, BootID: "9cfbdfa1-84ee-4300-a531-01db73811dce",
		ModuleParameters: map[string]string{"zfs.zfs_txg_timeout": "5", "spl.spl_hostid": "0"},
	}
	got, err := fakeNode(t).Facts()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNodeWithoutModule(t *testing.T) {
	n := Kernel{Proc: t.TempDir(), Sys: t.TempDir()}
	if n.ModuleLoaded() || !fakeNode(t).ModuleLoaded() {
		t.Error("module loaded is wrong")
	}
	if _, err := n.Facts(); err == nil {
		t.Error("no error without a module")
	}
}

func TestPoolState(t *testing.T) {
	n := fakeNode(t)
	if got, err := n.PoolState("tank"); got != StateSuspended || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := n.PoolState("other"); err == nil {
		t.Errorf("a pool that is not imported is %q", got)
	}
}

func TestDeviceBytes(t *testing.T) {
	vda, sda1 := DeviceNumber{254, 0}, DeviceNumber{8, 1}
	tests := map[string]struct {
		devices []DeviceNumber
		want    Moved
		fails   bool
	}{
		"none": {},
		"one":  {devices: []DeviceNumber{sda1}, want: Moved{Read: 5120, Written: 10240, Reads: 1, Writes: 5}},
		"two": {devices: []DeviceNumber{sda1, vda},
			want: Moved{Read: 5120 + 278674*512, Written: 10240 + 668904*512, Reads: 1 + 2349, Writes: 5 + 924}},
		"one twice": {devices: []DeviceNumber{sda1, sda1}, want: Moved{Read: 5120, Written: 10240, Reads: 1, Writes: 5}},
		"gone":      {devices: []DeviceNumber{sda1, {9, 9}}, fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := fakeNode(t).DeviceBytes(test.devices)
			if (err != nil) != test.fails {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlockDevice(t *testing.T) {
	if got, err := (Kernel{}).BlockDevice("/proc/stat"); err == nil {
		t.Errorf("procfs is on block device %v", got)
	}
	if _, err := (Kernel{}).BlockDevice(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("no error for a missing file")
	}
}

func TestMovedSub(t *testing.T) {
	if got, want := (Moved{5, 7, 9, 11}).Sub(Moved{1, 2, 3, 4}), (Moved{4, 5, 6, 7}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestThisMachine reads the counters of the machine the test runs on: they exist and only grow.
func TestThisMachine(t *testing.T) {
	before, err := Kernel{}.CPUSeconds()
	if err != nil {
		t.Fatal(err)
	}
	after, err := Kernel{}.CPUSeconds()
	if err != nil || after < before || before <= 0 {
		t.Errorf("before %v, after %v, error %v", before, after, err)
	}
}
