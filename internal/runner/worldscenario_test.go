// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/zfs"
)

// status is what zpool says of a pool of which only devices may be offline.
func (p *fakePool) status() zfs.Status {
	state := "ONLINE"
	if len(p.offline) > 0 {
		state = "DEGRADED"
	}
	s := zfs.Status{State: state, Scan: p.scan, Vdevs: []zfs.VdevStatus{{Name: p.name, State: state}, {Name: "raidz1-0", State: state}}}
	for _, path := range p.paths {
		v := zfs.VdevStatus{Name: path, State: "ONLINE"}
		if slices.Contains(p.offline, path) {
			v.State = "OFFLINE"
		}
		s.Vdevs = append(s.Vdevs, v)
	}
	return s
}

// Operate does what the commands do, and complains about a pool, a device or a snapshot that is not recorded as owned.
func (v *view) Operate(ctx context.Context, o zfs.Operation) error {
	line := strings.ReplaceAll(strings.Join(o.Argv(), " "), v.scratch, "SCRATCH")
	if err := v.waits(ctx, line); err != nil {
		return err
	}
	return v.call(line, func() error { return v.operate(o.Argv()) })
}

func (v *view) operate(argv []string) error {
	ours := func(what, path string) {
		v.mustBeRecorded(what+" "+path, func(d result.OwnedDevice) bool { return slices.Contains(ownedPaths(d), path) })
	}
	word, last := argv[1], argv[len(argv)-1]
	if word == "snapshot" {
		v.mustBeRecordedAs("snapshot "+last, func(own *result.Ownership) bool { return own.OwnsDataset(last) })
		return v.addDataset(last)
	}
	name := last
	if word == "offline" || word == "online" {
		name = argv[2]
	}
	if word == "replace" {
		name = argv[3]
	}
	p := v.pools[name]
	v.mustBeRecordedAs("pool "+name, func(own *result.Ownership) bool { return p != nil && own.PoolGUID == p.guid })
	if p == nil || !p.imported {
		return fmt.Errorf("pool %s is not imported", name)
	}
	switch word {
	case "scrub":
		p.scan = zfs.Scan{Text: "scrub repaired", Kind: zfs.ScanScrub, Bytes: v.repaired}
	case "offline":
		ours("offline", last)
		p.offline = append(p.offline, last)
	case "online":
		p.offline = slices.DeleteFunc(p.offline, func(path string) bool { return path == last })
		p.scan = zfs.Scan{Text: "resilvered " + last, Kind: zfs.ScanResilver, Bytes: 1 << 20}
	case "replace":
		ours("replace", last)
		old := argv[4]
		p.offline = slices.DeleteFunc(p.offline, func(path string) bool { return path == old })
		p.paths[slices.Index(p.paths, old)] = last
		p.scan = zfs.Scan{Text: "resilvered " + last, Kind: zfs.ScanResilver, Bytes: 2 << 20}
	}
	return nil
}

// isSnapshotOfPlan says whether a dataset is a snapshot that the plan of a scenario takes.
func isSnapshotOfPlan(name string) bool { return strings.Contains(name, "/bench@snapshots-") }
