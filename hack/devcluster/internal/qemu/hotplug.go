package qemu

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ErrDiskMissing is a disk the machine does not have.
var ErrDiskMissing = errors.New("the machine has no such disk")

// AddDisk plugs the disk in. Its file must be in the machine's directory.
func (q *QMP) AddDisk(d Disk) error {
	// drive_add, unlike blockdev-add, makes a backend that throttles in the same way as the command line's.
	var answer string
	line := "drive_add 0 " + d.drive()
	if err := q.Execute("human-monitor-command", map[string]string{"command-line": line}, &answer); err != nil {
		return fmt.Errorf("add disk %s: %w", d.Name, err)
	}
	if strings.TrimSpace(answer) != "OK" {
		return fmt.Errorf("add disk %s: monitor says %q", d.Name, strings.TrimSpace(answer))
	}
	err := q.Execute("device_add", map[string]string{
		"driver": "virtio-blk-pci", "drive": d.Name, "id": d.device(), "serial": d.Serial(),
	}, nil)
	if err != nil {
		return fmt.Errorf("add disk %s: %w", d.Name, errors.Join(err, q.deleteDrive(d)))
	}
	return nil
}

// RemoveDisk unplugs the disk and returns when the node has let go of it. The drive goes with the device.
func (q *QMP) RemoveDisk(d Disk) error {
	err := q.Execute("device_del", map[string]string{"id": d.device()}, nil)
	var refused *QMPError
	if errors.As(err, &refused) && refused.Class == "DeviceNotFound" {
		return fmt.Errorf("remove disk %s: %w", d.Name, ErrDiskMissing)
	}
	if err != nil {
		return fmt.Errorf("remove disk %s: %w", d.Name, err)
	}
	err = q.WaitEvent("DEVICE_DELETED", func(data json.RawMessage) bool {
		var deleted struct {
			Device string `json:"device"`
		}
		return json.Unmarshal(data, &deleted) == nil && deleted.Device == d.device()
	})
	if err != nil {
		return fmt.Errorf("remove disk %s: %w", d.Name, err)
	}
	return nil
}

// FailDisk takes away what is behind the disk: it stays visible, and every access to it fails until the machine is
// powered off.
func (q *QMP) FailDisk(d Disk) error {
	if err := q.deleteDrive(d); err != nil {
		return fmt.Errorf("fail disk %s: %w", d.Name, err)
	}
	return nil
}

// SetThrottle changes the limits of a disk at once.
func (q *QMP) SetThrottle(d Disk) error {
	err := q.Execute("block_set_io_throttle", map[string]any{
		// The disk's backend belongs to the virtio device inside the PCI device.
		"id":  "/machine/peripheral/" + d.device() + "/virtio-backend",
		"bps": d.Throttle.BytesPerSecond, "bps_rd": 0, "bps_wr": 0,
		"iops": d.Throttle.IOPS, "iops_rd": 0, "iops_wr": 0,
	}, nil)
	if err != nil {
		return fmt.Errorf("throttle disk %s: %w", d.Name, err)
	}
	return nil
}

// SetLink plugs the network cable in or pulls it.
func (q *QMP) SetLink(up bool) error {
	return q.Execute("set_link", map[string]any{"name": "net0", "up": up}, nil)
}

func (q *QMP) deleteDrive(d Disk) error {
	return q.Execute("human-monitor-command", map[string]string{"command-line": "drive_del " + d.Name}, nil)
}
