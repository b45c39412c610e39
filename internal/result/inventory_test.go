// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func inventoryOf(disks int) v1alpha1.NodeInventory {
	found := v1alpha1.NodeInventory{
		System: v1alpha1.NodeSystem{OpenZFS: "2.3.9-1", MemoryBytes: 1 << 34, Tools: []v1alpha1.NodeTool{{Name: "zpool"}}},
		Pools:  []string{"tank"},
	}
	for i := range disks {
		found.Disks = append(found.Disks, v1alpha1.NodeDisk{
			Path: fmt.Sprintf("/dev/disk/by-id/wwn-0x%016x", i), Device: fmt.Sprintf("/dev/sd%d", i), SizeBytes: 1 << 40,
			Verdict: v1alpha1.DiskBlank,
		})
	}
	return found
}

func TestInventoryRoundTrip(t *testing.T) {
	want := inventoryOf(3)
	data, err := EncodeInventory(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeInventory(data)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, inventory (-sent +read):\n%s", err, diff)
	}
}

// TestInventoryIsMadeToFit: a disk may call itself anything, and a node may have any number of disks.
func TestInventoryIsMadeToFit(t *testing.T) {
	found := inventoryOf(3000)
	found.Disks[0].Model = "evil\x1b[2J\nmodel " + strings.Repeat("x", 1000)
	found.Disks[0].OfferedBy = []string{"forged"}
	for range 100 {
		found.Disks[0].Aliases = append(found.Disks[0].Aliases, "/dev/disk/by-id/x")
		found.Pools = append(found.Pools, "p")
	}
	for i := range found.Disks {
		found.Disks[i].Reason = strings.Repeat("r", 500)
	}
	data, err := EncodeInventory(found)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeInventory(data)
	if err != nil {
		t.Fatal(err)
	}
	first := got.Disks[0]
	if strings.ContainsAny(first.Model, "\x1b\n") || len(first.Model) > 256 || len(first.OfferedBy) > 0 ||
		len(first.Aliases) != v1alpha1.MaxDiskAliases || len(got.Pools) != v1alpha1.MaxNodePools {
		t.Errorf("first disk %+v, %d pools", first, len(got.Pools))
	}
	if n := len(got.Disks); n == 0 || n > v1alpha1.MaxNodeDisks || n+int(got.OmittedDisks) != 3000 {
		t.Errorf("%d disks and %d omitted, want 3000 in total", n, got.OmittedDisks)
	}
}

func TestDecodeInventoryRefuses(t *testing.T) {
	tests := map[string]string{
		"no JSON":             `{`,
		"another version":     `{"version": 2}`,
		"a control character": `{"version": 1, "pools": ["a\u001b"]}`,
		"a negative size":     `{"version": 1, "disks": [{"device": "/dev/sda", "sizeBytes": -1, "verdict": "Blank"}]}`,
		"a verdict":           `{"version": 1, "disks": [{"device": "/dev/sda", "verdict": "Free"}]}`,
		"no verdict":          `{"version": 1, "disks": [{"device": "/dev/sda"}]}`,
		"many pools":          `{"version": 1, "pools": [` + strings.Repeat(`"a",`, 64) + `"a"]}`,
		"a long text":         `{"version": 1, "pools": ["` + strings.Repeat("a", 257) + `"]}`,
		"a large document":    `{"version": 1}` + strings.Repeat(" ", MaxDocumentBytes),
	}
	for name, document := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeInventory([]byte(document))
			var invalid *InvalidError
			var format *FormatError
			var size *SizeError
			if !errors.As(err, &invalid) && !errors.As(err, &format) && !errors.As(err, &size) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestDecodeInventoryIgnoresOffers(t *testing.T) {
	got, err := DecodeInventory([]byte(
		`{"version": 1, "disks": [{"device": "/dev/sda", "verdict": "Blank", "offeredBy": ["forged"]}]}`))
	if err != nil || len(got.Disks) != 1 || got.Disks[0].OfferedBy != nil {
		t.Errorf("error %v, disks %+v", err, got.Disks)
	}
}

func FuzzDecodeInventory(f *testing.F) {
	data, err := EncodeInventory(inventoryOf(2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := DecodeInventory(data)
		if err != nil {
			return
		}
		if _, err := EncodeInventory(found); err != nil {
			t.Errorf("what was decoded cannot be encoded: %v", err)
		}
	})
}
