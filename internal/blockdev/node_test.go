// SPDX-License-Identifier: Apache-2.0

//go:build node

// The tests of this file run as root on a storage node with real OpenZFS and OVERWRITE one disk of it:
//
//	CGO_ENABLED=0 go test -c -tags node -o blockdev-node.test ./internal/blockdev
//	ZFSBENCH_NODE_DISK=/dev/disk/by-id/... ./blockdev-node.test -test.v -test.run TestNode
//
// The disk must be blank; it is blank afterwards. mkfs.ext4, mkfs.xfs, sfdisk, lvm and sgdisk are needed besides the tools of the guard. Without the variable the tests
// fail.
package blockdev

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/zfs"
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
	n.want = Want{Name: "d0", Path: path, Serial: serial, SizeBytes: size}
	n.mustBeBlank(t)
	return n
}

func (n *nodeDisk) run(t *testing.T, args ...string) string {
	t.Helper()
	return n.feed(t, "", args...)
}

func (n *nodeDisk) feed(t *testing.T, input string, args ...string) string {
	t.Helper()
	result, err := hostexec.Local().Run(context.WithoutCancel(t.Context()), hostexec.Cmd{Args: args, Stdin: strings.NewReader(input)})
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

// wipe makes the disk blank after a test put something on it, and waits until the guard agrees.
func (n *nodeDisk) wipe(t *testing.T) {
	t.Helper()
	file, err := os.OpenFile(n.want.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 16*mebibyte)
	_, first := file.WriteAt(zeros, 0)
	_, last := file.WriteAt(zeros, n.want.SizeBytes-int64(len(zeros)))
	if err := errors.Join(first, last, file.Sync(), file.Close()); err != nil {
		t.Fatal(err)
	}
	n.run(t, "udevadm", "settle")
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := n.guard.Check(context.WithoutCancel(t.Context()), n.want)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the disk does not become blank: %v", err)
		}
	}
}

