// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/mountinfo"
	"zfsbench.io/operator/internal/result"
)

// whole is a mounted filesystem: its mount, its root, and a directory in it to try things in.
type whole struct {
	mount mountinfo.Mount
	root  int
	own   string
}

// wholeFeatures adds what the filesystem at a directory can do as a whole, if its type is known here.
func (n Host) wholeFeatures(dir, own string, found *result.Features) error {
	mount, err := n.mountAt(dir)
	if err != nil {
		return err
	}
	if mount == nil {
		return errors.New("nothing is mounted there")
	}
	look := n.wholeLooks()[mount.Type]
	if look == nil {
		return nil
	}
	root, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(look(whole{*mount, int(root.Fd()), own}, found), root.Close())
}

// wholeLooks find out what a filesystem can do, by type.
func (n Host) wholeLooks() map[string]func(whole, *result.Features) error {
	return map[string]func(whole, *result.Features) error{
		"ext2": n.extFeatures, "ext3": n.extFeatures, "ext4": n.extFeatures, "xfs": xfsFeatures, "btrfs": btrfsFeatures,
		"f2fs": onlyQuotas, "jfs": onlyQuotas, "reiserfs": onlyQuotas, "bcachefs": onlyQuotas,
	}
}

func onlyQuotas(w whole, found *result.Features) error {
	return tryAll([]feature{{"quotas", &found.Quota, w.tryQuota}})
}

// tryQuota asks in which format the space of users is counted (Q_GETFMT of linux/quota.h). ESRCH means that it is not
// counted now, but can be with a mount option or the tool: that is a yes. ENOSYS means that the filesystem cannot.
func (w whole) tryQuota() error {
	const getFormat, ofUsers = 0x800004, 0
	device, err := unix.BytePtrFromString(w.mount.Source)
	if err != nil {
		return err
	}
	var format uint32
	_, _, errno := unix.Syscall6(unix.SYS_QUOTACTL, getFormat<<8|ofUsers, uintptr(unsafe.Pointer(device)), 0,
		uintptr(unsafe.Pointer(&format)), 0, 0)
	switch errno {
	case 0, unix.ESRCH:
		return nil
	case unix.ENOSYS:
		return unix.EOPNOTSUPP
	default:
		return errno
	}
}

// hasOption says whether the filesystem is mounted with an option.
func (w whole) hasOption(name string) bool {
	return strings.Contains(","+w.mount.SuperOptions+",", ","+name+",")
}

// journalIf returns the journal, or JournalNone if there is none.
func journalIf(there bool, journal result.Journal) result.Journal {
	if there {
		return journal
	}
	return result.JournalNone
}
