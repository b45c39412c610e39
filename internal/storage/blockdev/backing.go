// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// hostRoot is the host's root directory; below it, paths are resolved as on the host.
const hostRoot = "/proc/1/root"

// backing is a block device that a kernel service serves to others.
type backing struct {
	// User names that service.
	User string
	Path string
}

// target is a kernel service that serves block devices to others. No process has those devices open.
type target struct {
	user string
	// pattern matches the files, below the host's /sys, that name the devices. A container's own /sys has no configfs.
	pattern string
	// path finds the path of the device or file in such a file, or returns an empty path.
	path func(content string) string
}

func targets() []target {
	file := regexp.MustCompile(`(?m)^.*\bFile: (/.*?) +Size: [0-9]+ `)
	return []target{
		{"the LIO target", "kernel/config/target/core/*/*/udev_path", firstLine},
		{"the LIO target", "kernel/config/target/core/*/*/info", func(content string) string {
			if found := file.FindStringSubmatch(content); found != nil {
				return found[1]
			}
			return ""
		}},
		{"the NVMe target", "kernel/config/nvmet/subsystems/*/namespaces/*/device_path", firstLine},
		{"the SCST target", "kernel/scst_tgt/devices/*/filename", firstLine},
		{"the USB gadget", "kernel/config/usb_gadget/*/functions/mass_storage.*/lun.*/file", firstLine},
	}
}

// firstLine is the path in the first line of a file.
func firstLine(content string) string {
	line, _, _ := strings.Cut(content, "\n")
	return strings.TrimSpace(line)
}

// readBackings finds the devices of storage targets. Loop devices are in the tree.
func (n machine) readBackings() ([]backing, error) {
	// Glob ignores read errors: without this check, an unreadable directory would look empty.
	if _, err := os.Stat(n.path(hostRoot, "sys")); err != nil {
		return nil, fmt.Errorf("the host's /sys: %w", err)
	}
	var found []backing
	for _, target := range targets() {
		files, err := filepath.Glob(n.path(hostRoot, "sys", target.pattern))
		if err != nil {
			return nil, fmt.Errorf("devices of %s: %w", target.user, err)
		}
		for _, file := range files {
			content, err := readBounded(file)
			if missing(err) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("devices of %s: %w", target.user, err)
			}
			if path := target.path(content); strings.HasPrefix(path, "/") {
				found = append(found, backing{User: target.user, Path: path})
			}
		}
	}
	return found, nil
}

// checkBacking requires a disk that no loop device and no storage target uses.
func (g *Guard) checkBacking(_ context.Context, look *hostState, disk *Disk) error {
	for _, b := range look.tree {
		isLoop := b.Backing != (Number{})
		if isLoop && look.tree.restsOn(b.Number, disk.Number) ||
			b.BackingFile != "" && g.refersToNode(look, b.BackingFile, disk) {
			return fmt.Errorf("/dev/%s is made of it", b.Name)
		}
	}
	for _, b := range look.backings {
		if g.refersTo(look, b.Path, disk) || g.refersToNode(look, b.Path, disk) {
			return fmt.Errorf("%s is made of it", b.User)
		}
		number, err := g.node.onHost(b.Path)
		if err == nil && look.tree.restsOn(number, disk.Number) {
			return fmt.Errorf("%s is made of it", b.User)
		}
		if err != nil && !errors.Is(err, errNotBlock) {
			return fmt.Errorf("%s serves %s, which cannot be found on the node and may be it: %w", b.User, b.Path, err)
		}
	}
	return nil
}

// onHost is the block device at a path on the host; errNotBlock if it is another kind of file.
func (n machine) onHost(path string) (Number, error) { return n.NumberBelow(n.path(hostRoot), path) }

// refersToNode says whether a path is the disk's node below /dev, or on a devtmpfs that is mounted elsewhere, in any
// mount namespace. Other paths are files, or nodes made by hand. They are not accessed, because on a dead network
// filesystem that would never end.
func (g *Guard) refersToNode(look *hostState, path string, disk *Disk) bool {
	if strings.HasPrefix(path, "/dev/") && g.refersTo(look, path, disk) {
		return true
	}
	for _, m := range look.mounts {
		if at, is := m.deviceNode(path); is && g.refersTo(look, at, disk) {
			return true
		}
	}
	return false
}
