// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"fmt"
	"regexp"
	"strings"
)

// genericDevices returns the character devices through which a disk can be written to without its block device: SCSI
// generic and bsg, NVMe generic, and the controllers of an NVMe namespace. It returns their names by number.
func (n machine) genericDevices(disk string) (map[Number]string, error) {
	device := "/sys/block/" + disk + "/device"
	found := map[Number]string{}
	add := func(name string, elements ...string) error {
		text, err := n.read(append(elements, "dev")...)
		if text == "" || err != nil {
			return err
		}
		number, err := parseNumber(text)
		found[number] = "/dev/" + name
		return err
	}
	for _, class := range []string{"scsi_generic", "bsg"} {
		names, err := n.list(device, class)
		for _, name := range names {
			if err == nil {
				err = add(name, device, class, name)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if !strings.HasPrefix(disk, "nvme") {
		return found, nil
	}
	return found, n.addNVMe(device, disk, add)
}

// addNVMe adds the generic device of a namespace, and the controllers that lead to it. The namespace's device is its
// only controller, or a subsystem with all of its controllers.
func (n machine) addNVMe(device, disk string, add func(name string, elements ...string) error) error {
	controller := regexp.MustCompile(`^nvme[0-9]+$`)
	if err := add(regexp.MustCompile(`n[0-9]+$`).ReplaceAllString(disk, ""), device); err != nil {
		return err
	}
	names, err := n.list(device)
	for _, name := range names {
		if err == nil && (controller.MatchString(name) || name == "ng"+strings.TrimPrefix(disk, "nvme")) {
			err = add(name, device, name)
		}
	}
	return err
}

// freeOf returns an error if a process has one of the character devices open.
func (d openDevices) freeOf(generic map[Number]string) error {
	for number, name := range generic {
		if users := d.character[number]; len(users) > 0 {
			return usedAs(name, users)
		}
	}
	return nil
}

// freeOfRings returns an error if an io_uring holds a file named like one of the nodes, which are below /dev.
func (d openDevices) freeOfRings(nodes []string) error {
	for _, name := range nodes {
		if users := d.registered[name]; len(users) > 0 {
			return usedAs("/dev/"+name, users)
		}
	}
	if len(d.hidden) > 0 {
		return fmt.Errorf("%w: %s", errRingBusy, strings.Join(d.hidden, ", "))
	}
	return nil
}
