// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sectorBytes is the unit of the kernel's block statistics, whatever the device's sector size.
const sectorBytes = 512

// sectorsBits bounds a number of sectors to 128 PiB, so that the sum over many devices fits into 63 bits.
const sectorsBits = 48

// DeviceNumber identifies a block device.
type DeviceNumber struct{ Major, Minor uint32 }

// Moved is what devices have read and written: bytes, and the number of reads and writes where they are counted.
type Moved struct {
	Read, Written int64
	Reads, Writes int64
}

// Sub returns what was added since an earlier reading.
func (m Moved) Sub(earlier Moved) Moved {
	return Moved{Read: m.Read - earlier.Read, Written: m.Written - earlier.Written, Reads: m.Reads - earlier.Reads,
		Writes: m.Writes - earlier.Writes}
}

// BlockDevice finds the device of a path: the block device itself, or the one that contains a file. It returns an error
// for a filesystem without its own block device, such as tmpfs, btrfs or ZFS.
func (n Kernel) BlockDevice(path string) (DeviceNumber, error) {
	var stat unix.Stat_t
	if err := unix.Stat(path, &stat); err != nil {
		return DeviceNumber{}, fmt.Errorf("monitor: stat %s: %w", path, err)
	}
	device := stat.Dev
	if stat.Mode&unix.S_IFMT == unix.S_IFBLK {
		device = stat.Rdev
	}
	number := DeviceNumber{Major: unix.Major(device), Minor: unix.Minor(device)}
	if number.Major == 0 {
		return DeviceNumber{}, fmt.Errorf("monitor: %s is not on a block device", path)
	}
	return number, nil
}

// device is the folder of a block device.
func (n Kernel) device(d DeviceNumber) string {
	return n.sys("dev", "block", fmt.Sprintf("%d:%d", d.Major, d.Minor))
}

// DeviceBytes adds up what these devices have read and written since boot. A device that appears twice counts once.
func (n Kernel) DeviceBytes(devices []DeviceNumber) (Moved, error) {
	var sum Moved
	seen := map[DeviceNumber]bool{}
	for _, d := range devices {
		if seen[d] {
			continue
		}
		seen[d] = true
		b, err := parseFile(filepath.Join(n.device(d), "stat"), parseBlockStat)
		if err != nil {
			return Moved{}, err
		}
		sum.Read += b.Read
		sum.Written += b.Written
		sum.Reads += b.Reads
		sum.Writes += b.Writes
	}
	return sum, nil
}

// parseBlockStat reads what was read and written from a block device's stat file, see the kernel's
// Documentation/block/stat.rst.
func parseBlockStat(r io.Reader) (Moved, error) {
	text, err := onlyLine(r)
	if err != nil {
		return Moved{}, err
	}
	return blockStatOf(strings.Fields(text))
}

// blockStatOf reads the fields of a stat file; /proc/diskstats has the same fields after the name.
func blockStatOf(fields []string) (Moved, error) {
	const reads, readSectors, writes, writtenSectors, least = 0, 2, 4, 6, 11
	if len(fields) < least {
		return Moved{}, fmt.Errorf("%d fields, want at least %d", len(fields), least)
	}
	var errs error
	count := func(field int) int64 {
		n, err := strconv.ParseUint(fields[field], 10, sectorsBits)
		errs = errors.Join(errs, err)
		return int64(n)
	}
	moved := Moved{Read: count(readSectors) * sectorBytes, Written: count(writtenSectors) * sectorBytes,
		Reads: count(reads), Writes: count(writes)}
	if errs != nil {
		return Moved{}, errs
	}
	return moved, nil
}
