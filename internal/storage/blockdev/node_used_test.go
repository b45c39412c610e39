// SPDX-License-Identifier: Apache-2.0

//go:build node

package blockdev

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"zfsbench.io/operator/internal/node/hostexec"
)

const (
	nodeArray   = "/dev/md/zfsbench-node-test"
	nodeMapping = "zfsbench-node-test"
)

// usedCases are disks that somebody uses right now.
func usedCases() map[string]deviceCase {
	return map[string]deviceCase{
		"mounted": {
			put: func(t *testing.T, n *nodeDisk) func() {
				putExt4(t, n)
				dir := t.TempDir()
				n.run(t, "mount", "-o", "ro,noload", n.want.Path, dir)
				return func() { n.run(t, "umount", dir) }
			},
			want: []Step{StepMounts}, text: "mounted",
		},
		"mounted in another namespace": {
			put: func(t *testing.T, n *nodeDisk) func() {
				putExt4(t, n)
				return n.hold(t, func() bool { return n.mountedAnywhere(t) },
					"unshare", "-m", "sh", "-c", "mount -o ro,noload "+n.want.Path+" /mnt && exec tail -f /dev/null")
			},
			want: []Step{StepMounts}, text: "mounted",
		},
		"swapped to": {
			put: func(t *testing.T, n *nodeDisk) func() {
				n.run(t, "mkswap", n.want.Path)
				n.run(t, "swapon", n.want.Path)
				return func() { n.run(t, "swapoff", n.want.Path) }
			},
			want: []Step{StepSwap}, text: "swap",
		},
		"part of a mapping": {
			put: func(t *testing.T, n *nodeDisk) func() {
				n.feed(t, "0 2048 linear "+n.want.Path+" 0\n", "dmsetup", "create", nodeMapping)
				return func() { n.run(t, "dmsetup", "remove", "--retry", nodeMapping) }
			},
			want: []Step{StepHolders}, text: "dm-",
		},
		"under an open LUKS volume": {
			put: func(t *testing.T, n *nodeDisk) func() {
				putLUKS(t, n)
				n.feed(t, "a passphrase", "cryptsetup", "open", "--key-file", "-", n.want.Path, nodeMapping)
				return func() { n.run(t, "cryptsetup", "close", nodeMapping) }
			},
			want: []Step{StepHolders}, text: "dm-",
		},
		"in a running md array": {
			put: func(t *testing.T, n *nodeDisk) func() {
				makeArray(t, n)
				return func() { n.run(t, "mdadm", "--stop", nodeArray) }
			},
			want: []Step{StepHolders}, text: "md",
		},
		"held exclusively by a process": {
			put: func(t *testing.T, n *nodeDisk) func() {
				return n.hold(t, func() bool { return n.openAnywhere(t) }, perlOpen("O_RDONLY|O_EXCL", n)...)
			},
			want: []Step{StepOpen}, text: "open in process",
		},
		"open in a process": {
			put: func(t *testing.T, n *nodeDisk) func() {
				return n.hold(t, func() bool { return n.openAnywhere(t) }, perlOpen("O_RDONLY", n)...)
			},
			want: []Step{StepOpen}, text: "perl",
		},
		"backing a loop device": {
			put: func(t *testing.T, n *nodeDisk) func() {
				loop := strings.TrimSpace(n.run(t, "losetup", "--read-only", "--find", "--show", n.want.Path))
				return func() { n.run(t, "losetup", "--detach", loop) }
			},
			want: []Step{StepBacking}, text: "loop",
		},
		"read-only": {
			put: func(t *testing.T, n *nodeDisk) func() {
				n.run(t, "blockdev", "--setro", n.want.Path)
				return func() { n.run(t, "blockdev", "--setrw", n.want.Path) }
			},
			want: []Step{StepReadOnly}, text: "read-only",
		},
	}
}

// otherDiskCases are promises that do not hold.
func otherDiskCases() map[string]deviceCase {
	promise := func(change func(*Want)) func(*testing.T, *nodeDisk) func() {
		return static(func(_ *testing.T, n *nodeDisk) { change(&n.want) })
	}
	return map[string]deviceCase{
		"a wrong serial": {put: promise(func(w *Want) {
			w.Serial += "x"
		}), want: []Step{StepSerial}, text: "serial", blank: true},
		"smaller than promised": {put: promise(func(w *Want) {
			w.SizeBytes += mebibyte
		}), want: []Step{StepSize}, text: "the policy promises", blank: true},
		"larger than promised": {put: promise(func(w *Want) {
			w.SizeBytes -= mebibyte
		}), want: []Step{StepSize}, text: "the policy promises", blank: true},
		"a path that is not there": {put: promise(func(w *Want) {
			w.Path += "-gone"
		}), want: []Step{StepPath}, text: "", blank: true},
		"the node's root disk by another name": {
			put: func(t *testing.T, n *nodeDisk) func() {
				root := n.rootDisk(t)
				link := n.link(t, root)
				n.want = Want{Name: "root", Path: link, Serial: strings.TrimSpace(n.run(t, "lsblk", "-dno", "SERIAL", root)),
					SizeBytes: n.sizeOf(t, root)}
				return func() { _ = os.Remove(link) }
			},
			want: []Step{StepPartitions, StepSystem}, text: "",
		},
	}
}

