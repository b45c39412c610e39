// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// What filesystems do as a whole is found out of those that can be made here, and leaves them as they were.
func TestWholeFeatures(t *testing.T) {
	yes, no := new(true), new(false)
	tests := map[string]struct {
		mkfs []string
		kind string
		data string
		want result.Features
	}{
		"ext2": {
			[]string{"mke2fs", "-q", "-F", "-t", "ext2"}, "ext2", "",
			result.Features{Journal: result.JournalNone, Quota: yes, Grow: yes, Shrink: no, Defragment: no, Send: no},
		},
		"ext3": {
			[]string{"mke2fs", "-q", "-F", "-t", "ext3"}, "ext3", "data=writeback",
			result.Features{Journal: result.JournalMetadata, Quota: yes, Grow: yes, Shrink: no, Defragment: no, Send: no},
		},
		"ext4": {
			[]string{"mke2fs", "-q", "-F", "-t", "ext4", "-b", "1024"}, "ext4", "",
			result.Features{Journal: result.JournalMetadata, Quota: yes, Grow: yes, Shrink: no, Defragment: yes, Send: no},
		},
		"ext4, with data in its journal": {
			[]string{"mke2fs", "-q", "-F", "-t", "ext4"}, "ext4", "data=journal",
			result.Features{Journal: result.JournalMetadata, Quota: yes, Grow: yes, Shrink: no, Defragment: no, Send: no},
		},
		"ext4 without a journal": {
			[]string{"mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal"}, "ext4", "",
			result.Features{Journal: result.JournalNone, Quota: yes, Grow: yes, Shrink: no, Defragment: yes, Send: no},
		},
		"xfs": {
			[]string{"mkfs.xfs", "-q"}, "xfs", "",
			result.Features{Journal: result.JournalMetadata, Grow: yes, Shrink: no, Defragment: yes, Send: no},
		},
		"xfs with a map of owners": {
			[]string{"mkfs.xfs", "-q", "-m", "rmapbt=1"}, "xfs", "",
			result.Features{Journal: result.JournalMetadata, Grow: yes, Shrink: no, Defragment: yes, Send: no},
		},
		"btrfs": {
			[]string{"mkfs.btrfs", "-q"}, "btrfs", "",
			result.Features{Journal: result.JournalLogTree, Quota: yes, Grow: yes, Shrink: yes, Defragment: yes, Send: yes},
		},
		"btrfs without its log, compressed": {
			[]string{"mkfs.btrfs", "-q"}, "btrfs", "notreelog,compress=zstd",
			result.Features{Journal: result.JournalNone, Quota: yes, Grow: yes, Shrink: yes, Defragment: yes, Send: yes},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n, dir := realFilesystem(t, tt.mkfs, filesystem.Mount{Type: tt.kind, Data: tt.data})
			var before, after unix.Statfs_t
			if err := unix.Statfs(dir, &before); err != nil {
				t.Fatal(err)
			}
			got, err := n.Features(dir, true, func() error { return n.SyncMount(dir) })
			want := tt.want
			if _, counts := os.Stat("/proc/sys/fs/quota"); counts != nil && want.Quota != nil && tt.kind != "btrfs" ||
				tt.kind == "xfs" && got.Quota != nil {
				want.Quota = got.Quota // the kernel's configuration
			}
			if mayNotResize(t) && strings.HasPrefix(tt.kind, "ext") && errors.Is(err, unix.EPERM) {
				want.Grow, want.Shrink, err = nil, nil, nil
			}
			if err != nil {
				t.Errorf("not known: %v", err)
			}
			got = result.Features{Journal: got.Journal, Quota: got.Quota, Grow: got.Grow, Shrink: got.Shrink,
				Defragment: got.Defragment, Send: got.Send}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := errors.Join(n.SyncMount(dir), unix.Statfs(dir, &after)); err != nil || after.Blocks != before.Blocks {
				t.Errorf("it had %d blocks and has %d; error %v", before.Blocks, after.Blocks, err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 1 || len(left) == 1 && left[0].Name() != lostAndFound {
				t.Errorf("left %v, error %v", left, err)
			}
		})
	}
}

// mayNotResize says whether this process lacks what ext4 wants of whoever resizes it, as root does in some containers.
func mayNotResize(t *testing.T) bool {
	t.Helper()
	may, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, unix.CAP_SYS_RESOURCE, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return may == 0
}

// TestExtBlocks: the size that a grown ext4 keeps is read from its superblock.
func TestExtBlocks(t *testing.T) {
	image := filepath.Join(t.TempDir(), "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 20<<20)); err != nil {
		t.Fatal(err)
	}
	if blocks, err := extBlocks(image); err == nil {
		t.Errorf("nothing has %d blocks", blocks)
	}
	for blockBytes, options := range map[string]string{"1024": "^64bit", "4096": "64bit"} {
		if _, err := hostexec.Local().Run(t.Context(),
			hostexec.Cmd{Args: []string{"mke2fs", "-q", "-F", "-t", "ext4", "-b", blockBytes, "-O", options,
				image}}); err != nil {
			t.Skipf("no mke2fs: %v", err)
		}
		blocks, err := extBlocks(image)
		if got := fmt.Sprint(20 << 20 / int(max(1, blocks))); got != blockBytes || err != nil {
			t.Errorf("%d blocks, which are not of %s bytes; error %v", blocks, blockBytes, err)
		}
	}
}

// realFilesystem makes a filesystem on a loop device and mounts it, and skips the test where that cannot be.
func realFilesystem(t *testing.T, mkfs []string, how filesystem.Mount) (Host, string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	n := New(hostexec.Local())
	// The tools come from the PATH of whoever runs the test, where hostexec does not look.
	run := func(argv ...string) (string, error) {
		out, err := n.host.Run(t.Context(), hostexec.Cmd{Args: append([]string{"env"}, argv...), Env: os.Environ()})
		return strings.TrimSpace(string(out.Stdout)), err
	}
	image := filepath.Join(t.TempDir(), "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 400<<20)); err != nil {
		t.Fatal(err)
	}
	if _, err := run(append(mkfs, image)...); err != nil {
		t.Skipf("it cannot be made here: %v", err)
	}
	device, err := run("losetup", "--find", "--show", image)
	if err != nil {
		t.Skipf("no loop device: %v", err)
	}
	dir := t.TempDir()
	detach := func() {
		_ = onFile(device, "detach ", func(fd int) error { return unix.IoctlSetInt(fd, unix.LOOP_CLR_FD, 0) })
	}
	if err := n.Mount(device, dir, how); err != nil {
		detach()
		t.Skipf("it cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
		detach()
	})
	return n, dir
}
