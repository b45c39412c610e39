// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
)

// The pool's files: two of 4 MiB of which one is a copy of the other, text, and small ones.
func TestParseSimulatedDedup(t *testing.T) {
	for name, want := range map[string]result.SimulatedDedup{
		"zdb-simulated-dedup":       {Dedup: 1.64, Compress: 1.07, Copies: 1, Combined: 1.76},
		"zdb-simulated-dedup-raidz": {Dedup: 1.68, Compress: 1.07, Copies: 1, Combined: 1.8},
	} {
		got, err := ParseSimulatedDedup(fixtureReader(t, name))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
	if _, err := ParseSimulatedDedup(strings.NewReader("Simulated DDT histogram:\n\n")); !errors.Is(err,
		ErrNothingToDedup) {
		t.Errorf("an empty pool: %v", err)
	}
	var parse *ParseError
	if _, err := ParseSimulatedDedup(strings.NewReader("dedup = 1.6.4, compress = 1, copies = 1, dedup * compress / " +
		"copies = 1\n")); !errors.As(err, &parse) {
		t.Errorf("no number: %v", err)
	}
}

// A file that was overwritten at random has gaps, those that were written from beginning to end have none. On RAID-Z,
// parity is part of a block. Data within its pointer, holes and directories do not count.
func TestParseAllocation(t *testing.T) {
	for name, want := range map[string]result.Allocation{
		"zdb-blocks-overwritten": {Files: 1, Blocks: 64, Bytes: 1048576, Neighbours: 63, Gaps: 37},
		"zdb-blocks-raidz":       {Files: 6, Blocks: 78, Bytes: 13991936, Neighbours: 72, Gaps: 0},
		"zdb-blocks-volume":      {Files: 1, Blocks: 20, Bytes: 327680, Neighbours: 19, Gaps: 0},
	} {
		got, err := ParseAllocation(fixtureReader(t, name))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// blocksOf is a file with blocks at these addresses, as zdb prints it.
func blocksOf(addresses ...string) string {
	var out strings.Builder
	out.WriteString("    Object  lvl   iblk   dblk  dsize  dnsize  lsize   %full  type\n         2    2   128K   128K  " +
		"4.00M     512     4M  100.00  ZFS plain file\nIndirect blocks:\n")
	for i, address := range addresses {
		fmt.Fprintf(&out, "%16x  L0 %s 20000L/20000P F=1 B=10/10 cksum=0:0:0:0\n", i<<17, address)
	}
	return out.String()
}

func TestEachVdevHasItsOwnNeighbours(t *testing.T) {
	got, err := ParseAllocation(strings.NewReader(blocksOf("0:1000:1000", "1:0:1000", "0:2000:1000",
		"1:2000:1000") + blocksOf("0:3000:1000")))
	if want := (result.Allocation{Files: 2, Blocks: 5, Bytes: 5 << 12, Neighbours: 2, Gaps: 1}); err != nil ||
		got != want {
		t.Errorf("got %+v, error %v, want %+v", got, err, want)
	}
	if got.Extents() != 4 || got.FragmentationPercent() != 50 || got.MeanExtentBytes() != 5<<10 {
		t.Errorf("%d extents, %v%%, %v bytes each", got.Extents(), got.FragmentationPercent(), got.MeanExtentBytes())
	}
	for _, address := range []string{"0:x:1000", "0:0:0", "-1:0:1000", "0:0:ffffffffff", "0:ffffffffffffffffff:1000"} {
		if _, err := ParseAllocation(strings.NewReader(blocksOf(address))); err == nil {
			t.Errorf("address %s is read", address)
		}
	}
}

// endlessBlocks are more lines than anybody would keep.
type endlessBlocks struct{ left int }

func (e *endlessBlocks) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	e.left--
	return copy(p, fmt.Sprintf("%16x  L0 0:%x:1000 1000L/1000P F=1 B=1/1\n", e.left, e.left<<12)), nil
}

func TestAllocationOfAnyLength(t *testing.T) {
	const blocks = 400000 // 18 MiB of text
	got, err := ParseAllocation(io.MultiReader(strings.NewReader(blocksOf()), &endlessBlocks{blocks}))
	if err != nil || got.Blocks != blocks || got.Gaps != blocks-1 {
		t.Errorf("got %+v, error %v", got, err)
	}
}

func TestZdbCommands(t *testing.T) {
	online := map[string]string{"proc/spl/kstat/zfs/zbfix/state": fixture(t, "kstat-state")}
	dirs := []string{"/dev/disk/by-partuuid/a", "/var/files"}
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zdb -e -p /dev/disk/by-partuuid/a -p /var/files -S",
		Stdout: fixture(t, "zdb-simulated-dedup")},
		hostexectest.Answer{Match: "host zdb", Stdout: fixture(t, "zdb-blocks-volume")})
	client := New(rec.Runner("host")).WithRoot(tree(t, online))
	if got, err := client.SimulatedDedup(t.Context(), "zbfix", dirs); err != nil || got.Dedup != 1.64 {
		t.Errorf("got %+v, error %v", got, err)
	}
	if got, err := client.Allocation(t.Context(), "zbfix/bench", dirs); err != nil || got.Blocks != 20 {
		t.Errorf("got %+v, error %v", got, err)
	}
	want := []string{"host zdb -e -p /dev/disk/by-partuuid/a -p /var/files -S zbfix",
		"host zdb -e -p /dev/disk/by-partuuid/a -p /var/files -ddddd zbfix/bench"}
	if diff := cmp.Diff(want, rec.Transcript()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	var name *NameError
	if _, err := client.Allocation(t.Context(), "zbfix/-x", dirs); !errors.As(err, &name) {
		t.Errorf("an option: %v", err)
	}
	if _, err := client.SimulatedDedup(t.Context(), "zbfix", []string{"-S"}); !errors.As(err, &name) {
		t.Errorf("a place that is an option: %v", err)
	}
	var none *NoPoolError
	if _, err := client.SimulatedDedup(t.Context(), "other", dirs); !errors.As(err, &none) {
		t.Errorf("a pool that is not there: %v", err)
	}
}
