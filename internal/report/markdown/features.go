// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// featureTable says what filesystems can do, if that was looked at.
func (m *page) featureTable() {
	if len(m.Features) == 0 {
		return
	}
	titles := []string{"Variant"}
	if len(m.Nodes) > 1 {
		titles = append(titles, "Node")
	}
	out := newTable(append(titles, "User xattr", "POSIX ACL", "Reflink", "O_TMPFILE", "Punch hole", "O_DIRECT", "Journal", "Quota", "Grow", "Shrink", "Defrag", "Send")...)
	for _, f := range m.Features[:min(len(m.Features), maxRows)] {
		cells := []string{f.Variant}
		if len(m.Nodes) > 1 {
			cells = append(cells, f.Node)
		}
		for _, yes := range []*bool{f.UserXattr, f.PosixACL, f.Reflink, f.TemporaryFile, f.PunchHole, f.DirectIO} {
			cells = append(cells, answer(yes))
		}
		cells = append(cells, journal(f.Journal))
		for _, yes := range []*bool{f.Quota, f.Grow, f.Shrink, f.Defragment, f.Send} {
			cells = append(cells, answer(yes))
		}
		out.add(cells...)
	}
	m.printf("\n## Features\n\n%s\n", out)
	m.printf("What the kernel answered when it was tried on the filesystem as it was made and mounted here. O_DIRECT: it is taken, which\ndoes not say that a cache is passed by. A dash: not known.\n")
	m.printf("\nJournal: a log tree (btrfs) or an intent log (ZFS) is no journal that a crash is recovered from, but makes syncing fast; that they have it\nis said by type and options. " +
		"Quota: users can be limited, which ext and xfs have to be told before; on btrfs, subvolumes. Grow, Shrink: while it is\nmounted; ZFS: the quota of the dataset, its pool is not resized. Send: the filesystem itself writes out a snapshot, " +
		"which has nothing to do with\nprograms like dump and xfsdump.\n")
	if more := len(m.Features) - maxRows; more > 0 {
		m.printf("\nAnd %d more, in %s.\n", more, model.JSONKey)
	}
}

// answer is a dash for what is not known.
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

// journal is a dash for what is not known, or not known here.
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