// print is a fingerprint of the disk: its two ends, as the medium has them, and how many sectors were ever written to it.
func (n *nodeDisk) print(t *testing.T) string {
	t.Helper()
	fd, err := unix.Open(n.want.Path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	disk := &blockFile{fd: fd, path: n.want.Path, buffer: aligned(t)}
	hash := sha256.New()
	const length = 8 * mebibyte
	for _, offset := range []int64{0, n.want.SizeBytes - length} {
		if _, err := io.Copy(hash, io.NewSectionReader(disk, offset, length)); err != nil {
			t.Fatal(err)
		}
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	device, err := filepath.EvalSymlinks(n.want.Path)
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/sys/block/" + filepath.Base(device) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x, %s sectors written", hash.Sum(nil), strings.Fields(string(stat))[6])
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
		Name: n.want.Name, Path: n.want.Path, Serial: n.want.Serial, SizeBytes: n.want.SizeBytes, DiskGUID: newGUID(), PartitionGUID: newGUID(),
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
		Name: nodePool, Comment: nodeComment, Layout: []string{partition}, UserProperties: map[string]string{zfs.OwnerProperty: "node-test"},
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

func TestNodeGuard(t *testing.T) {
	n := newNodeDisk(t)
	tests := map[string]struct {
		put  func(t *testing.T)
		want []Step
	}{
		"ext4": {put: func(t *testing.T) { n.run(t, "mkfs.ext4", "-q", n.want.Path) }, want: []Step{StepSignatures}},
		"xfs":  {put: func(t *testing.T) { n.run(t, "mkfs.xfs", "-q", "-f", n.want.Path) }, want: []Step{StepSignatures}},
		"GPT":  {put: func(t *testing.T) { n.feed(t, "label: gpt\n", "sfdisk", "-q", n.want.Path) }, want: []Step{StepSignatures}},
		"GPT with a partition": {
			put:  func(t *testing.T) { n.feed(t, "label: gpt\nstart=1MiB\n", "sfdisk", "-q", n.want.Path) },
			want: []Step{StepPartitions},
		},
		"MBR": {put: func(t *testing.T) { n.feed(t, "label: dos\n", "sfdisk", "-q", n.want.Path) }, want: []Step{StepSignatures}},
		"MBR with a partition": {
			put:  func(t *testing.T) { n.feed(t, "label: dos\nstart=1MiB\n", "sfdisk", "-q", n.want.Path) },
			want: []Step{StepPartitions},
		},
		"a wiped table before a filesystem": {
			put: func(t *testing.T) {
				n.run(t, "mkfs.ext4", "-q", "-E", "offset=1048576", n.want.Path, strconv.FormatInt(n.want.SizeBytes/mebibyte-2, 10)+"M")
			},
			want: []Step{StepSignatures},
		},
		"LVM physical volume": {put: func(t *testing.T) { n.run(t, "lvm", "pvcreate", "-qq", n.want.Path) }, want: []Step{StepSignatures}},
		"swap":                {put: func(t *testing.T) { n.run(t, "mkswap", n.want.Path) }, want: []Step{StepSignatures}},
		"unsigned data at the start": {
			put: func(t *testing.T) {
				n.run(t, "dd", "if=/dev/urandom", "of="+n.want.Path, "bs=1", "count=1", "seek=700000", "conv=fsync,notrunc")
			},
			want: []Step{StepContent},
		},
		"unsigned data at the end": {
			put: func(t *testing.T) {
				n.run(t, "dd", "if=/dev/urandom", "of="+n.want.Path, "bs=1", "count=2", "seek="+strconv.FormatInt(n.want.SizeBytes-2, 10), "conv=fsync,notrunc")
			},
			want: []Step{StepContent},
		},
		"the whole disk in an exported pool": {
			put: func(t *testing.T) {
				n.run(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", nodePool, n.want.Path)
				n.run(t, "zpool", "export", nodePool)
			},
			want: []Step{StepPartitions},
		},
		"the whole disk in a destroyed pool": {
			put: func(t *testing.T) {
				n.run(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", nodePool, n.want.Path)
				n.run(t, "zpool", "destroy", nodePool)
			},
			want: []Step{StepPartitions},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { n.wipe(t) })
			test.put(t)
			n.run(t, "udevadm", "settle")
			before := n.print(t)
			_, err := n.guard.Check(t.Context(), n.want)
			wantStep(t, err, test.want...)
			if after := n.print(t); after != before {
				t.Errorf("the guard changed the disk:\nbefore %s\nafter  %s", before, after)
			}
			_, err = n.guard.Partition(t.Context(), Disk{Want: n.want, SectorBytes: 512}, newGUID(), newGUID())
			wantStep(t, err, test.want...)
			// A disk without anything at its ends has nothing to release.
			if err := n.guard.Release(t.Context(), n.owned(), nodeComment); err != nil && !errors.Is(err, ErrNotOurs) {
				wantStep(t, err, StepOwnership)
			}
			wantStep(t, n.guard.Prove(t.Context(), n.owned()), StepOwnership)
			if after := n.print(t); after != before {
				t.Errorf("the refused disk was changed:\nbefore %s\nafter  %s", before, after)
			}
		})
	}
}

// TestNodeGuardLabelsAlone leaves nothing on the disk but OpenZFS labels, as on a disk that FreeBSD or illumos used without a table.
func TestNodeGuardLabelsAlone(t *testing.T) {
	n := newNodeDisk(t)
	t.Cleanup(func() { n.wipe(t) })
	loop := strings.TrimSpace(n.run(t, "losetup", "--find", "--show", n.want.Path))
	n.run(t, "udevadm", "settle")
	_, err := n.guard.Check(t.Context(), n.want)
	wantStep(t, err, StepBacking)
	// A file-like path keeps zpool from partitioning.
	n.run(t, "zpool", "create", "-m", "none", "-o", "cachefile=none", nodePool, loop)
	_, err = n.guard.Check(t.Context(), n.want)
	wantStep(t, err, StepBacking)
	n.run(t, "zpool", "export", nodePool)
	n.run(t, "losetup", "--detach", loop)
	n.run(t, "udevadm", "settle")
	_, err = n.guard.Check(t.Context(), n.want)
	wantStep(t, err, StepPools, StepSignatures, StepPartitions)
}

func TestNodeGuardInUse(t *testing.T) {
	n := newNodeDisk(t)
	disk := n.mustBeBlank(t)
	tests := map[string]struct {
		use  func(t *testing.T) (stop func())
		want []Step
	}{
		"open in a process": {
			use: func(t *testing.T) func() {
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_, _ = hostexec.Local().Run(ctx, hostexec.Cmd{Args: []string{"tail", "-f", "/dev/null", n.want.Path}, Grace: time.Second})
				}()
				for {
					users, err := n.guard.node.openedBy(disk.Number)
					if err != nil {
						t.Fatal(err)
					}
					if len(users) > 0 {
						return func() { cancel(); <-ended }
					}
				}
			},
			want: []Step{StepOpen},
		},
		"mounted in another namespace": {
			use: func(t *testing.T) func() {
				n.run(t, "mkfs.ext4", "-q", n.want.Path)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					script := "mount " + n.want.Path + " /mnt && exec tail -f /dev/null"
					_, _ = hostexec.Local().Run(ctx, hostexec.Cmd{Args: []string{"unshare", "-m", "sh", "-c", script}, Grace: time.Second})
				}()
				for {
					look, err := n.guard.lookAround(t.Context(), time.Hour)
					if err != nil {
						t.Fatal(err)
					}
					if n.guard.checkMounts(t.Context(), look, &disk) != nil {
						return func() { cancel(); <-ended; n.wipe(t) }
					}
				}
			},
			want: []Step{StepMounts},
		},
		"part of a mapping": {
			use: func(t *testing.T) func() {
				n.feed(t, "0 2048 linear "+n.want.Path+" 0\n", "dmsetup", "create", "zfsbench-node-test")
				return func() { n.run(t, "dmsetup", "remove", "--retry", "zfsbench-node-test") }
			},
			want: []Step{StepHolders},
		},
		"another serial": {
			use: func(*testing.T) func() {
				n.want.Serial += "x"
				return func() { n.want.Serial = strings.TrimSuffix(n.want.Serial, "x") }
			},
			want: []Step{StepSerial},
		},
		"another size": {
			use:  func(*testing.T) func() { n.want.SizeBytes++; return func() { n.want.SizeBytes-- } },
			want: []Step{StepSize},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stop := test.use(t)
			_, err := n.guard.Check(t.Context(), n.want)
			stop()
			wantStep(t, err, test.want...)
			n.run(t, "udevadm", "settle")
			n.mustBeBlank(t)
		})
	}
}

