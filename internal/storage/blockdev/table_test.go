// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

const (
	testDiskGUID      = "00000000-0000-4000-8000-000000000000"
	testPartitionGUID = "10000000-0000-4000-8000-000000000000"
	gibibyte          = 1 << 30
)

// onePartition is a disk with these GUIDs as it is recorded.
func onePartition(diskGUID, partitionGUID string) result.OwnedDevice {
	return result.OwnedDevice{DiskGUID: diskGUID, Partitions: []result.OwnedPartition{{Name: "d0", GUID: partitionGUID}}}
}

func mustTable(t testing.TB, sizeBytes, sectorBytes int64, owned result.OwnedDevice) table {
	t.Helper()
	built, err := newTable(&Disk{Want: Want{SizeBytes: sizeBytes}, SectorBytes: sectorBytes}, owned)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// dump writes the parts of the ends that are not zero as the fixtures do: rows of 16 bytes with their offset on the
// disk.
func dump(e ends, sizeBytes int64) string {
	var rows strings.Builder
	for _, end := range []struct {
		data []byte
		base int64
	}{{e.head, 0}, {e.tail, sizeBytes - mebibyte}} {
		for at := 0; at < len(end.data); at += 16 {
			if _, used := firstNonZero(end.data[at : at+16]); used {
				fmt.Fprintf(&rows, "%d %s\n", end.base+int64(at), hex.EncodeToString(end.data[at:at+16]))
			}
		}
	}
	return rows.String()
}

// TestTableIsWhatSfdiskWrites compares with tables that sfdisk wrote with the same GUIDs.
func TestTableIsWhatSfdiskWrites(t *testing.T) {
	for _, name := range []string{"gpt-512-sfdisk-2.41.5", "gpt-4096-sfdisk-2.41.5", "gpt-512-three-sfdisk-2.41.5",
		"gpt-4096-three-sfdisk-2.41.5"} {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile("testdata/" + name + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			first, want, _ := strings.Cut(string(content), "\n")
			size, sector, owned := parseDump(t, first)
			got := dump(mustTable(t, size, sector, owned).image(), size)
			if diff := gocmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}

// parseDump reads the first line of a dump: the sizes of the disk and of its sectors, its GUID, and the GUIDs of its
// partitions, each with its MiB, of which 0 is the rest.
func parseDump(t *testing.T, line string) (size, sector int64, owned result.OwnedDevice) {
	t.Helper()
	words := strings.Fields(line)
	if _, err := fmt.Sscan(strings.Join(words[1:4], " "), &size, &sector, &owned.DiskGUID); err != nil {
		t.Fatal(err)
	}
	for _, word := range words[4:] {
		guid, length, _ := strings.Cut(word, ":")
		n, err := strconv.ParseInt(cmp.Or(length, "0"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		owned.Partitions = append(owned.Partitions, result.OwnedPartition{GUID: guid, SizeBytes: n * mebibyte})
	}
	return size, sector, owned
}

func TestTableOfALargeDisk(t *testing.T) {
	const size = 20 << 40
	mbr := mustTable(t, size, 512, onePartition(testDiskGUID, testPartitionGUID)).protective()
	if got := hex.EncodeToString(mbr[446:462]); got != "00000200eeffffff01000000ffffffff" {
		t.Errorf("protective entry %s", got)
	}
}

func TestNewTableRefuses(t *testing.T) {
	tests := map[string]struct {
		size, sector    int64
		disk, partition string
	}{
		"no disk GUID":      {gibibyte, 512, "", testPartitionGUID},
		"no partition GUID": {gibibyte, 512, testDiskGUID, "x"},
		"nil GUID":          {gibibyte, 512, testDiskGUID, "00000000-0000-0000-0000-000000000000"},
		"braces":            {gibibyte, 512, testDiskGUID, "{10000000-0000-4000-8000-000000000000}"},
		"no hyphens":        {gibibyte, 512, testDiskGUID, "10000000000040008000000000000000"},
		"shifted hyphens":   {gibibyte, 512, testDiskGUID, "1000000-00000-4000-8000-000000000000"},
		"too small":         {minimumBytes - 512, 512, testDiskGUID, testPartitionGUID},
		"no sectors":        {gibibyte, 0, testDiskGUID, testPartitionGUID},
		"odd sectors":       {gibibyte, 520, testDiskGUID, testPartitionGUID},
		"odd size":          {gibibyte + 1, 512, testDiskGUID, testPartitionGUID},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := newTable(&Disk{Want: Want{SizeBytes: test.size}, SectorBytes: test.sector},
				onePartition(test.disk, test.partition)); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestNewTableRefusesPartitions(t *testing.T) {
	const rest = 0
	tests := map[string][]int64{
		"none":                   {},
		"too many":               slices.Repeat([]int64{64 * mebibyte}, maxPartitions+1),
		"smaller than a device":  {63 * mebibyte, rest},
		"not whole MiB":          {64*mebibyte + 512, rest},
		"negative":               {-64 * mebibyte, rest},
		"the rest in the middle": {rest, 64 * mebibyte},
		"more than there is":     {1023 * mebibyte},
		"no rest":                {1022 * mebibyte, rest},
		"a rest too small":       {1022*mebibyte - 63*mebibyte, rest},
	}
	for name, sizes := range tests {
		t.Run(name, func(t *testing.T) {
			owned := result.OwnedDevice{DiskGUID: testDiskGUID}
			for i, size := range sizes {
				owned.Partitions = append(owned.Partitions,
					result.OwnedPartition{GUID: fmt.Sprintf("%08d-0000-4000-8000-000000000000", i+1), SizeBytes: size})
			}
			if _, err := newTable(&Disk{Want: Want{SizeBytes: gibibyte}, SectorBytes: 512}, owned); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestCompare(t *testing.T) {
	ours := mustTable(t, gibibyte, 512, onePartition(testDiskGUID, testPartitionGUID))
	other := mustTable(t, gibibyte, 512, onePartition(testDiskGUID, "20000000-0000-4000-8000-000000000000"))
	zero := func(data []byte) { clear(data) }
	mark := func(e ends) { copy(e.tail[mebibyte-512:], ours.mark()) }
	tests := map[string]struct {
		change func(e ends)
		from   table
		want   likeness
		// notOurs: there is nothing of ours beside what is foreign.
		notOurs bool
	}{
		"complete":         {from: ours, change: func(ends) {}, want: complete},
		"blank":            {from: ours, change: func(e ends) { zero(e.head); zero(e.tail) }, want: blank},
		"first table gone": {from: ours, change: func(e ends) { zero(e.head) }, want: partial},
		"first table and last header gone": {from: ours, change: func(e ends) {
			zero(e.head)
			zero(e.tail[mebibyte-512:])
		}, want: partial},
		"second table gone": {from: ours, change: func(e ends) { zero(e.tail) }, want: partial},
		"only the first header": {from: ours, change: func(e ends) {
			zero(e.head[:512])
			zero(e.head[1024:])
			zero(e.tail)
		}, want: partial},
		"only entries": {from: ours, change: func(e ends) {
			zero(e.head[:1024])
			zero(e.tail)
		}, want: partial},
		"only the second header": {from: ours, change: func(e ends) {
			zero(e.head)
			zero(e.tail[:mebibyte-512])
		}, want: partial},
		"only the mark": {from: ours, change: func(e ends) {
			zero(e.head)
			zero(e.tail)
			mark(e)
		}, want: begun},
		"the mark and second entries":  {from: ours, change: func(e ends) { zero(e.head); mark(e) }, want: begun},
		"the mark and the first table": {from: ours, change: func(e ends) { mark(e) }, want: partial},
		"the mark and a part of the first": {from: ours, change: func(e ends) {
			zero(e.head[512:])
			zero(e.tail)
			mark(e)
		}, want: partial},
		"another disk's mark": {from: other, change: func(e ends) {
			zero(e.head)
			zero(e.tail)
			copy(e.tail[mebibyte-512:], other.mark())
		}, want: foreign, notOurs: true},
		"one bit of our mark": {from: ours, change: func(e ends) {
			zero(e.head)
			zero(e.tail)
			mark(e)
			e.tail[mebibyte-1] = 1
		}, want: foreign, notOurs: true},
		"data beside our mark": {from: ours, change: func(e ends) {
			zero(e.head)
			zero(e.tail)
			mark(e)
			e.head[1080] = 0x53
		}, want: foreign},
		"a protective MBR proves nothing": {from: ours, change: func(e ends) {
			zero(e.head[512:])
			zero(e.tail)
		}, want: foreign, notOurs: true},
		"another partition": {from: other, change: func(ends) {}, want: foreign, notOurs: true},
		"ours at one end": {from: ours, change: func(e ends) {
			copy(e.tail, other.image().tail)
		}, want: foreign},
		"a boot loader":                {from: ours, change: func(e ends) { e.head[0] = 0xeb }, want: foreign},
		"data behind the first table":  {from: ours, change: func(e ends) { e.head[mebibyte-1] = 1 }, want: foreign},
		"data before the second table": {from: ours, change: func(e ends) { e.tail[0] = 1 }, want: foreign},
		"one bit of our header":        {from: ours, change: func(e ends) { e.head[512+60] ^= 1 }, want: foreign},
		"data on an otherwise blank disk": {from: ours, change: func(e ends) {
			zero(e.head)
			zero(e.tail)
			e.head[5000] = 1
		}, want: foreign, notOurs: true},
		"a second partition in our header": {from: ours, change: func(e ends) { e.head[1024+128] = 1 }, want: foreign},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			have := test.from.image()
			test.change(have)
			got, err := ours.compare(have)
			if got != test.want || (err != nil) != (test.want == foreign) || errors.Is(err, ErrNotOurs) != test.notOurs {
				t.Errorf("got %d, error %v, want %d, not ours %v", got, err, test.want, test.notOurs)
			}
		})
	}
}

// TestNobodyTakesTheMarkForATable: it has neither a table's signature, which the kernel, blkid and sgdisk want first,
// nor its checksum.
func TestNobodyTakesTheMarkForATable(t *testing.T) {
	for _, sectorBytes := range []int64{512, 4096} {
		ours := mustTable(t, gibibyte, sectorBytes, onePartition(testDiskGUID, testPartitionGUID))
		mark := ours.mark()
		if int64(len(mark)) != sectorBytes || bytes.Contains(mark, []byte("EFI PART")) {
			t.Errorf("mark %q", mark)
		}
		sum := binary.LittleEndian.Uint32(mark[16:])
		clear(mark[16:20])
		if crc32.ChecksumIEEE(mark[:gptHeader]) == sum {
			t.Error("the mark has the checksum of a header")
		}
	}
}

func TestGUID(t *testing.T) {
	got, err := parseGUID("0A1B2C3D-4E5F-4071-8293-A4B5C6D7E8F9")
	if err != nil || got.String() != "0a1b2c3d-4e5f-4071-8293-a4b5c6d7e8f9" {
		t.Errorf("got %s, error %v", got, err)
	}
}
