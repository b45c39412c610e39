// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"slices"

	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// featureTable says what filesystems can do, if that was tried.
func (m *page) featureTable() {
	titles := slices.Concat(m.whereTitles()[1:], []string{
		"User xattr", "POSIX ACL", "Reflink", "O_TMPFILE", "Punch hole", "O_DIRECT", "Journal", "Quota", "Grow", "Shrink",
		"Defrag", "Send",
	})
	section(m, "Features", titles, m.Features, func(f model.FeatureSet) []string {
		cells := m.where("", f.Variant, f.Node, 0)[1:]
		for _, yes := range []*bool{f.UserXattr, f.PosixACL, f.Reflink, f.TemporaryFile, f.PunchHole, f.DirectIO} {
			cells = append(cells, answer(yes))
		}
		cells = append(cells, journal(f.Journal))
		for _, yes := range []*bool{f.Quota, f.Grow, f.Shrink, f.Defragment, f.Send} {
			cells = append(cells, answer(yes))
		}
		return cells
	}, `What the kernel answered when each was tried on the filesystem as it was made and mounted here. A dash: unknown.

- O_DIRECT: the flag is accepted. That does not mean that the cache is bypassed.
- Journal: a log tree (btrfs) and an intent log (ZFS) are not a metadata journal; they make syncing fast.
  Whether these two exist follows from type and options.
- Quota: users can be limited. ext and XFS need an option when they are made; on btrfs, subvolumes.
- Grow, Shrink: while mounted. ZFS: the quota of the dataset; its pool is not resized.
- Send: the filesystem itself writes out a snapshot, unlike programs such as dump and xfsdump.`)
}

// answer is a dash if the answer is unknown.
func answer(yes *bool) string {
	switch {
	case yes == nil:
		return "-"
	case *yes:
		return "yes"
	default:
		return "no"
	}
}

// journal is a dash if the journal is unknown, to the node or to this version.
func journal(j result.Journal) string {
	switch j {
	case result.JournalNone:
		return "no"
	case result.JournalMetadata:
		return "yes"
	case result.JournalLogTree:
		return "log tree"
	case result.JournalIntentLog:
		return "intent log"
	default:
		return "-"
	}
}