// TestNodeSwappedLink lets the path lead to another disk between check and write.
func TestNodeSwappedLink(t *testing.T) {
	n := newNodeDisk(t)
	root := n.rootDisk(t)
	promised := n.want
	device, err := filepath.EvalSymlinks(promised.Path)
	if err != nil {
		t.Fatal(err)
	}
	link := n.link(t, device)
	t.Cleanup(func() { _ = os.Remove(link) })
	n.want.Path = link
	disk := n.mustBeBlank(t)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	_, err = n.guard.Partition(t.Context(), disk, n.owned(), true)
	wantStep(t, err, StepPath, StepSerial, StepSize, StepPartitions, StepSystem)
	n.want = promised
	n.mustBeBlank(t)
}

// TestNodeTwoPaths names one disk twice.
func TestNodeTwoPaths(t *testing.T) {
	n := newNodeDisk(t)
	device, err := filepath.EvalSymlinks(n.want.Path)
	if err != nil {
		t.Fatal(err)
	}
	again := n.want
	again.Name, again.Path = "d1", device
	verdicts := n.guard.CheckAll(t.Context(), []Want{n.want, again})
	if verdicts[0].Refusal != nil {
		t.Error(verdicts[0].Refusal)
	}
	wantStep(t, verdicts[1].Refusal, StepKind)
}

// makeArray makes a degraded mirror of the disk.
func makeArray(t *testing.T, n *nodeDisk) {
	t.Helper()
	n.run(t, "mdadm", "--create", nodeArray, "--run", "--level=1", "--raid-devices=2", "--metadata=1.2", n.want.Path,
		"missing")
}

// perlOpen is a command that opens the disk and waits.
func perlOpen(flags string, n *nodeDisk) []string {
	return []string{"perl", "-MFcntl", "-e", "sysopen(my $f, $ARGV[0], " + flags + ") or die $!; sleep 3600", n.want.Path}
}

// hold starts a command and waits until it has taken effect; undo ends it.
func (n *nodeDisk) hold(t *testing.T, took func() bool, args ...string) (undo func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = hostexec.Local().Run(ctx, hostexec.Cmd{Args: args, Grace: time.Second})
	}()
	for !took() {
		select {
		case <-ended:
			cancel()
			t.Fatalf("%q ended at once", args)
		default:
		}
	}
	return func() { cancel(); <-ended }
}

func (n *nodeDisk) number(t *testing.T) Number {
	t.Helper()
	number, err := linux{}.Number(n.want.Path)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func (n *nodeDisk) openAnywhere(t *testing.T) bool {
	t.Helper()
	open, err := n.guard.node.openDevices()
	if err != nil {
		t.Fatal(err)
	}
	return open.free(n.number(t)) != nil
}

func (n *nodeDisk) mountedAnywhere(t *testing.T) bool {
	t.Helper()
	look, err := n.guard.readHostState(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return n.guard.checkMounts(t.Context(), look, &Disk{Want: n.want, Number: n.number(t)}) != nil
}

// rootDisk is the disk that the node runs from.
func (n *nodeDisk) rootDisk(t *testing.T) string {
	t.Helper()
	source := strings.TrimSpace(n.run(t, "findmnt", "-no", "SOURCE", "/"))
	if parent := strings.TrimSpace(n.run(t, "lsblk", "-dno", "PKNAME", source)); parent != "" {
		return "/dev/" + parent
	}
	return source
}

func (n *nodeDisk) sizeOf(t *testing.T, device string) int64 {
	t.Helper()
	size, err := strconv.ParseInt(strings.TrimSpace(n.run(t, "blockdev", "--getsize64", device)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// link makes another name for a device, where such names belong.
func (n *nodeDisk) link(t *testing.T, device string) string {
	t.Helper()
	link := "/dev/disk/by-id/zfsbench-node-test"
	_ = os.Remove(link)
	if err := os.Symlink(device, link); err != nil {
		t.Fatal(err)
	}
	return link
}
