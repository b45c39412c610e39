// SPDX-License-Identifier: Apache-2.0

package result

// Features is what the mounted filesystem of a variant supports, as the kernel reports it; nil where that is not known.
type Features struct {
	// UserXattr is an extended attribute of the user's, PosixACL an access control list that gives another user rights.
	UserXattr *bool `json:"userXattr,omitempty"`
	PosixACL  *bool `json:"posixACL,omitempty"`
	// Reflink is a copy of a file that shares its blocks (FICLONE).
	Reflink *bool `json:"reflink,omitempty"`
	// TemporaryFile is a file without a name (O_TMPFILE).
	TemporaryFile *bool `json:"temporaryFile,omitempty"`
	// PunchHole is freeing a part of a file in its middle.
	PunchHole *bool `json:"punchHole,omitempty"`
	// DirectIO says that a file can be opened and read with O_DIRECT. A cache may still be used.
	DirectIO *bool `json:"directIO,omitempty"`
	// Journal is what changes are written to before they are made; empty where that is not known. Of btrfs and ZFS its
	// type and options say so.
	Journal Journal `json:"journal,omitempty"`
	// Quota says that the space of a user can be limited; on btrfs, the space of a subvolume.
	Quota *bool `json:"quota,omitempty"`
	// Grow and Shrink change the size of the filesystem while it is mounted; of a dataset of ZFS, its quota.
	Grow   *bool `json:"grow,omitempty"`
	Shrink *bool `json:"shrink,omitempty"`
	// Defragment moves the blocks of a file.
	Defragment *bool `json:"defragment,omitempty"`
	// Send says that the filesystem itself can write a snapshot as a stream. For some types it is known that they cannot.
	Send *bool `json:"send,omitempty"`
}

// Journal is what a filesystem writes changes to before it makes them.
type Journal string

// JournalNone is no journal, JournalMetadata one that a crash is recovered from. JournalLogTree (btrfs) and
// JournalIntentLog (ZFS) hold only what has to be on disk before the next commit, and are there for speed.
const (
	JournalNone      Journal = "None"
	JournalMetadata  Journal = "Journal"
	JournalLogTree   Journal = "LogTree"
	JournalIntentLog Journal = "IntentLog"
)
