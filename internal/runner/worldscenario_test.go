// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
)

// status is what zpool says of a pool of which only devices may be offline.
func (p *fakePool) status() zfs.Status {
	state := "ONLINE"
	if len(p.offline) > 0 {
		state = "DEGRADED"
	}
	s := zfs.Status{State: state, Scan: p.scan, Vdevs: []zfs.VdevStatus{{Name: p.name, State: state},
		{Name: "raidz1-0", State: state}}}
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
		v.mustBeRecorded(what+" "+path, func(d result.OwnedDevice) bool { return slices.Contains(ownership.Paths(d), path) })
	}
	word, last := argv[1], argv[len(argv)-1]
	if word == "snapshot" || word == "clone" {
		v.mustBeRecordedAs(word+" "+last, func(own *result.Ownership) bool { return own.OwnsDataset(last) })
		return v.addDataset(last)
	}
	if dataset, names, _ := strings.Cut(last, "@"); word == "set" || word == "send" || word == "destroy" && names != "" {
		v.mustBeRecordedAs(word+" "+dataset, func(own *result.Ownership) bool { return own.OwnsDataset(dataset) })
		return v.onDataset(word, argv[2], dataset, names)
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

// onDataset sets a limit of a dataset, sends a snapshot of it to nobody, or destroys some.
func (v *view) onDataset(word, first, dataset, names string) error {
	p := v.pools[strings.Split(dataset, "/")[0]]
	if word == "set" {
		property, value, _ := strings.Cut(first, "=")
		bytes, _ := strconv.ParseInt(value, 10, 64)
		v.limits[property] = bytes
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		snapshot := dataset + "@" + name
		if !slices.Contains(p.datasets, snapshot) {
			return fmt.Errorf("there is no %s", snapshot)
		}
		if word == "destroy" {
			p.datasets = slices.DeleteFunc(p.datasets, func(have string) bool { return have == snapshot })
		}
	}
	return nil
}

// Get knows some properties of pools and of the benchmark's dataset.
func (v *view) Get(_ context.Context, dataset string, properties ...string) (map[string]string, error) {
	got := map[string]string{"atime": "on", "relatime": "on"}
	err := v.call("zfs get "+strings.Join(properties, ",")+" "+dataset, func() error {
		if p := v.pools[dataset]; p != nil {
			got[zfs.OwnerProperty] = p.owner
		}
		quota, usable := v.limits["quota"], int64(usableBytes)
		if quota > 0 {
			usable = min(quota, usable)
		}
		got["sync"], got["quota"] = "standard", strconv.FormatInt(quota, 10)
		got["used"], got["available"] = strconv.FormatInt(v.usedBytes, 10), strconv.FormatInt(usable-v.usedBytes, 10)
		return nil
	})
	return got, err
}

// SendReceive makes what is received, and complains if that is not recorded as owned, or was not sent before in part.
func (v *view) SendReceive(ctx context.Context, s zfs.Send) (int64, error) {
	line := strings.Join(s.SendArgv(), " ") + " | " + strings.Join(s.ReceiveArgv(), " ")
	if err := v.waits(ctx, line); err != nil {
		return 0, err
	}
	return 3 << 20, v.call(line, func() error {
		have := v.pools[strings.Split(s.Dataset, "/")[0]].datasets
		if !slices.Contains(have, s.Dataset+"@"+s.Snapshot) || slices.Contains(have, s.Into) != (s.Since != "") ||
			s.Since != "" && !slices.Contains(have, s.Into+"@"+s.Since) {
			return fmt.Errorf("cannot send %+v: there is %q", s, have)
		}
		for _, name := range []string{s.Into, s.Into + "@" + s.Snapshot} {
			v.mustBeRecordedAs("received "+name, func(own *result.Ownership) bool { return own.OwnsDataset(name) })
			if slices.Contains(have, name) {
				continue
			}
			if err := v.addDataset(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// usableBytes is the space of the pool that filling sees.
const usableBytes = 1 << 30

// fill plays the runner's own tool that fills a pool: each byte takes two, until there is no space left.
func (v *view) fill(cmd sandbox.Command) (sandbox.Result, error) {
	if cmd.Ready != nil {
		cmd.Ready()
	}
	p := result.Phase{Name: "fill"}
	var round string
	for _, arg := range cmd.Argv {
		if number, found := strings.CutPrefix(arg, "--bytes="); found {
			p.Bytes, _ = strconv.ParseInt(number, 10, 64)
		}
		if number, found := strings.CutPrefix(arg, "--round="); found {
			round = number
		}
		if arg == "--overwrite" {
			p.Name = "overwrite"
		}
	}
	err := v.call(fmt.Sprintf("%s %d bytes, round %s", p.Name, p.Bytes, round), func() error {
		v.checkTarget(cmd)
		if p.Name == "fill" {
			v.usedBytes += 2 * p.Bytes
		}
		if v.capacityBytes > 0 && v.usedBytes > v.capacityBytes {
			p.Bytes, p.Ended = p.Bytes-(v.usedBytes-v.capacityBytes)/2, result.EndedByNoSpace
			v.usedBytes = v.capacityBytes
		}
		p.IOs, p.RuntimeNanoseconds = 1, 1e9
		p.IOPS, p.BandwidthBytesPerSecond = 1, float64(p.Bytes)
		data, err := json.Marshal(builtin.Report{Version: "v1", Phases: []result.Phase{p}})
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(cmd.Output, tools.ReportName), data, 0o600)
	})
	return sandbox.Result{}, err
}

// isOfPlan says whether a dataset is one that a scenario makes beside its workloads' dataset.
func isOfPlan(name string) bool {
	return slices.ContainsFunc([]string{"/bench@", "/bench/", "/received-", "/clone-"},
		func(part string) bool { return strings.Contains(name, part) })
}

func (v *view) WaitFreed(_ context.Context, pool string) error {
	return v.call("zpool wait -t free "+pool, func() error { return nil })
}

func (v *view) Trim(_ context.Context, pool string) error {
	return v.call("zpool trim "+pool, func() error { return nil })
}

func (v *view) Sync(ctx context.Context, pool string) error {
	if err := v.waits(ctx, "zpool sync "+pool); err != nil {
		return err
	}
	return v.call("zpool sync "+pool, func() error { return nil })
}
