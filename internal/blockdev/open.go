// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// openPatience is how long udev or a monitoring tool may have a disk open in passing.
const openPatience = 5 * time.Second

// checkOpen wants a disk that no process has open, and that the kernel gives to us alone.
func (g *Guard) checkOpen(ctx context.Context, _ *surroundings, disk *Disk) error {
	return retry(ctx, openPatience, func() error { return g.tryOpen(disk) })
}

// tryOpen looks once. The descriptor that the kernel gives exclusively is checked to be the disk, and closed again.
func (g *Guard) tryOpen(disk *Disk) (err error) {
	users, err := g.node.openedBy(disk.Number)
	if err != nil {
		return fmt.Errorf("nobody can say who has it open: %w", err)
	}
	if len(users) > 0 {
		return fmt.Errorf("it is open in %s", strings.Join(users, ", "))
	}
	opened, err := g.node.Open(g.node.path(disk.Device), exclusive)
	if err != nil {
		return fmt.Errorf("it is in use: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return g.stillTheDisk(opened, disk)
}

// stillTheDisk makes sure that an open device is the disk that was looked at, and not one that has come in its place: while it is open, the kernel gives its number to
// no other.
func (g *Guard) stillTheDisk(opened device, disk *Disk) error {
	if err := sameDevice(opened, disk); err != nil {
		return err
	}
	now, there, err := g.node.readBlock("/sys/dev/block/"+disk.Number.String(), "", "")
	if err != nil {
		return fmt.Errorf("it cannot be identified: %w", err)
	}
	if !there {
		return errors.New("the kernel no longer knows it")
	}
	if now.Sequence != disk.Sequence || now.WWID != disk.WWID {
		return errors.New("another disk has come in its place")
	}
	if now.Serial != "" && joinWords(now.Serial) != joinWords(disk.Serial) {
		return fmt.Errorf("its serial number has become %q", now.Serial)
	}
	return nil
}

// openedBy returns the processes other than this one that have a block device open.
func (n node) openedBy(number Number) ([]string, error) {
	pids, err := n.processes()
	if err != nil {
		return nil, err
	}
	var users []string
	for _, pid := range pids {
		if pid == strconv.Itoa(os.Getpid()) {
			continue
		}
		has, err := n.hasOpen(pid, number)
		if err != nil {
			return nil, err
		}
		if has {
			// The name is only for the message.
			name, _ := n.read("/proc", pid, "comm")
			users = append(users, fmt.Sprintf("process %s (%s)", pid, name))
		}
	}
	return users, nil
}

// hasOpen says whether a process has a block device open, under whatever name.
func (n node) hasOpen(pid string, number Number) (bool, error) {
	descriptors, err := n.list("/proc", pid, "fd")
	if err != nil && !ended(err) {
		return false, fmt.Errorf("open files of process %s: %w", pid, err)
	}
	for _, descriptor := range descriptors {
		link := n.path("/proc", pid, "fd", descriptor)
		target, err := os.Readlink(link)
		if missing(err) || (err == nil && !strings.HasPrefix(target, "/")) {
			// Closed meanwhile, or a socket, a pipe and the like.
			continue
		}
		if err != nil {
			return false, fmt.Errorf("open files of process %s: %w", pid, err)
		}
		// A file that cannot be looked at is on a filesystem of its owner's alone (FUSE), and is no device.
		if opened, err := n.Number(link); err == nil && opened == number {
			return true, nil
		}
	}
	return false, nil
}
