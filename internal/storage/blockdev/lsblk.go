// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"zfsbench.io/operator/internal/node/hostexec"
)

// lsblkDevice is a device as lsblk sees it, partly through udev, whose data may be old. It can only count against a
// disk.
type lsblkDevice struct {
	Name        string    `json:"name"`
	Number      string    `json:"maj:min"`
	Type        string    `json:"type"`
	FSType      *string   `json:"fstype"`
	PTType      *string   `json:"pttype"`
	MountPoints []*string `json:"mountpoints"`
	// ReadOnly and Size were strings before util-linux 2.33.
	ReadOnly any   `json:"ro"`
	Size     any   `json:"size"`
	Children []any `json:"children"`
}

// lsblk returns everything in lsblk's output that counts against the disk.
func (g *Guard) lsblk(ctx context.Context, disk *Disk, kernel block) ([]string, error) {
	columns := "NAME,MAJ:MIN,TYPE,FSTYPE,PTTYPE,MOUNTPOINTS,RO,SIZE"
	result, err := g.local.Run(ctx,
		hostexec.Cmd{Args: []string{"lsblk", "--json", "--bytes", "--output", columns, disk.Device}})
	if err != nil {
		return nil, fmt.Errorf("lsblk could not look at it: %w", err)
	}
	listed, err := parseLsblk(bytes.NewReader(result.Stdout))
	if err != nil {
		return nil, err
	}
	return listed.against(kernel), nil
}

// parseLsblk reads the only device in the output of `lsblk --json`.
func parseLsblk(r io.Reader) (lsblkDevice, error) {
	var listed struct {
		Devices []lsblkDevice `json:"blockdevices"`
	}
	if err := decodeOne(r, &listed); err != nil {
		return lsblkDevice{}, fmt.Errorf("lsblk: %w", err)
	}
	if len(listed.Devices) != 1 {
		return lsblkDevice{}, fmt.Errorf("lsblk lists %d devices instead of one", len(listed.Devices))
	}
	return listed.Devices[0], nil
}

// against returns every value that differs from a blank, free disk, or from the kernel's view.
func (d lsblkDevice) against(kernel block) []string {
	var found []string
	differs := func(what, got, want string) {
		if got != want {
			found = append(found, fmt.Sprintf("%s is %s instead of %s (lsblk)", what, got, want))
		}
	}
	differs("the name", d.Name, kernel.Name)
	differs("the number", d.Number, kernel.Number.String())
	differs("the type", d.Type, "disk")
	differs("the size", fmt.Sprint(d.Size), fmt.Sprint(kernel.SizeBytes))
	if ro := fmt.Sprint(d.ReadOnly); ro != "false" && ro != "0" {
		found = append(found, "read-only (lsblk)")
	}
	if d.FSType != nil && *d.FSType != "" {
		found = append(found, "signature "+*d.FSType+" (lsblk)")
	}
	if d.PTType != nil && *d.PTType != "" {
		found = append(found, "partition table "+*d.PTType+" (lsblk)")
	}
	for _, point := range d.MountPoints {
		if point != nil && *point != "" {
			found = append(found, "mounted at "+*point+" (lsblk)")
		}
	}
	if len(d.Children) > 0 {
		found = append(found, "partitions or mappings (lsblk)")
	}
	return found
}
