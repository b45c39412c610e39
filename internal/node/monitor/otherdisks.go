// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// otherDiskBytes adds up what the disks of the node have read and written, except for the disks below the used devices.
// Only devices with hardware count: I/O of loop devices, volumes and mappings also appears on their disks. The paths of
// an NVMe disk with several paths are hidden, and only the disk counts.
func (n Kernel) otherDiskBytes(used []DeviceNumber) (int64, error) {
	own := map[string]bool{}
	for _, d := range used {
		if err := findDisks(n.device(d), own); err != nil {
			return 0, fmt.Errorf("monitor: find the disks of device %d:%d: %w", d.Major, d.Minor, err)
		}
	}
	disks, err := parseFile(n.proc("diskstats"), parseDiskStats)
	var sum int64
	for name, moved := range disks {
		if !own[name] && n.isHardware(name) {
			sum += min(moved, math.MaxInt64-sum)
		}
	}
	return sum, err
}

func (n Kernel) isHardware(disk string) bool {
	_, err := os.Stat(n.sys("block", disk, "device"))
	hidden, _ := n.line(n.sys("block", disk, "hidden"))
	return err == nil && hidden != "1"
}

// findDisks adds the names of a block device and of the devices below it.
func findDisks(path string, found map[string]bool) error {
	dir, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		dir = filepath.Dir(dir)
	}
	found[filepath.Base(dir)] = true
	below, err := os.ReadDir(filepath.Join(dir, "slaves"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, b := range below {
		if err := findDisks(filepath.Join(dir, "slaves", b.Name()), found); err != nil {
			return err
		}
	}
	return nil
}

// parseDiskStats reads bytes read and written of all block devices by name, see the kernel's
// Documentation/admin-guide/iostats.rst.
func parseDiskStats(r io.Reader) (map[string]int64, error) {
	const name = 2
	moved := map[string]int64{}
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(line)
		if len(fields) <= name {
			return nil, fmt.Errorf("%d fields, want a name in the third", len(fields))
		}
		of, err := blockStatOf(fields[name+1:])
		if err != nil {
			return nil, err
		}
		moved[fields[name]] = of.Read + of.Written
	}
	return moved, nil
}
