// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const (
	// volumeWait is how long a volume's device may take to appear.
	volumeWait = 60 * time.Second
	// volumePoll is how often the device is looked for.
	volumePoll = 50 * time.Millisecond
)

// Volume is a zvol to create.
type Volume struct {
	Name      string
	SizeBytes int64
	// Sparse leaves out the reservation.
	Sparse     bool
	Properties map[string]string
}

// CreateVolume creates a volume, waits for its block device, and returns the path of that, /dev/zdN.
func (c *Client) CreateVolume(ctx context.Context, volume Volume) (string, error) {
	argv, err := createVolumeArgs(volume)
	if err != nil {
		return "", fmt.Errorf("create volume %s: %w", volume.Name, err)
	}
	if _, err := c.run(ctx, argv...); err != nil {
		return "", fmt.Errorf("create volume %s: %w", volume.Name, err)
	}
	device, err := c.VolumeDevice(ctx, volume.Name)
	if err != nil {
		return "", fmt.Errorf("create volume %s: %w", volume.Name, err)
	}
	return device, nil
}

// createVolumeArgs is the argument vector of CreateVolume. With the module's default volmode, volumes may be hidden;
// dev shows the device and never looks for partitions on it.
func createVolumeArgs(volume Volume) ([]string, error) {
	if err := checkDatasetName(volume.Name); err != nil {
		return nil, err
	}
	assigned, err := assignments("-o", volume.Properties, reservedDataset()...)
	if err != nil {
		return nil, err
	}
	argv := []string{"zfs", "create", "-V", strconv.FormatInt(volume.SizeBytes, 10)}
	if volume.Sparse {
		argv = append(argv, "-s")
	}
	argv = append(argv, "-o", "volmode=dev")
	return append(append(argv, assigned...), volume.Name), nil
}

// VolumeDevice waits for the link that udev makes some time after a volume was created or imported, and returns the
// path of the block device, /dev/zdN.
func (c *Client) VolumeDevice(ctx context.Context, name string) (string, error) {
	if err := checkDatasetName(name); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, volumeWait,
		fmt.Errorf("no device /dev/zvol/%s after %v", name, volumeWait))
	defer cancel()
	poll := time.NewTicker(volumePoll)
	defer poll.Stop()
	link := filepath.Join(c.root, "/dev/zvol", name)
	for {
		device, err := filepath.EvalSymlinks(link)
		if err == nil {
			return device, nil
		}
		if !os.IsNotExist(err) {
			return "", err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}
