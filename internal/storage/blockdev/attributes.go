// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Attributes describe a disk. Nothing depends on them, so what cannot be read is left out.
type Attributes struct {
	Model, Firmware string
	// Transport is how the disk is attached: nvme, virtio, sata, sas, usb ...
	Transport           string
	Rotational          bool
	LogicalSectorBytes  int64
	PhysicalSectorBytes int64
	Discard             bool
	// VolatileWriteCache says that the disk has a cache that loses its content without power.
	VolatileWriteCache bool
}

func (n machine) readAttributes(b block) Attributes {
	dir := "/sys/block/" + b.Name
	text := func(names ...string) string { return n.firstText(dir, names...) }
	physical, _ := parseSectors(text("queue/physical_block_size"))
	return Attributes{
		Model: b.Model, Firmware: n.firmware(b.Name),
		Transport:          transport(b.Name, text("device/transport"), n.deviceChain(dir)),
		Rotational:         text("queue/rotational") == "1",
		LogicalSectorBytes: b.SectorBytes, PhysicalSectorBytes: physical,
		Discard:            cmp.Or(text("queue/discard_max_bytes"), "0") != "0",
		VolatileWriteCache: text("queue/write_cache") == "write back",
	}
}

// firmware is the revision of a disk's firmware; empty if the kernel does not know it.
func (n machine) firmware(name string) string {
	return n.firstText("/sys/block/"+name, "device/firmware_rev", "device/rev", "device/fwrev")
}

// firstText is what the first of these files that is not empty holds; empty if none does.
func (n machine) firstText(dir string, names ...string) string {
	for _, name := range names {
		if value, err := n.read(dir, name); err == nil && value != "" {
			return value
		}
	}
	return ""
}

// deviceChain is where the kernel has attached a disk, for example
// /devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0.
func (n machine) deviceChain(dir string) string {
	chain, err := n.resolve(filepath.Join(dir, "device"))
	if err != nil {
		return ""
	}
	return chain
}

// transport is what lsblk calls TRAN. nvme is what an NVMe controller says: pcie, tcp, rdma, fc.
func transport(name, nvme, chain string) string {
	has := func(pattern string) bool { return regexp.MustCompile(pattern).MatchString(chain) }
	switch {
	case strings.HasPrefix(name, "nvme"):
		if nvme != "" && nvme != "pcie" {
			return "nvme-" + nvme
		}
		return "nvme"
	case strings.HasPrefix(name, "mmcblk"):
		return "mmc"
	case strings.HasPrefix(name, "pmem"):
		return "pmem"
	case strings.HasPrefix(name, "xvd"):
		return "xen"
	case has(`/session[0-9]+/`):
		return "iscsi"
	case has(`/rport-[0-9]`):
		return "fc"
	case has(`/end_device-[0-9]`):
		return "sas"
	case has(`/usb[0-9]+/`):
		return "usb"
	case has(`/ata[0-9]+/`):
		return "sata"
	case strings.HasPrefix(name, "vd"), has(`/virtio[0-9]+(/|$)`):
		return "virtio"
	}
	return ""
}

// stablePaths are the paths below /dev/disk/by-id of each whole disk, by the kernel's path, the best one first.
func (n machine) stablePaths() (map[string][]string, error) {
	const byID = "/dev/disk/by-id"
	names, err := n.list(byID)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", byID, err)
	}
	paths := map[string][]string{}
	for _, name := range names {
		path := filepath.Join(byID, name)
		// A link that leads nowhere is of a disk that is gone. A policy cannot have such a path as these leave out.
		if device, err := n.resolve(path); err == nil && policyPath.MatchString(path) {
			paths[device] = append(paths[device], path)
		}
	}
	for _, found := range paths {
		slices.SortFunc(found, func(a, b string) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
	}
	return paths, nil
}

// policyPath is what a BenchmarkDevicePolicy allows as a path.
var policyPath = regexp.MustCompile(`^/dev/disk/by-id/[A-Za-z0-9][A-Za-z0-9._:+@=-]*$`)

// rank orders a disk's paths: names that are the same on every node that reaches it, then names with its serial number,
// then those that depend on its content or that nobody can read.
func rank(path string) int {
	name := filepath.Base(path)
	hasPrefix := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	if best := slices.IndexFunc([]string{"wwn-", "nvme-eui.", "nvme-uuid.", "scsi-3"}, hasPrefix); best >= 0 {
		return best
	}
	if slices.ContainsFunc([]string{"lvm-", "nvme-nvme."}, hasPrefix) {
		return 9
	}
	return 8
}
