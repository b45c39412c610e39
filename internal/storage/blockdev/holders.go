// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// openDevices are the devices that processes other than this one have open, with the names of those processes.
type openDevices struct {
	block, character map[Number][]string
	// registered are the names of files that a process holds only through an io_uring.
	registered map[string][]string
	// hidden are processes with an io_uring whose files the kernel does not list.
	hidden []string
}

// free returns an error if a process has the device open.
func (d openDevices) free(number Number) error {
	if users := d.block[number]; len(users) > 0 {
		return fmt.Errorf("it is open in %s", strings.Join(users, ", "))
	}
	return nil
}

// opened is what one process has open.
type opened struct {
	block, character map[Number]bool
	registered       map[string]bool
	hidden           bool
}

// openDevices examines every open and every mapped file of every process.
func (n machine) openDevices() (openDevices, error) {
	pids, err := n.processes()
	if err != nil {
		return openDevices{}, fmt.Errorf("nobody can say who has it open: %w", err)
	}
	all := openDevices{block: map[Number][]string{}, character: map[Number][]string{}, registered: map[string][]string{}}
	ordinary := map[string]bool{}
	for _, pid := range pids {
		if pid == strconv.Itoa(os.Getpid()) {
			continue
		}
		found, err := n.openIn(pid)
		if err == nil {
			err = n.addMapped(&found, pid, ordinary)
		}
		if err != nil {
			return openDevices{}, fmt.Errorf("nobody can say who has it open: %w", err)
		}
		all.add(found, n.process(pid))
	}
	return all, nil
}

// process names a process in messages.
func (n machine) process(pid string) string {
	name, _ := n.read("/proc", pid, "comm")
	return fmt.Sprintf("process %s (%s)", pid, name)
}

func (d *openDevices) add(found opened, process string) {
	for number := range found.block {
		d.block[number] = append(d.block[number], process)
	}
	for number := range found.character {
		d.character[number] = append(d.character[number], process)
	}
	for name := range found.registered {
		d.registered[name] = append(d.registered[name], process)
	}
	if found.hidden {
		d.hidden = append(d.hidden, process)
	}
}

// openIn returns the devices that a process has open, whatever their names.
func (n machine) openIn(pid string) (opened, error) {
	found := opened{block: map[Number]bool{}, character: map[Number]bool{}, registered: map[string]bool{}}
	tables, err := n.fileTables(pid)
	for _, table := range tables {
		if err == nil {
			err = n.addOpen(&found, table)
		}
	}
	if err != nil {
		return opened{}, fmt.Errorf("open files of process %s: %w", pid, err)
	}
	return found, nil
}

// fileTables are the directories below /proc that together show all descriptors of a process. Several are needed:
// threads may have their own descriptors, and may outlive the main thread.
func (n machine) fileTables(pid string) ([]string, error) {
	tables := []string{"/proc/" + pid}
	threads, err := n.list("/proc", pid, "task")
	if err != nil && !ended(err) {
		return nil, err
	}
	for _, thread := range threads {
		if thread != pid && !n.SharesFiles(pid, thread) {
			tables = append(tables, "/proc/"+pid+"/task/"+thread)
		}
	}
	return tables, nil
}

// addOpen adds the files in a table of descriptors.
func (n machine) addOpen(found *opened, table string) error {
	descriptors, err := n.list(table, "fd")
	if err != nil && !ended(err) {
		return err
	}
	for _, descriptor := range descriptors {
		link := n.path(table, "fd", descriptor)
		target, err := os.Readlink(link)
		switch {
		case missing(err): // closed meanwhile
		case err != nil:
			return err
		case target == ringLink:
			err = n.addRegistered(found, table, descriptor)
		case strings.HasPrefix(target, "/"): // others are sockets, pipes and the like
			n.addDevice(found, link)
		}
		if err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

// addDevice adds the device that a link leads to, and says whether the link certainly leads to no device. A file that
// cannot be examined has been closed meanwhile, or is on a filesystem that only its owner may access (FUSE).
func (n machine) addDevice(found *opened, link string) (isOrdinary bool) {
	number, err := n.Number(link)
	if err == nil {
		found.block[number] = true
		return false
	}
	if !errors.Is(err, errNotBlock) {
		return false
	}
	number, err = n.Character(link)
	if err == nil {
		found.character[number] = true
	}
	return errors.Is(err, errNotCharacter)
}

// usedAs says as what the disk is open, and in which processes.
func usedAs(name string, users []string) error {
	slices.Sort(users)
	return fmt.Errorf("it is open as %s in %s", name, strings.Join(slices.Compact(users), ", "))
}
