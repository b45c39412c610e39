// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
)

// used is a bench whose vdc was given back by a benchmark that left data in its middle.
func used(t *testing.T) (*bench, *memoryDisk) {
	t.Helper()
	b, disk := freeBench(t)
	b.mustPartition(t)
	disk.put(gibibyte/2, 1)
	disk.put(20*mebibyte, 2)
	if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
		t.Fatal(err)
	}
	return b, disk
}

func TestWhatABenchmarkLeftIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := used(t)
		if _, err := b.guard.Check(t.Context(), wantD0()); err != nil {
			t.Error(err)
		}
		// The next benchmark, and the one after it.
		b.mustPartition(t)
		if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
			t.Error(err)
		}
		b.mustPartition(t)
	})
}

func TestWhatSomebodyElseLeftIsRefused(t *testing.T) {
	tests := map[string]func(t *testing.T, b *bench, disk *memoryDisk){
		"changed":             func(_ *testing.T, _ *bench, disk *memoryDisk) { disk.put(gibibyte/2, 3) },
		"added":               func(_ *testing.T, _ *bench, disk *memoryDisk) { disk.put(128*mebibyte, 3) },
		"record lost":         func(t *testing.T, b *bench, _ *memoryDisk) { b.eachResidue(t, os.Remove) },
		"record of old rules": func(t *testing.T, b *bench, _ *memoryDisk) { b.writeResidues(t, `{"version":0}`) },
		"record broken":       func(t *testing.T, b *bench, _ *memoryDisk) { b.writeResidues(t, `{"version"`) },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, disk := used(t)
				change(t, b, disk)
				writes := len(disk.writes)
				text := "without a signature, that no benchmark left"
				if name == "record broken" {
					text = "what benchmarks left on it is not known"
				}
				_, err := b.guard.Check(t.Context(), wantD0())
				wantRefusal(t, err, StepContent, text)
				_, err = b.guard.Partition(t.Context(), diskD0(), ownedD0(), false)
				wantRefusal(t, err, StepContent, text)
				if len(disk.writes) != writes {
					t.Errorf("written: %q", disk.writes[writes:])
				}
			})
		})
	}
}

// TestThePolicyMayLetUnsignedDataBeOverwritten, but not what is in the first and the last MiB, and not a disk that
// cannot be read.
func TestThePolicyMayLetUnsignedDataBeOverwritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, disk := freeBench(t)
		for _, offset := range []int64{2 * mebibyte, gibibyte / 2, gibibyte - 2*mebibyte} {
			disk.put(offset, 1)
		}
		want := wantD0()
		want.OverwriteUnsigned = true
		got, err := b.guard.Check(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.guard.Partition(t.Context(), got, ownedD0(), false); err != nil {
			t.Fatal(err)
		}
		if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
			t.Fatal(err)
		}
		disk.put(gibibyte-1, 1)
		_, err = b.guard.Check(t.Context(), want)
		wantRefusal(t, err, StepContent, "data 1 bytes before its end")
	})
}

// TestReleaseKeepsWhatItCannotWriteDown: without the record, the table that proves whose the data is must stay.
func TestReleaseKeepsWhatItCannotWriteDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, _ := freeBench(t)
		b.mustPartition(t)
		if err := os.WriteFile(b.guard.residues.directory, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		wantRefusal(t, b.guard.Release(t.Context(), ownedD0(), testComment), StepWrite, "cannot be recorded")
		if err := b.guard.Prove(t.Context(), ownedD0()); err != nil {
			t.Errorf("the table is gone: %v", err)
		}
		if err := os.Remove(b.guard.residues.directory); err != nil {
			t.Fatal(err)
		}
		if err := b.guard.Release(t.Context(), ownedD0(), testComment); err != nil {
			t.Error(err)
		}
	})
}

func (b *bench) eachResidue(t *testing.T, do func(path string) error) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(b.guard.residues.directory, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, error %v; want one", files, err)
	}
	if err := do(files[0]); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) writeResidues(t *testing.T, text string) {
	t.Helper()
	b.eachResidue(t, func(path string) error { return os.WriteFile(path, []byte(text), 0o600) })
}

// TestProbesMeetEveryStretch: they stay between the margins, in order, and leave no gap wider than the spacing.
func TestProbesMeetEveryStretch(t *testing.T) {
	for name, size := range map[string]int64{"least": minimumBytes, "1 GiB": gibibyte, "odd": gibibyte + 3*512,
		"20 TB": 20e12} {
		t.Run(name, func(t *testing.T) {
			margin, tail := margins(size)
			offsets := probeOffsets(size)
			if !slices.IsSorted(offsets) || offsets[0] < margin || offsets[len(offsets)-1]+probeBytes > tail {
				t.Fatalf("offsets from %d to %d, margins %d and %d", offsets[0], offsets[len(offsets)-1], margin, tail)
			}
			widest := max(0, offsets[0]-margin)
			for i := range offsets[1:] {
				if offsets[i+1]%probeBytes != 0 {
					t.Errorf("probe at %d is not aligned", offsets[i+1])
				}
				widest = max(widest, offsets[i+1]-offsets[i]-probeBytes)
			}
			if limit := (tail-margin)/probeCount + probeBytes; widest > limit {
				t.Errorf("the widest gap has %d bytes, want at most %d", widest, limit)
			}
		})
	}
}
