// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// memoryDisk is a disk in memory: blocks that were never written are zeros.
type memoryDisk struct {
	number    Number
	sizeBytes int64
	blocks    map[int64][]byte
	// busy refuses exclusive opens, locked refuses the lock, unreadable fails reads from this byte on.
	busy, locked bool
	unreadable   int64
	// hangs is how long a read takes; opens counts how often it was opened.
	hangs time.Duration
	opens int
	// writes counts what was written and discarded, in order; failAfter makes the writes after that many fail, as a power
	// failure does.
	writes    []string
	failAfter int
	// discard is what the disk says when it is told to discard. It holds zeros there; with garbage, something else each
	// time it is read.
	discard   func() error
	garbage   bool
	discarded [][2]int64
	reads     byte
	// scsi are the answers to SCSI commands; without any it takes none.
	scsi []scsiAnswer
	// onClose is what the kernel and udev do once the disk is closed after writing; onReread when they are told to look.
	// onOpen and onSync happen when it is opened to be written and when writes are waited for.
	onClose, onReread, onOpen, onSync func()
}

const memoryBlock = 512

func newMemoryDisk(number Number, sizeBytes int64) *memoryDisk {
	return &memoryDisk{number: number, sizeBytes: sizeBytes, blocks: map[int64][]byte{}, unreadable: -1, failAfter: -1}
}

// memoryHandle is an open memoryDisk.
type memoryHandle struct {
	*memoryDisk
	how   mode
	wrote bool
}

func (h *memoryHandle) ReadAt(p []byte, offset int64) (int, error) {
	if offset%memoryBlock != 0 || len(p)%memoryBlock != 0 {
		return 0, syscall.EINVAL
	}
	if offset < 0 || offset+int64(len(p)) > h.sizeBytes {
		return 0, io.ErrUnexpectedEOF
	}
	if h.hangs > 0 {
		<-time.After(h.hangs)
	}
	if h.unreadable >= 0 && offset+int64(len(p)) > h.unreadable {
		return 0, syscall.EIO
	}
	for at := 0; at < len(p); at += memoryBlock {
		clear(p[at : at+memoryBlock])
		if block, written := h.blocks[offset+int64(at)]; written {
			copy(p[at:], block)
		} else if h.garbage && h.isDiscarded(offset+int64(at)) {
			h.reads++
			p[at] = h.reads | 1
		}
	}
	return len(p), nil
}

func (h *memoryHandle) WriteAt(p []byte, offset int64) (int, error) {
	if h.how != exclusiveWrite {
		return 0, syscall.EBADF
	}
	if offset%memoryBlock != 0 || len(p)%memoryBlock != 0 || offset < 0 || offset+int64(len(p)) > h.sizeBytes {
		return 0, syscall.EINVAL
	}
	if h.failAfter >= 0 && len(h.writes) >= h.failAfter {
		return 0, syscall.EIO
	}
	h.wrote = true
	h.writes = append(h.writes, fmt.Sprintf("%d+%d", offset, len(p)))
	for at := 0; at < len(p); at += memoryBlock {
		h.blocks[offset+int64(at)] = slices.Clone(p[at : at+memoryBlock])
	}
	return len(p), nil
}

func (h *memoryHandle) Number() (Number, error)   { return h.number, nil }
func (h *memoryHandle) SizeBytes() (int64, error) { return h.sizeBytes, nil }

func (h *memoryHandle) SCSI([]byte) (scsiAnswer, error) {
	if len(h.scsi) == 0 {
		return scsiAnswer{}, errNotSCSI
	}
	next := h.scsi[0]
	h.scsi = h.scsi[1:]
	return next, nil
}

func (h *memoryHandle) Sync() error {
	if h.onSync != nil {
		h.onSync()
	}
	return nil
}

func (h *memoryHandle) Discard(offset, length int64) error {
	if h.how != exclusiveWrite {
		return syscall.EBADF
	}
	if offset%memoryBlock != 0 || length%memoryBlock != 0 || offset < 0 || length <= 0 || offset+length > h.sizeBytes {
		return syscall.EINVAL
	}
	if h.failAfter >= 0 && len(h.writes) >= h.failAfter {
		return syscall.EIO
	}
	if h.discard != nil {
		if err := h.discard(); err != nil {
			return &os.PathError{Op: "BLKDISCARD", Path: "/dev/x", Err: err}
		}
	}
	h.wrote = true
	h.writes = append(h.writes, fmt.Sprintf("discard %d+%d", offset, length))
	h.discarded = append(h.discarded, [2]int64{offset, offset + length})
	for at := range h.blocks {
		if at >= offset && at < offset+length {
			delete(h.blocks, at)
		}
	}
	return nil
}

func (d *memoryDisk) isDiscarded(offset int64) bool {
	return slices.ContainsFunc(d.discarded, func(r [2]int64) bool { return offset >= r[0] && offset < r[1] })
}

func (h *memoryHandle) Lock() error {
	if h.locked {
		return syscall.EWOULDBLOCK
	}
	return nil
}

