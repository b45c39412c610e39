// SPDX-License-Identifier: Apache-2.0

//go:build node

// The tests of this file run as root on a storage node with real OpenZFS and OVERWRITE one disk of it:
//
//	CGO_ENABLED=0 go test -c -tags node -o blockdev-node.test ./internal/storage/blockdev
//	ZFSBENCH_NODE_DISK=/dev/disk/by-id/... ./blockdev-node.test -test.v -test.run TestNode
//
// The disk must be blank; it is blank afterwards. 80 MiB are enough, and make the tests quick. Besides the guard's
// tools they need the tools for ext4, XFS, btrfs, FAT, LVM, md, LUKS and GPT, and perl. Without the variable the tests
// fail.
package blockdev

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
)

const (
	nodeComment = "0123456789abcdef0123456789abcdef"
	nodePool    = "zfsbench-node-test"
)

// nodeDisk is the disk under test, with everything that the tests do to it besides the guard.
type nodeDisk struct {
	guard *Guard
	zfs   *zfs.Client
	want  Want
	// path and size are the disk's, whatever want says.
	path string
	size int64
}

func newNodeDisk(t *testing.T) *nodeDisk {
	t.Helper()
	path := os.Getenv("ZFSBENCH_NODE_DISK")
	if path == "" {
		t.Fatal("ZFSBENCH_NODE_DISK names no disk to overwrite")
	}
	n := &nodeDisk{guard: New(hostexec.Local(), hostexec.Host(), NewResidues(t.TempDir())), zfs: zfs.New(hostexec.Host())}
	serial := strings.TrimSpace(n.run(t, "lsblk", "-dno", "SERIAL", path))
	size, err := strconv.ParseInt(strings.TrimSpace(n.run(t, "blockdev", "--getsize64", path)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	n.path, n.size = path, size
	n.want = Want{Name: "d0", Path: path, Serial: serial, SizeBytes: size}
	n.mustBeBlank(t)
	// What a test leaves is known to its own guard only.
	t.Cleanup(func() { n.wipe(t) })
	return n
}

func (n *nodeDisk) run(t *testing.T, args ...string) string {
	t.Helper()
	return n.feed(t, "", args...)
}

func (n *nodeDisk) feed(t *testing.T, input string, args ...string) string {
	t.Helper()
	result, err := hostexec.Local().Run(context.WithoutCancel(t.Context()),
		hostexec.Cmd{Args: args, Stdin: strings.NewReader(input)})
	if err != nil {
		t.Fatal(err)
	}
	return string(result.Stdout)
}

func (n *nodeDisk) mustBeBlank(t *testing.T) Disk {
	t.Helper()
	disk, err := n.guard.Check(t.Context(), n.want)
	if err != nil {
		t.Fatalf("the disk is not blank: %v", err)
	}
	return disk
}

// wipe zeroes the disk after a test put something on it, and waits until the kernel shows nothing on it.
func (n *nodeDisk) wipe(t *testing.T) {
	t.Helper()
	n.run(t, "udevadm", "settle")
	n.run(t, "blkdiscard", "-q", "-f", "-z", n.path)
	n.run(t, "blockdev", "--rereadpt", n.path)
	n.run(t, "udevadm", "settle")
}

// settle waits until everything written is on the medium and udev has looked at it.
func (n *nodeDisk) settle(t *testing.T) {
	t.Helper()
	n.run(t, "sync")
	n.run(t, "udevadm", "settle")
}

// print is a fingerprint of the disk: the sha256 of every byte of it, as the medium has them, and how many sectors were
// ever written to it. Pages of zeros go into the sum as their absence, since an emulated node takes long to sum them.
func (n *nodeDisk) print(t *testing.T) string {
	t.Helper()
	fd, err := unix.Open(n.path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	disk := &blockFile{fd: fd, path: n.path, buffer: aligned(t)}
	hash := sha256.New()
	block := make([]byte, mebibyte)
	for offset := int64(0); offset < n.size; offset += mebibyte {
		if _, err := disk.ReadAt(block, offset); err != nil {
			t.Fatal(err)
		}
		for page := int64(0); page < mebibyte; page += 4096 {
			if data := block[page : page+4096]; !allZero(data) {
				fmt.Fprintf(hash, "%d:", offset+page)
				hash.Write(data)
			}
		}
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x, %s sectors written", hash.Sum(nil), n.written(t))
}

func allZero(data []byte) bool {
	_, some := firstNonZero(data)
	return !some
}

// written is how many sectors were ever written to the disk.
func (n *nodeDisk) written(t *testing.T) string {
	t.Helper()
	device, err := filepath.EvalSymlinks(n.path)
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/sys/block/" + filepath.Base(device) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(stat))[6]
}

// quiet waits until its user has written nothing to the disk for longer than OpenZFS takes to write out a transaction
// group.
func (n *nodeDisk) quiet(t *testing.T) {
	t.Helper()
	for before := ""; before != n.written(t); {
		before = n.written(t)
		n.run(t, "sleep", "7")
	}
}

func aligned(t *testing.T) []byte {
	t.Helper()
	buffer, err := unix.Mmap(-1, 0, mebibyte, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	return buffer
}

// owned is the record of a partition table with new GUIDs.
func (n *nodeDisk) owned() result.OwnedDevice {
	return result.OwnedDevice{
		Name: n.want.Name, Path: n.want.Path, Serial: n.want.Serial, SizeBytes: n.want.SizeBytes, DiskGUID: newGUID(),
		Partitions: []result.OwnedPartition{{Name: n.want.Name, GUID: newGUID()}},
	}
}

func newGUID() string {
	var g guid
	_, _ = rand.Read(g[:])
	return g.String()
}

func (n *nodeDisk) createPool(t *testing.T, partition string) zfs.Pool {
	t.Helper()
	err := n.zfs.CreatePool(t.Context(), zfs.CreatePool{
		Name: nodePool, Comment: nodeComment, Layout: []string{partition},
		UserProperties: map[string]string{zfs.OwnerProperty: "node-test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	pools, err := n.zfs.Pools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, pool := range pools {
		if pool.Name == nodePool {
			return pool
		}
	}
	t.Fatalf("pool %s is not imported", nodePool)
	return zfs.Pool{}
}

func wantStep(t *testing.T, err error, want ...Step) {
	t.Helper()
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("error %v, want a refusal", err)
	}
	for _, step := range want {
		if refusal.Step == step {
			t.Log(refusal)
			return
		}
	}
	t.Fatalf("refused by step %s, want %v: %v", refusal.Step, want, err)
}

func TestNodeLifecycle(t *testing.T) {
	n := newNodeDisk(t)
	for i := range 2 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			disk := n.mustBeBlank(t)
			own := n.owned()
			made, err := n.guard.Partition(t.Context(), disk, own, true)
			if err != nil {
				t.Fatal(err)
			}
			n.run(t, "sfdisk", "--verify", n.want.Path)
			n.run(t, "sgdisk", "--verify", n.want.Path)
			if err := n.guard.Prove(t.Context(), own); err != nil {
				t.Fatal(err)
			}
			pool := n.createPool(t, made.Paths[0])
			if err := n.guard.Prove(t.Context(), own); err != nil {
				t.Error(err)
			}
			_, err = n.guard.Check(t.Context(), n.want)
			wantStep(t, err, StepPartitions)
			wantStep(t, n.guard.Release(t.Context(), own, nodeComment), StepOpen)
			facts, err := n.zfs.PoolFacts(t.Context(), nodePool, nodePool)
			if err != nil || len(facts.Ashift) != 1 || facts.Health != "ONLINE" {
				t.Errorf("facts %+v, error %v", facts, err)
			}
			if err := n.zfs.Export(t.Context(), pool.Name, pool.GUID); err != nil {
				t.Fatal(err)
			}
			wantStep(t, n.guard.Release(t.Context(), own, strings.Repeat("f", 32)), StepOwnership)
			other := n.owned()
			other.DiskGUID = own.DiskGUID
			wantStep(t, n.guard.Release(t.Context(), other, nodeComment), StepOwnership)
			for range 2 {
				if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
					t.Fatal(err)
				}
				n.mustBeBlank(t)
			}
			if _, err := os.Lstat(made.Paths[0]); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", made.Paths[0], err)
			}
		})
	}
}

// TestNodeCrash stops in the middle of what Partition and Release do.
func TestNodeCrash(t *testing.T) {
	n := newNodeDisk(t)
	tests := map[string]func(t *testing.T, own result.OwnedDevice, disk Disk){
		"before anything": func(*testing.T, result.OwnedDevice, Disk) {},
		"after the partition": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			if _, err := n.guard.Partition(t.Context(), disk, own, true); err != nil {
				t.Fatal(err)
			}
		},
		"within the table": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			n.writeSome(t, own, disk, func(table table) []extent { _, header, _, _ := table.pieces(); return []extent{header} })
		},
		"with the mark alone": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			n.writeSome(t, own, disk, func(table table) []extent { return []extent{table.markExtent()} })
			n.settle(t)
			if found := n.run(t, "wipefs", "--no-act", "--noheadings", n.want.Path); found != "" {
				t.Errorf("wipefs takes the mark for something: %s", found)
			}
			if known := n.run(t, "lsblk", "-no", "PTTYPE,NAME", n.want.Path); strings.Contains(known, "gpt") {
				t.Errorf("udev takes the mark for a table: %s", known)
			}
		},
		"with the second table alone": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			n.writeSome(t, own, disk, func(table table) []extent { _, _, _, second := table.pieces(); return []extent{second} })
		},
		"with the pool left exported": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			made, err := n.guard.Partition(t.Context(), disk, own, true)
			if err != nil {
				t.Fatal(err)
			}
			pool := n.createPool(t, made.Paths[0])
			if err := n.zfs.Export(t.Context(), pool.Name, pool.GUID); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, crash := range tests {
		t.Run(name, func(t *testing.T) {
			own := n.owned()
			crash(t, own, n.mustBeBlank(t))
			if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
				t.Fatal(err)
			}
			n.mustBeBlank(t)
		})
	}
}

