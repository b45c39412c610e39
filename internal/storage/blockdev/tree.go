// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"fmt"
	"slices"
	"strconv"
)

// sysfsSector is the unit of sizes in sysfs, whatever the disk's sector size is.
const sysfsSector = 512

// block is a disk, a partition or a virtual block device.
type block struct {
	Name   string
	Number Number
	// Disk is the name of the disk that a partition is on, empty for anything else.
	Disk string
	// StartBytes is where a partition starts.
	StartBytes, SizeBytes int64
	SectorBytes           int64
	ReadOnly              bool
	// Holders use the block device, Slaves are used by it.
	Holders, Slaves []string
	// Serial and WWID are the kernel's values, empty if it has none; Sequence counts appearances of disks.
	Serial, WWID, Sequence string
	// Model is the disk's own model name, or empty.
	Model string
	// BackingFile is the file behind a loop device.
	BackingFile string
	// Below are the numbers of Disk and Slaves that are in the tree.
	Below []Number
	// Backing is the block device behind a loop device; zero if a file is behind it, or before readLoops.
	Backing Number
	// IsArray says that it is an md array, whether it runs or not.
	IsArray bool
}

// tree is all block devices of the node.
type tree map[Number]block

// byName finds a block device.
func (t tree) byName(name string) (block, bool) {
	for _, b := range t {
		if b.Name == name {
			return b, true
		}
	}
	return block{}, false
}

// partitions returns the partitions of a disk.
func (t tree) partitions(disk string) []block {
	var found []block
	for _, b := range t {
		if b.Disk == disk {
			found = append(found, b)
		}
	}
	slices.SortFunc(found, func(a, b block) int { return int((a.StartBytes - b.StartBytes) / sysfsSector) })
	return found
}

// restsOn says whether a block device is the disk, or is made of it: a partition of it, or a mapping or array that
// contains it or its partitions.
func (t tree) restsOn(number Number, disk Number) bool {
	seen := map[Number]bool{}
	todo := []Number{number}
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		if next == disk {
			return true
		}
		if seen[next] {
			continue
		}
		seen[next] = true
		b := t[next]
		if b.Backing != (Number{}) {
			todo = append(todo, b.Backing)
		}
		todo = append(todo, b.Below...)
	}
	return false
}

// link computes once what every block device is made of.
func (t tree) link() {
	numbers := map[string]Number{}
	for number, b := range t {
		numbers[b.Name] = number
	}
	for number, b := range t {
		b.Below = nil
		for _, name := range append([]string{b.Disk}, b.Slaves...) {
			if below, found := numbers[name]; found {
				b.Below = append(b.Below, below)
			}
		}
		t[number] = b
	}
}

// readTree reads /sys/block. It skips a device that disappears meanwhile; anything else that cannot be read is an
// error.
func (n machine) readTree() (tree, error) {
	names, err := n.list("/sys/block")
	if err != nil {
		return nil, fmt.Errorf("list block devices: %w", err)
	}
	found := tree{}
	for _, name := range names {
		disk, there, err := n.readBlock("/sys/block/"+name, name, "")
		if err != nil {
			return nil, fmt.Errorf("read block device %s: %w", name, err)
		}
		if !there {
			continue
		}
		found[disk.Number] = disk
		if err := n.readPartitions(found, disk); err != nil {
			return nil, fmt.Errorf("read partitions of %s: %w", name, err)
		}
	}
	found.link()
	return found, nil
}

// readPartitions adds the partitions of a disk to the tree.
func (n machine) readPartitions(found tree, disk block) error {
	dir := "/sys/block/" + disk.Name
	names, err := n.list(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		number, err := n.read(dir, name, "partition")
		if err != nil {
			return err
		}
		if number == "" {
			// Most entries are attributes of the disk.
			continue
		}
		partition, there, err := n.readBlock(dir+"/"+name, name, disk.Name)
		if err != nil {
			return err
		}
		if there {
			partition.SectorBytes = disk.SectorBytes
			found[partition.Number] = partition
		}
	}
	return nil
}

// readBlock reads one directory of sysfs; false if the device is gone.
func (n machine) readBlock(dir, name, disk string) (block, bool, error) {
	attributes := attributes{machine: n, dir: dir}
	number := attributes.text("dev")
	b := block{
		Name:        name,
		Disk:        disk,
		SizeBytes:   attributes.number("size") * sysfsSector,
		StartBytes:  attributes.number("start") * sysfsSector,
		SectorBytes: attributes.number("queue/logical_block_size"),
		ReadOnly:    attributes.text("ro") != "0",
		Holders:     attributes.names("holders"),
		Slaves:      attributes.names("slaves"),
		Serial:      attributes.first("serial", "device/serial"),
		WWID:        attributes.first("wwid", "device/wwid"),
		Sequence:    attributes.text("diskseq"),
		BackingFile: attributes.text("loop/backing_file"),
	}
	b.Model, _ = n.read(dir, "device/model") // nothing depends on it
	b.IsArray = attributes.text("md/metadata_version") != ""
	if attributes.err != nil {
		return block{}, false, attributes.err
	}
	if number == "" {
		return block{}, false, nil
	}
	var err error
	b.Number, err = parseNumber(number)
	return b, err == nil, err
}

// attributes reads files of one sysfs directory and keeps the first error.
type attributes struct {
	machine
	dir string
	err error
}

func (a *attributes) text(name string) string {
	value, err := a.read(a.dir, name)
	if err != nil && a.err == nil {
		a.err = err
	}
	return value
}

// first returns the first value that is not empty.
func (a *attributes) first(names ...string) string {
	for _, name := range names {
		if value := a.text(name); value != "" {
			return value
		}
	}
	return ""
}

// number returns 0 if the file does not exist.
func (a *attributes) number(name string) int64 {
	value := a.text(name)
	if value == "" {
		return 0
	}
	number, err := parseSectors(value)
	if err != nil && a.err == nil {
		a.err = fmt.Errorf("%s/%s: %w", a.dir, name, err)
	}
	return number
}

// parseSectors reads a number of sectors that is not negative and whose bytes fit into 63 bits.
func parseSectors(text string) (int64, error) {
	number, err := strconv.ParseUint(text, 10, 53)
	return int64(number), err
}

func (a *attributes) names(name string) []string {
	names, err := a.list(a.dir, name)
	if err != nil && a.err == nil {
		a.err = err
	}
	return names
}
