// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	seedMaps = "00400000-0040b000 r--p 00000000 08:01 131 /usr/bin/cat\n7f0000000000-7f0000001000 rw-p 00000000 00:00 0 " +
		"\n" +
		"7f0000002000-7f0000003000 rw-s 00000000 00:05 99                         /dev/a b\n"
	seedRing = "pos:\t0\nSQEs:\t1\n    0: opcode:1\nUserFiles:\t2\n    0: <none>\n    1: /dev/sda\nUserBufs:\t1\n    0: " +
		"0x1/2\n"
)

func TestParseMaps(t *testing.T) {
	got, err := parseMaps(strings.NewReader(seedMaps))
	want := []mapping{{"400000-40b000", "08:01 131 /usr/bin/cat"}, {"7f0000002000-7f0000003000", "00:05 99 /dev/a b"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestParseRing(t *testing.T) {
	got, err := parseRing(strings.NewReader(seedRing))
	if diff := cmp.Diff([]string{"<none>", "/dev/sda"}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	escaped := "UserFiles:\t2\n    0: /srv/a\\040b\\134c\\040(deleted)\n    1: sdb\n"
	got, err = parseRing(strings.NewReader(escaped))
	if diff := cmp.Diff([]string{`/srv/a b\c (deleted)`, "sdb"}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	sparse := "UserFiles:\t64\n    3: \n    7: vdb\nUserBufs:\t0\n"
	if got, err := parseRing(strings.NewReader(sparse)); err != nil || !slices.Contains(got, "vdb") {
		t.Errorf("a table of which only what is used is listed: %q, error %v", got, err)
	}
	for _, busy := range []string{"", "pos:\t0\n", "UserFiles:\t1\n", "UserFiles:\t1\nUserBufs:\t0\n"} {
		if _, err := parseRing(strings.NewReader(busy)); !errors.Is(err, errRingBusy) {
			t.Errorf("%q: error %v", busy, err)
		}
	}
	if _, err := parseRing(strings.NewReader("UserFiles:\tx\n")); err == nil || errors.Is(err, errRingBusy) {
		t.Errorf("garbage: error %v", err)
	}
}

// TestOrdinaryFiles: only what surely is no device is remembered as none, for all processes.
func TestOrdinaryFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]bool{file: true, file + "-gone": false, "/dev/null": false} {
		found := opened{block: map[Number]bool{}, character: map[Number]bool{}}
		if got := (machine{root: "/", devices: linux{}}).addDevice(&found, link); got != want {
			t.Errorf("%s: ordinary %t, want %t", link, got, want)
		}
	}
}

// TestFilesOfARing: what is no block device keeps no disk from being used.
func TestFilesOfARing(t *testing.T) {
	for name, files := range map[string]string{
		"an ordinary file": `    0: /srv/data\n`, "a socket": `    0: socket:[4711]\n`,
		"memory":  `    0: /memfd:x\\040y\\040(deleted)\n`,
		"nothing": `    0: <none>\n`, "a name alone": `    0: data\n`,
	} {
		t.Run(name, func(t *testing.T) {
			lines := ring(`UserFiles:\t1\n` + files)(fixture(t, "node-busy-linux-6.12.107"))
			b := newBench(t, lines+"file\t/proc/30840/root/srv/data\tdata\n")
			if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestProcessesAreLookedAtOnce: to look at every file of every process takes long on a large node, so all disks of a
// check share it, and so do disks that are partitioned, or given back, one after the other. It is not shared for long.
func TestProcessesAreLookedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := freeBench(t)
		counted := func(do func()) int {
			before := b.asked
			do()
			return b.asked - before
		}
		opened := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		once := counted(func() { opened(b.guard.CheckAll(t.Context(), []Want{wantD0()})[0].Refusal) })
		again := wantD0()
		again.Name, again.Path = "d9", "/dev/vdc"
		if got := counted(func() {
			b.guard.CheckAll(t.Context(), []Want{wantD0(), again, wantD0()})
		}); once == 0 || got != once {
			t.Errorf("three disks: %d questions, one: %d", got, once)
		}
		partition := func() {
			look, err := b.guard.readHostState(t.Context(), poolListAge)
			opened(err)
			b.guard.shareOpens(look, b.guard.opensBefore)
			d0 := diskD0()
			opened(b.guard.checkOpen(t.Context(), look, &d0))
		}
		if first, second := counted(partition), counted(partition); first != once || second != 0 {
			t.Errorf("two disks that are partitioned: %d and %d questions, want %d and none", first, second, once)
		}
		<-time.After(openListAge)
		if got := counted(partition); got != once {
			t.Errorf("one that is partitioned later: %d questions, want %d", got, once)
		}
	})
}

// FuzzParseMaps writes lines as the kernel does, and wants back every mapping of a file, with its name in map_files.
func FuzzParseMaps(f *testing.F) {
	f.Add(uint64(0x400000), uint64(0x40b000), uint64(131), "/usr/bin/cat")
	f.Add(uint64(0), uint64(0x1000), uint64(99), "/dev/a b (deleted)")
	f.Add(uint64(0x7f0000000000), uint64(0x7f0000001000), uint64(0), "[heap]")
	f.Fuzz(func(t *testing.T, from, to, inode uint64, path string) {
		path = strings.ReplaceAll(strings.ToValidUTF8(path, "?"), "\n", `\012`)
		line := fmt.Sprintf("%08x-%08x rw-p %08x %02x:%02x %d ", from, to, 0, 8, 1, inode)
		got, err := parseMaps(strings.NewReader(fmt.Sprintf("%-73s%s\n", line, path)))
		var want []mapping
		if inode != 0 {
			file := append([]string{"08:01", fmt.Sprint(inode)}, strings.Fields(path)...)
			want = []mapping{{fmt.Sprintf("%x-%x", from, to), strings.Join(file, " ")}}
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%q: error %v (-want +got):\n%s", line+path, err, diff)
		}
	})
}

// FuzzParseRing writes the list of an io_uring's files as the kernel does, and wants back every one of them, whatever
// it is called, and nothing of what follows. A list without an entry is no list.
func FuzzParseRing(f *testing.F) {
	f.Add("/dev/sda", false, uint8(0))
	f.Add("/dev/sd a\t\n\\ (deleted)", true, uint8(7))
	f.Add("UserFiles:", true, uint8(1))
	f.Add("1: x", false, uint8(2))
	f.Fuzz(func(t *testing.T, path string, hasFree bool, more uint8) {
		// An old kernel escapes nothing, so white space around a name looks like the white space of the list.
		path = "/" + strings.NewReplacer("\r", "", "\v", "", "\f", "", "\u0085", "", "\u00a0",
			"").Replace(strings.ToValidUTF8(path, ""))
		kernel := strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`, "\n", `\012`)
		text := fmt.Sprintf("pos:\t0\nSQEs:\t1\n    0: opcode:1\nUserFiles:\t%d\n", 2+int(more))
		want := []string{path, "sdb"}
		if busy, err := parseRing(strings.NewReader(text + "UserBufs:\t0\n")); !errors.Is(err, errRingBusy) {
			t.Fatalf("a busy ring: %q, error %v", busy, err)
		}
		if hasFree {
			text, want = text+"    0: <none>\n", append([]string{"<none>"}, want...)
		}
		text += fmt.Sprintf("%5d: %s\n%5d: sdb\nUserBufs:\t1\n    0: 0x1/2\n", 1, kernel.Replace(path), 2)
		if hasFree && more == 0 {
			want = want[:2] // as many as it says it has
		}
		got, err := parseRing(strings.NewReader(text))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%q: error %v (-want +got):\n%s", text, err, diff)
		}
	})
}
