// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// openPatience is how long udev or a monitoring tool may have a disk open briefly.
const openPatience = 5 * time.Second

// checkOpen requires a disk that no process has open, including its partitions, and that the kernel gives to us alone.
// It tries again only if the disk is open at first.
func (g *Guard) checkOpen(ctx context.Context, look *hostState, disk *Disk) error {
	open := look.open
	return retry(ctx, openPatience, func() error {
		err := g.tryOpen(look.tree, disk, open)
		open = g.node.openDevices
		return err
	})
}

// tryOpen makes one attempt. It checks that the exclusive descriptor is the disk, and closes it again.
func (g *Guard) tryOpen(all tree, disk *Disk, open func() (openDevices, error)) (err error) {
	devices, err := open()
	if err != nil {
		return err
	}
	if err := g.checkFree(all, disk, devices); err != nil {
		return err
	}
	opened, err := g.node.Open(g.node.path(disk.Device), exclusive)
	if err != nil {
		return fmt.Errorf("it is in use: %w", err)
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	return g.stillTheDisk(opened, disk)
}

// checkFree requires a device that no process has open: neither the device, nor a partition of it, nor a character
// device that leads to it.
func (g *Guard) checkFree(all tree, disk *Disk, devices openDevices) error {
	name := filepath.Base(disk.Device)
	nodes := []string{name}
	if err := devices.free(disk.Number); err != nil {
		return err
	}
	for _, p := range all.partitions(name) {
		if err := devices.free(p.Number); err != nil {
			return fmt.Errorf("its partition %s: %w", p.Name, err)
		}
		nodes = append(nodes, p.Name)
	}
	generic, err := g.node.genericDevices(name)
	if err != nil {
		return fmt.Errorf("nobody can say by which character devices it can be reached: %w", err)
	}
	if err := devices.freeOf(generic); err != nil {
		return err
	}
	for _, device := range generic {
		nodes = append(nodes, strings.TrimPrefix(device, "/dev/"))
	}
	return devices.freeOfRings(nodes)
}

// stillTheDisk makes sure that an open device is the disk that was checked, and not a disk that has replaced it: while
// the device is open, the kernel gives its number to no other.
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
		return errors.New("another disk has replaced it")
	}
	if now.Serial != "" && joinWords(now.Serial) != joinWords(disk.Serial) {
		return fmt.Errorf("its serial number has become %q", now.Serial)
	}
	return nil
}
