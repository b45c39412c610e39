// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
)

// What filesystems of this machine can do is known of those that it may have, and nothing is left in them.
func TestFeatures(t *testing.T) {
	// The rest depends on the kernel: since Linux 6.6 tmpfs takes attributes of users, and direct I/O past the only cache
	// that it is.
	yes, no := new(true), new(false)
	known := map[int64]result.Features{
		unix.TMPFS_MAGIC: {Reflink: no, TemporaryFile: yes, PunchHole: yes, Defragment: no},
		unix.EXT4_SUPER_MAGIC: {UserXattr: yes, PosixACL: yes, Reflink: no, TemporaryFile: yes, PunchHole: yes, DirectIO: yes,
			Defragment: yes},
	}
	for _, dir := range []string{t.TempDir(), "/dev/shm", "/var/tmp", "."} {
		var on unix.Statfs_t
		own := filepath.Join(dir, fmt.Sprintf("zfsbench-features-%d", os.Getpid()))
		if os.Mkdir(own, 0o700) != nil || unix.Statfs(own, &on) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.RemoveAll(own) })
		t.Run(fmt.Sprintf("%#x", on.Type), func(t *testing.T) {
			n, _ := node(t, nil)
			settled := 0
			got, err := n.Features(own, false, func() error { settled++; return nil })
			if errors.Is(err, unix.EPERM) && os.Getuid() != 0 {
				t.Skip("xfs answers root alone")
			}
			if err != nil || settled != 1 {
				t.Errorf("settled %d times, error %v", settled, err)
			}
			want := known[on.Type]
			for name, feature := range map[string]struct{ got, want *bool }{
				"xattr": {got.UserXattr, want.UserXattr}, "ACL": {got.PosixACL, want.PosixACL},
				"reflink": {got.Reflink, want.Reflink},
				"tmpfile": {got.TemporaryFile, want.TemporaryFile}, "hole": {got.PunchHole, want.PunchHole},
				"direct":     {got.DirectIO, want.DirectIO},
				"defragment": {got.Defragment, want.Defragment},
			} {
				if feature.got == nil || feature.want != nil && *feature.got != *feature.want {
					t.Errorf("%s: got %s", name, cmp.Diff(feature.want, feature.got))
				}
			}
			if left, err := os.ReadDir(own); err != nil || len(left) != 0 {
				t.Errorf("left %v, error %v", left, err)
			}
		})
	}
}

// What keeps it from trying anything is an error, and says nothing of the filesystem.
func TestFeaturesThatAreNotKnown(t *testing.T) {
	n, _ := node(t, nil)
	dir, broken := t.TempDir(), errors.New("the pool is suspended")
	if got, err := n.Features(dir, false, func() error {
		return broken
	}); !errors.Is(err, broken) || got != (result.Features{}) {
		t.Errorf("got %+v, error %v", got, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, error %v", left, err)
	}
	if got, err := n.Features(filepath.Join(dir, "nothing"), false, func() error {
		return nil
	}); err == nil || got != (result.Features{}) {
		t.Errorf("got %+v, error %v", got, err)
	}
}

// Only what a filesystem answers that does not know a feature is a no.
func TestAnswerOf(t *testing.T) {
	for err, want := range map[error]*bool{
		nil: new(true), unix.EOPNOTSUPP: new(false), unix.EINVAL: new(false), unix.ENOTTY: new(false), errNotHeld: new(false),
		errors.Join(unix.EOPNOTSUPP, nil): new(false),
		unix.EIO:                          nil, unix.ENOSPC: nil, unix.EPERM: nil, unix.EAGAIN: nil, unix.EDQUOT: nil,
	} {
		got, errUnknown := answerOf(err)
		if !cmp.Equal(got, want) || (errUnknown == nil) != (want != nil) {
			t.Errorf("%v: %v, error %v", err, got, errUnknown)
		}
	}
}

// What nobody limits is not held, and that is found out only when all is settled; the quota that holds is btrfs's, in
// TestWholeFeatures.
func TestHoldsQuota(t *testing.T) {
	n, _ := node(t, nil)
	dir, broken, settled := t.TempDir(), errors.New("the pool is suspended"), 0
	held, err := n.HoldsQuota(dir, os.Getuid(), func() error { settled++; return nil })
	if held == nil || *held || err != nil || settled != 2 {
		t.Errorf("held %v, error %v, settled %d times", held, err, settled)
	}
	if held, err := n.HoldsQuota(dir, os.Getuid(), func() error {
		return broken
	}); held != nil || !errors.Is(err, broken) {
		t.Errorf("held %v, error %v", held, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, error %v", left, err)
	}
	if held, err := n.HoldsQuota(filepath.Join(dir, "nothing"), os.Getuid(), func() error {
		return nil
	}); held != nil || err == nil {
		t.Errorf("held %v, error %v", held, err)
	}
}
