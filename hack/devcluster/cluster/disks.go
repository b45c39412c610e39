package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"zfsbench.io/operator/hack/devcluster/internal/qemu"
)

// Disks returns the data disks that are plugged in.
func (n *Node) Disks() ([]Disk, error) {
	s, err := n.cluster.run.readState()
	if err != nil {
		return nil, fmt.Errorf("list disks of %s: %w", n.name, err)
	}
	node, err := s.node(n.name)
	if err != nil {
		return nil, err
	}
	return node.Disks, nil
}

// AddDisk plugs a disk in and returns when the node has its stable path. A disk that was removed before keeps
// its contents, and its size too when SizeBytes is zero. A disk that is plugged in is an error.
func (n *Node) AddDisk(ctx context.Context, disk Disk) (Disk, error) {
	err := n.changeDisks(ctx, func(node *nodeState) error {
		if i := findDisk(node.Disks, disk.Name); i >= 0 {
			return fmt.Errorf("it is plugged in already")
		}
		path := filepath.Join(n.cluster.run.node(n.name), disk.File())
		disk.Node = node.Index
		if err := completeSize(&disk, path); err != nil {
			return err
		}
		if err := disk.Validate(); err != nil {
			return err
		}
		if err := makeDiskFile(path, disk.SizeBytes); err != nil {
			return err
		}
		node.Disks = append(node.Disks, disk)
		return n.monitor(ctx, func(q *qemu.QMP) error { return q.AddDisk(disk) })
	})
	if err != nil {
		return Disk{}, fmt.Errorf("add disk %s to %s: %w", disk.Name, n.name, err)
	}
	if err := n.waitDevice(ctx, disk); err != nil {
		return Disk{}, fmt.Errorf("add disk %s to %s: %w", disk.Name, n.name, err)
	}
	return disk, nil
}

// completeSize takes the size of the file that a removed disk left.
func completeSize(disk *Disk, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if disk.SizeBytes != 0 && disk.SizeBytes != info.Size() {
		return fmt.Errorf("it was removed with %d bytes and cannot come back with %d", info.Size(), disk.SizeBytes)
	}
	disk.SizeBytes = info.Size()
	return nil
}

// RemoveDisk unplugs a disk, in use or not, and returns when the node has let go of it. Its contents stay and
// AddDisk brings them back, unless erase is set.
func (n *Node) RemoveDisk(ctx context.Context, name string, erase bool) error {
	err := n.changeDisks(ctx, func(node *nodeState) error {
		i := findDisk(node.Disks, name)
		if i < 0 {
			return fmt.Errorf("it is not plugged in")
		}
		disk := node.Disks[i]
		if err := n.monitor(ctx, func(q *qemu.QMP) error { return q.RemoveDisk(disk) }); err != nil {
			return err
		}
		node.Disks = slices.Delete(node.Disks, i, i+1)
		if erase {
			return os.Remove(filepath.Join(n.cluster.run.node(n.name), disk.File()))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("remove disk %s of %s: %w", name, n.name, err)
	}
	return nil
}

// FailDisk makes every access to a disk fail from now on, as that to a disk whose electronics died. Kill and Start
// bring it back, with its contents.
func (n *Node) FailDisk(ctx context.Context, name string) error {
	err := n.changeDisks(ctx, func(node *nodeState) error {
		i := findDisk(node.Disks, name)
		if i < 0 {
			return fmt.Errorf("it is not plugged in")
		}
		return n.monitor(ctx, func(q *qemu.QMP) error { return q.FailDisk(node.Disks[i]) })
	})
	if err != nil {
		return fmt.Errorf("fail disk %s of %s: %w", name, n.name, err)
	}
	return nil
}

// ThrottleDisk changes a disk's limits at once and for later boots.
func (n *Node) ThrottleDisk(ctx context.Context, name string, throttle Throttle) error {
	err := n.changeDisks(ctx, func(node *nodeState) error {
		i := findDisk(node.Disks, name)
		if i < 0 {
			return fmt.Errorf("it is not plugged in")
		}
		node.Disks[i].Throttle = throttle
		if err := node.Disks[i].Validate(); err != nil {
			return err
		}
		return n.monitor(ctx, func(q *qemu.QMP) error { return q.SetThrottle(node.Disks[i]) })
	})
	if err != nil {
		return fmt.Errorf("throttle disk %s of %s: %w", name, n.name, err)
	}
	return nil
}

// changeDisks lets change act on the node and then writes down what it made of the node's description.
func (n *Node) changeDisks(ctx context.Context, change func(*nodeState) error) error {
	unlock, err := n.cluster.run.lock(ctx, n.cluster.report)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := n.cluster.run.readState()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.Nodes, func(node nodeState) bool { return node.Name == n.name })
	if i < 0 {
		return fmt.Errorf("the cluster has no node %q", n.name)
	}
	if err := change(&s.Nodes[i]); err != nil {
		return err
	}
	return n.cluster.run.writeState(s)
}

// monitor calls fn with the machine's monitor, or not at all when the machine is off: it will start with the
// changed description.
func (n *Node) monitor(ctx context.Context, fn func(*qemu.QMP) error) error {
	if err := n.checkPower(); errors.Is(err, ErrPoweredOff) {
		return nil
	} else if err != nil {
		return err
	}
	q, err := qemu.DialQMP(ctx, n.cluster.run.node(n.name))
	if err != nil {
		return err
	}
	return errors.Join(fn(q), q.Close())
}

// waitDevice returns when udev on the node has made the disk's stable path.
func (n *Node) waitDevice(ctx context.Context, disk Disk) error {
	if err := n.checkPower(); errors.Is(err, ErrPoweredOff) {
		return nil
	} else if err != nil {
		return err
	}
	args := []string{"udevadm", "wait", "--timeout=60", "--initialized=yes", disk.DevicePath()}
	_, _, err := n.Run(ctx, Command{Args: args})
	return err
}

func findDisk(disks []Disk, name string) int {
	return slices.IndexFunc(disks, func(d Disk) bool { return d.Name == name })
}