func (h *memoryHandle) Reread() error {
	if h.onReread != nil {
		h.onReread()
	}
	return nil
}

func (h *memoryHandle) Close() error {
	if h.wrote && h.onClose != nil {
		h.onClose()
	}
	return nil
}

// put writes to the disk behind the guard's back.
func (d *memoryDisk) put(offset int64, data ...byte) {
	block := offset - offset%memoryBlock
	if d.blocks[block] == nil {
		d.blocks[block] = make([]byte, memoryBlock)
	}
	copy(d.blocks[block][offset-block:], data)
}

// content is everything other than zeros on the disk.
func (d *memoryDisk) content() map[int64]string {
	found := map[int64]string{}
	for offset, block := range d.blocks {
		if _, used := firstNonZero(block); used {
			found[offset] = string(block)
		}
	}
	return found
}

// captured are the devices of a captured tree: a device is a file that holds its number.
type captured struct {
	root  string
	disks map[Number]*memoryDisk
	// asked, if set, counts the questions about files of processes.
	asked *int
}

func (c captured) Number(path string) (Number, error) {
	if c.asked != nil && strings.HasPrefix(path, filepath.Join(c.root, "proc")+"/") {
		*c.asked++
	}
	for range 8 {
		target, err := os.Readlink(path)
		if err != nil || !filepath.IsAbs(target) {
			break
		}
		path = filepath.Join(c.root, target)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Number{}, err
	}
	content, err := os.ReadFile(target)
	if err != nil {
		return Number{}, err
	}
	number, err := parseNumber(string(content))
	if err != nil || !strings.HasPrefix(target, filepath.Join(c.root, "dev")+"/") {
		return Number{}, errNotBlock
	}
	return number, nil
}

func (c captured) Open(path string, how mode) (device, error) {
	number, err := c.Number(path)
	if err != nil {
		return nil, err
	}
	disk := c.disks[number]
	switch {
	case disk == nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.ENXIO}
	case disk.busy && how != shared:
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EBUSY}
	}
	disk.opens++
	if how == exclusiveWrite && disk.onOpen != nil {
		disk.onOpen()
	}
	return &memoryHandle{memoryDisk: disk, how: how}, nil
}

// NumberBelow resolves links as the host does; its /dev is everybody's.
func (c captured) NumberBelow(root, path string) (Number, error) {
	for range 8 {
		if strings.HasPrefix(path, "/dev/") {
			return c.Number(filepath.Join(c.root, path))
		}
		target, err := os.Readlink(filepath.Join(root, path))
		if err != nil {
			return c.Number(filepath.Join(root, path))
		}
		path = target
	}
	return Number{}, syscall.ELOOP
}

// Character takes a file below /dev that holds a number after a c for a character device.
func (c captured) Character(path string) (Number, error) {
	target, err := os.Readlink(path)
	if err == nil {
		path = filepath.Join(c.root, target)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Number{}, err
	}
	text, found := strings.CutPrefix(string(content), "c")
	if !found {
		return Number{}, errNotCharacter
	}
	return parseNumber(text)
}

func (c captured) SharesFiles(string, string) bool { return false }

// Loop answers as the file /ioctl/loopN of the tree says: a number, or an error's name. Without it, a loop device with
// a backing file is made of the device of that name, or else of a file.
func (c captured) Loop(path string) (loopStatus, error) {
	own, err := c.Number(path)
	if err != nil {
		return loopStatus{}, err
	}
	n := machine{root: c.root}
	if answer, _ := n.read("/ioctl", filepath.Base(path)); answer != "" {
		backing, err := parseNumber(answer)
		if err != nil {
			return loopStatus{}, syscall.EIO
		}
		return loopStatus{Number: own, Backing: backing}, nil
	}
	file, err := n.read("/sys/block", filepath.Base(path), "loop/backing_file")
	if err != nil || file == "" {
		return loopStatus{}, syscall.ENXIO
	}
	backing, _ := c.Number(n.path(file))
	return loopStatus{Number: own, Backing: backing}, nil
}

// plant writes a captured tree to a new directory. Its lines are a kind, a path and a value, separated by tabs; a
// newline in a value is written as \n.
func plant(t *testing.T, lines string) string {
	t.Helper()
	root := t.TempDir()
	plantIn(t, root, lines)
	return root
}

// plantIn adds to a tree.
func plantIn(t *testing.T, root, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		path, value, _ := strings.Cut(rest, "\t")
		value = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(value)
		path = filepath.Join(root, path)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch kind {
		case "file", "device":
			if kind == "file" && value != "" && !strings.HasSuffix(value, "\n") {
				value += "\n" // the kernel ends lines; the capture has left out the last end
			}
			err = errors.Join(err, os.WriteFile(path, []byte(value), 0o644))
		case "link":
			err = errors.Join(err, os.Symlink(value, path))
		case "dir":
			err = errors.Join(err, os.MkdirAll(path, 0o755))
		default:
			err = fmt.Errorf("unknown kind in line %q", line)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