// writeSome writes parts of the table, as if the rest never reached the disk.
func (n *nodeDisk) writeSome(t *testing.T, own result.OwnedDevice, disk Disk, parts func(table) []extent) {
	t.Helper()
	table, err := newTable(&disk, own)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := linux{}.Open(disk.Device, exclusiveWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeAll(opened, parts(table)...), opened.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestNodeZeroedHead zeroes the first MiB of a disk of ours after a stranger made a filesystem in the partition, so
// that the kernel no longer shows it: it stays.
func TestNodeZeroedHead(t *testing.T) {
	n := newNodeDisk(t)
	t.Cleanup(func() { n.wipe(t) })
	own := n.owned()
	made, err := n.guard.Partition(t.Context(), n.mustBeBlank(t), own, true)
	if err != nil {
		t.Fatal(err)
	}
	n.run(t, "mkfs.ext4", "-q", made.Paths[0])
	n.write(t, 0, make([]byte, mebibyte))
	n.settle(t)
	n.run(t, "blockdev", "--rereadpt", n.want.Path)
	n.settle(t)
	before := n.print(t)
	wantStep(t, n.guard.Release(t.Context(), own, nodeComment), StepOwnership)
	if after := n.print(t); after != before {
		t.Errorf("the disk was changed:\nbefore %s\nafter  %s", before, after)
	}
}

// TestNodeForeignContent puts a stranger's filesystem into our partition: it stays.
func TestNodeForeignContent(t *testing.T) {
	n := newNodeDisk(t)
	t.Cleanup(func() { n.wipe(t) })
	own := n.owned()
	made, err := n.guard.Partition(t.Context(), n.mustBeBlank(t), own, true)
	if err != nil {
		t.Fatal(err)
	}
	n.run(t, "mkfs.ext4", "-q", made.Paths[0])
	n.run(t, "udevadm", "settle")
	before := n.print(t)
	wantStep(t, n.guard.Release(t.Context(), own, nodeComment), StepOwnership)
	if after := n.print(t); after != before {
		t.Errorf("the disk was changed:\nbefore %s\nafter  %s", before, after)
	}
}
