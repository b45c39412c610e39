// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"zfsbench.io/operator/internal/node/mountinfo"
)

// mount is one line of a mountinfo file.
type mount struct {
	// Number is the filesystem's device. Its major number is 0 if the filesystem is not on exactly one block device.
	Number Number
	// Root is the part of the filesystem that is mounted: / for all of it, /sda for one disk's node on a devtmpfs.
	Root                string
	Point, Type, Source string
}

// parseMountinfo reads /proc/PID/mountinfo.
func parseMountinfo(r io.Reader) ([]mount, error) {
	all, err := mountinfo.Parse(r)
	if err != nil {
		return nil, err
	}
	var mounts []mount
	for _, m := range all {
		number, err := parseNumber(m.Device)
		if err != nil {
			return nil, fmt.Errorf("mountinfo: %w", err)
		}
		mounts = append(mounts, mount{Number: number, Root: m.Root, Point: m.Point, Type: m.Type, Source: m.Source})
	}
	return mounts, nil
}

// readMounts reads the mounts in a process's view.
func (n machine) readMounts(pid string) ([]mount, error) {
	file, err := os.Open(n.path("/proc", pid, "mountinfo"))
	if err != nil {
		return nil, fmt.Errorf("mounts of process %s: %w", pid, err)
	}
	mounts, err := parseMountinfo(file)
	return mounts, errors.Join(err, file.Close())
}

// readAllMounts reads the mounts of one process of each mount namespace.
func (n machine) readAllMounts() ([]mount, error) {
	pids, err := n.processes()
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	var all []mount
	for _, pid := range pids {
		namespace, err := os.Readlink(n.path("/proc", pid, "ns/mnt"))
		if ended(err) || done[namespace] {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("mount namespace of process %s: %w", pid, err)
		}
		mounts, err := n.readMounts(pid)
		if ended(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		done[namespace] = true
		all = append(all, mounts...)
	}
	return all, nil
}

// processes returns the ids of all processes.
func (n machine) processes() ([]string, error) {
	names, err := n.list("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := strconv.ParseUint(name, 10, 32)
		return err != nil
	}), nil
}

// ended says whether a process is gone or a zombie, which no longer has mounts and files.
func ended(err error) bool { return missing(err) || errors.Is(err, syscall.EINVAL) }

// checkMounts requires a disk that no process has mounted anywhere, neither the disk itself nor anything made of it.
func (g *Guard) checkMounts(_ context.Context, look *hostState, disk *Disk) error {
	for _, m := range look.mounts {
		if g.mountRestsOn(look, m, disk.Number) {
			return fmt.Errorf("it is mounted at %s (%s)", m.Point, m.Type)
		}
		if path, is := m.deviceNode(m.Point); is && g.refersTo(look, path, disk) {
			return fmt.Errorf("its device node is mounted at %s, as for a pod or container that has it", m.Point)
		}
	}
	return nil
}

// deviceNode translates a path on a mounted devtmpfs, or on a single bind-mounted device node, to the path below the
// node's own /dev; false for any other path.
func (m mount) deviceNode(path string) (string, bool) {
	if m.Type != "devtmpfs" || m.Root == "/" && path == m.Point {
		return "", false
	}
	rest, below := strings.CutPrefix(path, strings.TrimSuffix(m.Point, "/"))
	if !below || rest != "" && !strings.HasPrefix(rest, "/") {
		return "", false
	}
	return filepath.Join("/dev", m.Root, rest), true
}

// mountRestsOn compares the filesystem's device, and also its source, because btrfs and others have no real device
// number.
func (g *Guard) mountRestsOn(look *hostState, m mount, disk Number) bool {
	if look.tree.restsOn(m.Number, disk) {
		return true
	}
	if !strings.HasPrefix(m.Source, "/dev/") {
		return false
	}
	number, err := g.node.Number(g.node.path(m.Source))
	// A source that does not exist, or belongs to another /dev, proves nothing; the exclusive open finds mounted disks
	// too.
	return err == nil && look.tree.restsOn(number, disk)
}

// unique sorts names and removes duplicates.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
