package qemu

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// serialPrefix keeps our serial numbers apart from any other's.
const serialPrefix = "zfsbench-"

// maxSerial is the length to which virtio-blk cuts a serial number.
const maxSerial = 20

// Throttle limits a disk; a zero field does not.
type Throttle struct {
	BytesPerSecond int64 `json:"bytesPerSecond,omitempty"`
	IOPS           int64 `json:"iops,omitempty"`
}

// Disk is a data disk of a node.
type Disk struct {
	Name string `json:"name"`
	// Node is the index of its node, so that no two disks of a cluster have one serial number.
	Node      int      `json:"node,omitempty"`
	SizeBytes int64    `json:"sizeBytes"`
	Throttle  Throttle `json:"throttle"`

	transfer bool
}

// TransferDisk is a disk that is plugged in for a moment, read-only and unlimited, to hand the node a file: a
// hundred times faster than encrypting it with emulated processors.
func TransferDisk() Disk { return Disk{Name: "transfer", transfer: true} }

var diskName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Validate checks what the command line and the serial number can hold.
func (d Disk) Validate() error {
	switch {
	case !diskName.MatchString(d.Name):
		return fmt.Errorf("disk name %q: want a lower-case letter, then letters and digits", d.Name)
	case d.Name == "root" || d.Name == "config" || d.Name == TransferDisk().Name:
		return fmt.Errorf("disk name %q is taken by the node's own disk", d.Name)
	case len(d.Serial()) > maxSerial:
		return fmt.Errorf("disk name %q: want at most %d characters", d.Name, maxSerial-len(d.Serial())+len(d.Name))
	case d.SizeBytes <= 0 || d.SizeBytes%512 != 0:
		return fmt.Errorf("disk %s: size %d bytes is no positive multiple of 512", d.Name, d.SizeBytes)
	case d.Throttle.BytesPerSecond < 0 || d.Throttle.IOPS < 0:
		return errors.New("disk " + d.Name + ": a throttle is negative")
	}
	return nil
}

// Serial is the serial number the node sees: zfsbench-d0 on the first node, zfsbench-1-d0 on the second.
func (d Disk) Serial() string {
	if d.Node == 0 {
		return serialPrefix + d.Name
	}
	return fmt.Sprintf("%s%d-%s", serialPrefix, d.Node, d.Name)
}

// DevicePath is the disk's stable path on the node.
func (d Disk) DevicePath() string { return "/dev/disk/by-id/virtio-" + d.Serial() }

// File is the name of the disk's file in the node's directory.
func (d Disk) File() string { return d.Name + ".img" }

func (d Disk) device() string { return d.Name + "-dev" }

// drive returns the -drive option, which the monitor's drive_add command understands as well. Without a host
// cache a flush reaches the host's storage; with one sync writes and a SLOG would be measured against nothing.
func (d Disk) drive() string {
	if d.transfer {
		return fmt.Sprintf("file=%s/%s,format=raw,if=none,id=%s,readonly=on,cache=unsafe", RunDir, d.File(), d.Name)
	}
	options := []string{
		"file=" + RunDir + "/" + d.File(), "format=raw", "if=none", "id=" + d.Name,
		"cache=none", "aio=threads", "discard=unmap", "detect-zeroes=off",
	}
	if d.Throttle.BytesPerSecond > 0 {
		options = append(options, fmt.Sprintf("throttling.bps-total=%d", d.Throttle.BytesPerSecond))
	}
	if d.Throttle.IOPS > 0 {
		options = append(options, fmt.Sprintf("throttling.iops-total=%d", d.Throttle.IOPS))
	}
	return strings.Join(options, ",")
}

func (d Disk) args() []string {
	return []string{"-drive", d.drive(), "-device",
		fmt.Sprintf("virtio-blk-pci,drive=%s,id=%s,serial=%s", d.Name, d.device(), d.Serial())}
}
