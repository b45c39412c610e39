// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"zfsbench.io/operator/internal/text/lines"

	"zfsbench.io/operator/internal/testfiles"
)

// numberParsers read one number, which is less than limit, from a file of the kernel.
func numberParsers() map[string]struct {
	parse func(io.Reader) (float64, error)
	limit float64
} {
	number := func(v int64, err error) (float64, error) { return float64(v), err }
	return map[string]struct {
		parse func(io.Reader) (float64, error)
		limit float64
	}{
		"proc-stat-linux-6.12.txt": {func(r io.Reader) (float64, error) {
			times, err := parseCPUTimes(r)
			return times.busy, err
		}, math.MaxInt64 / ticksPerSecond},
		"meminfo-linux-6.12.txt": {func(r io.Reader) (float64, error) { return number(parseMemTotal(r)) }, 1 << 60},
		"arcstats-zfs-2.3.9.txt": {func(r io.Reader) (float64, error) { return number(parseARCMax(r)) }, math.MaxInt64},
		"iostats-zfs-2.3.9.txt": {func(r io.Reader) (float64, error) {
			b, err := parseDirectBytes(r)
			return float64(b.Read), errors.Join(err, negative(b.Written))
		}, math.MaxInt64},
		"block-stat-linux-6.12.txt": {func(r io.Reader) (float64, error) {
			b, err := parseBlockStat(r)
			return float64(b.Read), errors.Join(err, negative(b.Written))
		}, 1 << 57},
	}
}

func negative(n int64) error {
	if n < 0 {
		return errors.New("negative")
	}
	return nil
}

func captured(t testing.TB, name string) string {
	t.Helper()
	return testfiles.Read(t, "testdata", name)
}

// TestNoNumberOfAPart reads every part of the captured files, from the beginning: it is the whole's number, or an
// error.
func TestNoNumberOfAPart(t *testing.T) {
	for name, test := range numberParsers() {
		whole := captured(t, name)
		want, err := test.parse(strings.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		for length := range len(whole) {
			if got, err := test.parse(strings.NewReader(whole[:length])); err == nil && got != want {
				t.Fatalf("%s: %d of %d bytes are read as %v, want %v or an error", name, length, len(whole), got, want)
			}
		}
	}
}

// FuzzNumbers looks for files that the kernel may show and that are read as numbers there are none of.
func FuzzNumbers(f *testing.F) {
	for name := range numberParsers() {
		f.Add(captured(f, name))
	}
	for _, seed := range []string{
		"cpu -1 -1 -1 0 0 -1 -1 0\n", "cpu 9223372036854775807 9223372036854775807 1 0 0 1 1 0\n",
		"MemTotal: 9223372036854775807 kB\n", "MemTotal: -1 kB\n",
		"c_max 4 -1\n", "0 0 9223372036854775807 0 0 0 -1 0 0 0 0\n", "cpu 1 2 3 4 5 6 7 8", "\xff\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, test := range numberParsers() {
			if got, err := test.parse(strings.NewReader(text)); err == nil && (math.IsNaN(got) || got < 0 || got > test.limit) {
				t.Fatalf("%s: read as %v", name, got)
			}
		}
	})
}

// FuzzProcess does the same for processes and disks: their times and bytes are none that a sum could not hold.
func FuzzProcess(f *testing.F) {
	for line := range strings.Lines(captured(f, "processes-linux-6.18.txt")) {
		f.Add(line)
	}
	f.Add(captured(f, "diskstats-linux-6.18.txt"))
	f.Add("1 (a) S 1 1 1 0 0 0 0 0 0 0 1099511627775 1099511627775 1099511627775 1099511627775\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parseProcess(strings.NewReader(text))
		if err == nil && (p.ticks >= 4<<processTicksBits || !strings.Contains(text, ")")) {
			t.Fatalf("process: %+v", p)
		}
		disks, err := parseDiskStats(strings.NewReader(text))
		if err != nil && disks != nil {
			t.Fatalf("disks %v with %v", disks, err)
		}
		for name, moved := range disks {
			if moved < 0 || moved%sectorBytes != 0 {
				t.Fatalf("disk %s moved %d bytes", name, moved)
			}
		}
	})
}

// FuzzTexts does the same for names and values.
func FuzzTexts(f *testing.F) {
	for _, name := range []string{"cpuinfo-linux-6.12.txt", "os-release-debian-13.txt"} {
		f.Add(captured(f, name))
	}
	f.Add("processor : 0\nmodel name : \xff\n")
	f.Add("PRETTY_NAME=\"a")
	f.Fuzz(func(t *testing.T, text string) {
		info, err := parseCPUInfo(strings.NewReader(text))
		if err == nil && (info.count < 1 || info.count > strings.Count(text, "\n") || !utf8.ValidString(info.model)) {
			t.Fatalf("cpuinfo: %+v", info)
		}
		if name, err := parsePrettyName(strings.NewReader(text)); err == nil &&
			(!utf8.ValidString(name) || strings.Contains(name, "\n")) {
			t.Fatalf("os-release: %q", name)
		}
		value, err := parseValue(strings.NewReader(text))
		if err == nil && (len(text) > maxValueBytes || value != strings.TrimSpace(value) || !utf8.ValidString(value)) {
			t.Fatalf("value: %q", value)
		}
	})
}

func TestFilesAreBounded(t *testing.T) {
	var limit *lines.LimitError
	long := strings.Repeat("x", lines.MaxLineBytes+1)
	for name, parse := range map[string]func(io.Reader) (any, error){
		"stat": boxed(parseCPUTimes), "block stat": boxed(parseBlockStat), "meminfo": boxed(parseMemTotal),
		"cpuinfo":    boxed(parseCPUInfo),
		"os-release": boxed(parsePrettyName), "value": boxed(parseValue),
		"kstat": boxed(parseARCMax),
	} {
		if _, err := parse(strings.NewReader(long)); !errors.As(err, &limit) {
			t.Errorf("%s: got %v, want a LimitError", name, err)
		}
	}
}
