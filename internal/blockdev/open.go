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

// checkOpen wants a disk that no process has open, and that the kernel gives to us alone. Only a disk that is open at first is looked for again.
func (g *Guard) checkOpen(ctx context.Context, look *surroundings, disk *Disk) error {
	open := look.open
	return retry(ctx, openPatience, func() error {
		err := g.tryOpen(disk, open)
		open = g.node.openDevices
		return err
	})
}

// tryOpen looks once. The descriptor that the kernel gives exclusively is checked to be the disk, and closed again.
func (g *Guard) tryOpen(disk *Disk, open func() (openDevices, error)) (err error) {
	devices, err := open()
	if err != nil {
		return err
	}
	if err := devices.free(disk.Number); err != nil {
		return err
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

// openDevices are the block devices that processes other than this one have open, with those processes.
type openDevices map[Number][]string

// free is an error if a process has the device open.
func (d openDevices) free(number Number) error {
	if users := d[number]; len(users) > 0 {
		return fmt.Errorf("it is open in %s", strings.Join(users, ", "))
	}
	return nil
}

// openDevices looks at every open file of every process.
func (n node) openDevices() (openDevices, error) {
	pids, err := n.processes()
	if err != nil {
		return nil, fmt.Errorf("nobody can say who has it open: %w", err)
	}
	all := openDevices{}
	for _, pid := range pids {
		if pid == strconv.Itoa(os.Getpid()) {
			continue
		}
		numbers, err := n.openIn(pid)
		if err != nil {
			return nil, fmt.Errorf("nobody can say who has it open: %w", err)
		}
		for number := range numbers {
			// The name is only for the message.
			name, _ := n.read("/proc", pid, "comm")
			all[number] = append(all[number], fmt.Sprintf("process %s (%s)", pid, name))
		}
	}
	return all, nil
}

// openIn returns the block devices that a process has open, under whatever name.
func (n node) openIn(pid string) (map[Number]bool, error) {
	descriptors, err := n.list("/proc", pid, "fd")
	if err != nil && !ended(err) {
		return nil, fmt.Errorf("open files of process %s: %w", pid, err)
	}
	numbers := map[Number]bool{}
	for _, descriptor := range descriptors {
		link := n.path("/proc", pid, "fd", descriptor)
		target, err := os.Readlink(link)
		if missing(err) || (err == nil && !strings.HasPrefix(target, "/")) {
			// Closed meanwhile, or a socket, a pipe and the like.
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open files of process %s: %w", pid, err)
		}
		// A file that cannot be looked at is on a filesystem of its owner's alone (FUSE), and is no device.
		if number, err := n.Number(link); err == nil {
			numbers[number] = true
		}
	}
	return numbers, nil
}
