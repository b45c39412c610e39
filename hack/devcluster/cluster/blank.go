package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// BlankDisk discards everything on a disk and returns when every byte of it is zero. A disk that is in use (a
// mounted filesystem, an imported pool) is refused by the node's kernel.
func (n *Node) BlankDisk(ctx context.Context, name string) error {
	disks, err := n.Disks()
	if err != nil {
		return fmt.Errorf("blank disk %s of %s: %w", name, n.name, err)
	}
	i := findDisk(disks, name)
	if i < 0 {
		return fmt.Errorf("blank disk %s of %s: it is not plugged in", name, n.name)
	}
	device := disks[i].DevicePath()
	for _, args := range [][]string{
		{"blkdiscard", device},
		// Partitions of a table that is gone, and the links to them, go too.
		{"blockdev", "--rereadpt", device},
		{"udevadm", "settle"},
	} {
		if _, _, err := n.Run(ctx, Command{Args: args}); err != nil {
			return fmt.Errorf("blank disk %s: %w", name, err)
		}
	}
	if err := checkZero(filepath.Join(n.cluster.run.node(n.name), disks[i].File())); err != nil {
		return fmt.Errorf("blank disk %s of %s: %w", name, n.name, err)
	}
	return nil
}

// checkZero reads the parts of a sparse file that are not holes.
func checkZero(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for offset := int64(0); ; {
		begin, err := unix.Seek(int(f.Fd()), offset, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return nil // only a hole is left
		}
		if err != nil {
			return fmt.Errorf("look for data: %w", err)
		}
		end, err := unix.Seek(int(f.Fd()), begin, unix.SEEK_HOLE)
		if err != nil {
			return fmt.Errorf("look for a hole: %w", err)
		}
		if err := checkZeroRange(io.NewSectionReader(f, begin, end-begin)); err != nil {
			return fmt.Errorf("between bytes %d and %d: %w", begin, end, err)
		}
		offset = end
	}
}

func checkZeroRange(r io.Reader) error {
	buffer, zeros := make([]byte, mebibyte), make([]byte, mebibyte)
	for {
		n, err := r.Read(buffer)
		if !bytes.Equal(buffer[:n], zeros[:n]) {
			return errors.New("the disk is not blank")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