// TestNodeRootIsRefused wants the node's own disk to be refused because of what it is.
func TestNodeRootIsRefused(t *testing.T) {
	n := newNodeDisk(t)
	source := strings.TrimSpace(n.run(t, "findmnt", "-no", "SOURCE", "/"))
	parent := strings.TrimSpace(n.run(t, "lsblk", "-dno", "PKNAME", source))
	if parent != "" {
		source = "/dev/" + parent
	}
	size, err := strconv.ParseInt(strings.TrimSpace(n.run(t, "blockdev", "--getsize64", source)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	serial := strings.TrimSpace(n.run(t, "lsblk", "-dno", "SERIAL", source))
	_, err = n.guard.Check(t.Context(), Want{Name: "root", Path: source, Serial: serial, SizeBytes: size})
	wantStep(t, err, StepSystem, StepPartitions)
}

func TestNodeLifecycle(t *testing.T) {
	n := newNodeDisk(t)
	for i := range 3 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			disk := n.mustBeBlank(t)
			own := n.owned()
			partition, err := n.guard.Partition(t.Context(), disk, own.DiskGUID, own.PartitionGUID)
			if err != nil {
				t.Fatal(err)
			}
			n.run(t, "sfdisk", "--verify", n.want.Path)
			n.run(t, "sgdisk", "--verify", n.want.Path)
			if err := n.guard.Prove(t.Context(), own); err != nil {
				t.Fatal(err)
			}
			pool := n.createPool(t, partition)
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
			if err := n.zfs.Destroy(t.Context(), pool.Name, pool.GUID); err != nil {
				t.Fatal(err)
			}
			wantStep(t, n.guard.Release(t.Context(), own, strings.Repeat("f", 32)), StepOwnership)
			other := own
			other.PartitionGUID = newGUID()
			wantStep(t, n.guard.Release(t.Context(), other, nodeComment), StepOwnership)
			for range 2 {
				if err := n.guard.Release(t.Context(), own, nodeComment); err != nil {
					t.Fatal(err)
				}
				n.mustBeBlank(t)
			}
			if _, err := os.Lstat(partition); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", partition, err)
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
			if _, err := n.guard.Partition(t.Context(), disk, own.DiskGUID, own.PartitionGUID); err != nil {
				t.Fatal(err)
			}
		},
		"within the table": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			n.writeSome(t, own, disk, func(table table) []extent { _, header, _, _ := table.pieces(); return []extent{header} })
		},
		"with the second table alone": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			n.writeSome(t, own, disk, func(table table) []extent { _, _, _, second := table.pieces(); return []extent{second} })
		},
		"with the pool left exported": func(t *testing.T, own result.OwnedDevice, disk Disk) {
			partition, err := n.guard.Partition(t.Context(), disk, own.DiskGUID, own.PartitionGUID)
			if err != nil {
				t.Fatal(err)
			}
			pool := n.createPool(t, partition)
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
	table, err := newTable(&disk, own.DiskGUID, own.PartitionGUID)
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

// TestNodeForeignContent puts a stranger's filesystem into our partition: it stays.
func TestNodeForeignContent(t *testing.T) {
	n := newNodeDisk(t)
	t.Cleanup(func() { n.wipe(t) })
	own := n.owned()
	partition, err := n.guard.Partition(t.Context(), n.mustBeBlank(t), own.DiskGUID, own.PartitionGUID)
	if err != nil {
		t.Fatal(err)
	}
	n.run(t, "mkfs.ext4", "-q", partition)
	n.run(t, "udevadm", "settle")
	before := n.print(t)
	wantStep(t, n.guard.Release(t.Context(), own, nodeComment), StepOwnership)
	if after := n.print(t); after != before {
		t.Errorf("the disk was changed:\nbefore %s\nafter  %s", before, after)
	}
}
