// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zfsbench.io/operator/internal/node/monitor"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/node/series"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/mounts"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/fio"
)

// fakeDisks is the engine's view of the guard.
type fakeDisks struct{ v *view }

func (f fakeDisks) CheckAll(_ context.Context, wants []blockdev.Want) []blockdev.Verdict {
	verdicts := make([]blockdev.Verdict, len(wants))
	var names []string
	for i, want := range wants {
		names = append(names, want.Name)
		verdicts[i] = blockdev.Verdict{Want: want, Disk: blockdev.Disk{Want: want, Device: "/dev/v" + want.Name,
			Model: "VIRTUAL", Firmware: "1.0"}}
	}
	err := f.v.call("check "+strings.Join(names, " "), func() error {
		for i, want := range wants {
			if cause := f.v.refuse[want.Name]; cause != nil {
				verdicts[i].Refusal = &blockdev.Refusal{Device: want.Name, Path: want.Path, Step: blockdev.StepMounts, Cause: cause}
			}
			if *f.v.disks[want.Path] != (fakeDisk{}) {
				verdicts[i].Refusal = &blockdev.Refusal{Device: want.Name, Path: want.Path, Cause: errors.New("it is not blank")}
			}
		}
		return nil
	})
	if err != nil {
		verdicts[0].Refusal = &blockdev.Refusal{Device: wants[0].Name, Path: wants[0].Path, Cause: err}
	}
	return verdicts
}

// Locate is not in the transcript: it only looks.
func (f fakeDisks) Locate(_ context.Context, owned result.OwnedDevice) (where blockdev.DiskState, why string) {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	return f.v.whereabouts[owned.Path], "it has left"
}

// Scan reads half of the disk and then the rest; the call is what can be interrupted.
func (f fakeDisks) Scan(ctx context.Context, disk blockdev.Disk, read func(bytes int64)) error {
	read(disk.SizeBytes / 2)
	if f.v.suspend {
		<-ctx.Done()
	}
	err := f.v.call("scan "+disk.Name, func() error {
		if cause := f.v.refuse["scan "+disk.Name]; cause != nil {
			return &blockdev.Refusal{Device: disk.Name, Path: disk.Path, Step: blockdev.StepContent, Cause: cause}
		}
		return context.Cause(ctx)
	})
	read(disk.SizeBytes - disk.SizeBytes/2)
	return err
}

func (f fakeDisks) CheckBlankVolume(_ context.Context, device string) error {
	return f.v.call("is "+device+" blank?", func() error {
		if f.v.precious != "" {
			return errors.New("it holds " + f.v.precious)
		}
		return nil
	})
}

// fakeTable is what a disk holds that is partitioned as it is recorded.
func fakeTable(owned result.OwnedDevice) fakeDisk {
	return fakeDisk{diskGUID: owned.DiskGUID, partitions: strings.Join(ownership.Paths(owned), " ")}
}

func (f fakeDisks) Partition(_ context.Context, disk blockdev.Disk, owned result.OwnedDevice,
	discard bool) (blockdev.Partitioned, error) {
	call := "partition " + disk.Name
	if discard {
		call = "partition and discard " + disk.Name
	}
	discarded := discard && !slices.Contains(f.v.undiscardable, disk.Name)
	return blockdev.Partitioned{Paths: ownership.Paths(owned), Discarded: discarded}, f.v.call(call, func() error {
		f.v.mustBeRecorded("disk "+disk.Name, func(d result.OwnedDevice) bool {
			return d.Path == disk.Path &&
				d.DiskGUID == owned.DiskGUID
		})
		*f.v.disks[disk.Path] = fakeTable(owned)
		return nil
	})
}

func (f fakeDisks) Prove(_ context.Context, owned result.OwnedDevice) error {
	return f.v.call("prove "+owned.Name, func() error {
		if *f.v.disks[owned.Path] != fakeTable(owned) {
			return &blockdev.Refusal{Device: owned.Name, Path: owned.Path, Cause: errors.New("it is not ours")}
		}
		return nil
	})
}

func (f fakeDisks) Release(_ context.Context, owned result.OwnedDevice, comment string) error {
	return f.v.call("release "+owned.Name, func() error {
		for _, path := range ownership.Paths(owned) {
			f.v.mayGo(path)
		}
		disk, want := f.v.disks[owned.Path], fakeTable(owned)
		for device, array := range f.v.arrays {
			if slices.ContainsFunc(ownership.Paths(owned), func(path string) bool {
				return slices.Contains(array.members,
					path)
			}) {
				return &blockdev.Refusal{Device: owned.Name, Path: owned.Path, Cause: fmt.Errorf("it is part of %s", device)}
			}
		}
		for _, p := range owned.Partitions {
			if disk.filesystem == p.FilesystemUUID {
				want.filesystem = disk.filesystem
			}
		}
		if *disk != (fakeDisk{}) && *disk != want || comment == "" && f.v.hasPool(owned) || f.v.mounted != "" {
			return &blockdev.Refusal{Device: owned.Name, Path: owned.Path, Cause: errors.New("it is not ours")}
		}
		*disk = fakeDisk{}
		for _, path := range ownership.Paths(owned) {
			f.v.lose(path)
		}
		return nil
	})
}

// hasPool says whether a pool is on a disk.
func (v *view) hasPool(owned result.OwnedDevice) bool {
	for _, p := range v.pools {
		if slices.ContainsFunc(ownership.Paths(owned), func(path string) bool { return slices.Contains(p.paths, path) }) {
			return true
		}
	}
	return false
}

// mayGo complains if a device still holds somebody's data: of a pool that is imported, or that has datasets of which
// nobody recorded that they are ours.
func (v *view) mayGo(path string) {
	for _, p := range v.pools {
		if slices.Contains(p.paths, path) && (p.imported || p.owner != testUID ||
			len(slices.DeleteFunc(slices.Clone(p.datasets), isOfPlan)) > 2) {
			v.t.Errorf("%s is released while pool %s is on it", path, p.name)
		}
	}
}

// lose takes a device out of the pool it is in, which is gone with its last one.
func (v *view) lose(path string) {
	for name, p := range v.pools {
		p.paths = slices.DeleteFunc(p.paths, func(have string) bool { return have == path })
		if len(p.paths) == 0 {
			delete(v.pools, name)
		}
	}
}

// fakeFiles are file devices without any space behind them.
type fakeFiles struct {
	v   *view
	dir string
}

func (f fakeFiles) CheckSpace(int64) error {
	return f.v.call("check space", func() error { return nil })
}

func (f fakeFiles) Create(name string, size int64) (string, error) {
	path := filepath.Join(f.dir, name)
	return path, f.v.call("make file "+name, func() error {
		f.v.mustBeRecorded("file "+name, func(d result.OwnedDevice) bool { return d.File == path })
		if _, there := f.v.files[path]; there {
			return errors.New("it exists")
		}
		f.v.files[path] = size
		return os.WriteFile(path, nil, 0o600)
	})
}

func (f fakeFiles) Remove(path string) error {
	return f.v.call("remove file "+filepath.Base(path), func() error {
		f.v.mayGo(path)
		delete(f.v.files, path)
		f.v.lose(path)
		if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	})
}

// fakeMounts has one place to mount at.
type fakeMounts struct{ v *view }

func (f fakeMounts) Mount(dataset, _ string, _ mounts.Options) error {
	return f.v.call("mount "+dataset, func() error { f.v.mounted = dataset; return nil })
}

func (f fakeMounts) Unmount(string) error {
	return f.v.call("unmount", func() error { f.v.mounted = ""; return nil })
}

func (f fakeMounts) VolumeName(string) (string, error) {
	for name, p := range f.v.pools {
		if name != "tank" {
			return p.datasets[len(p.datasets)-1], nil
		}
	}
	return "", errors.New("no volume")
}

// fakeNode has counters that stand still.
type fakeNode struct{ v *view }

func (fakeNode) Facts() (result.NodeFacts, error) {
	return result.NodeFacts{Kernel: "6.12", MemoryBytes: 4 << 30, ARCMaxBytes: 2 << 30}, nil
}
func (fakeNode) BlockDevice(string) (monitor.DeviceNumber, error) {
	return monitor.DeviceNumber{Major: 8}, nil
}
func (f fakeNode) CPUSeconds() (float64, error) {
	f.v.cpu++
	return 5 * float64(f.v.cpu), f.v.call("read CPU", func() error { return nil })
}
func (f fakeNode) Others([]monitor.DeviceNumber) (monitor.Others, error) {
	f.v.others++
	seconds := float64(f.v.others)
	return monitor.Others{CPUSeconds: seconds, StolenSeconds: 2 * seconds, CapacitySeconds: 10 * seconds,
		DiskBytes: int64(f.v.others) << 20}, f.v.call("read what others do", func() error { return nil })
}

// Observe sees a second of a CPU at work, a device of which is always in use, each time.
func (f fakeNode) Observe(pool string, devices []monitor.DeviceNumber, _ bool) (series.Observation, error) {
	n := f.v.observed.Add(1)
	o := series.Observation{At: time.Unix(n, 0), CPU: &series.CPU{All: series.CPUTime{User: float64(n), Idle: float64(n)}}}
	for range devices {
		o.Devices = append(o.Devices, &series.Device{BusyNanoseconds: n * int64(time.Second)})
	}
	if pool != "" {
		o.ZIL = &series.ZIL{Commits: 7 * n}
	}
	return o, f.v.blind
}
func (fakeNode) PageCacheBytes() (int64, error)            { return 1 << 30, nil }
func (fakeNode) DirectBytes(string) (monitor.Moved, error) { return monitor.Moved{}, nil }
func (f fakeNode) DeviceBytes([]monitor.DeviceNumber) (monitor.Moved, error) {
	return monitor.Moved{}, f.v.call("read device counters", func() error {
		if f.v.unplugged {
			return fmt.Errorf("read: %w", fs.ErrNotExist)
		}
		return nil
	})
}

// tools are all there, unless they are lacking.
func (v *view) tools(context.Context) []preflight.ToolVersion {
	found := []preflight.ToolVersion{{Name: "zpool", OnNode: true, Version: "2.3.9-0+deb13u1"},
		{Name: "zdb", OnNode: true, Version: "present"}, {Name: "blkid", Version: "2.41.5"}}
	_ = v.call("look for tools", func() error {
		for i, tool := range found {
			found[i].Err = v.lacks[tool.Name]
		}
		return nil
	})
	return found
}

// tool plays fio: it answers with the captured report of a real one.
func (v *view) tool(ctx context.Context, cmd sandbox.Command) (sandbox.Result, error) {
	if slices.Contains(cmd.Argv, "--version") {
		_, _ = fmt.Fprintln(cmd.Stdout, "fio-3.39")
		return sandbox.Result{}, v.call("fio --version", func() error { return nil })
	}
	if slices.Contains(cmd.Argv, "fill") {
		return v.fill(cmd)
	}
	job, err := os.ReadFile(filepath.Join(cmd.Output, "job.fio"))
	if err != nil {
		return sandbox.Result{}, err
	}
	kind := ""
	for _, word := range []string{"create_only", "rw=write", "rw=read"} {
		if kind == "" && strings.Contains(string(job), word) {
			kind = word
		}
	}
	if cmd.Ready != nil {
		cmd.Ready()
	}
	exit := 0
	if v.goesOn && cmd.Interrupt != nil {
		select {
		case <-cmd.Interrupt:
			exit = fio.InterruptedCode
		case <-ctx.Done():
			return sandbox.Result{}, fmt.Errorf("sandbox: the tool was killed: %w", ctx.Err())
		case <-v.end:
		}
	}
	err = v.call("fio "+kind, func() error {
		v.checkTarget(cmd)
		output, err := os.ReadFile(filepath.Join("..", "tools", "fio", "testdata", v.fioOutput[kind]))
		if err != nil {
			return err
		}
		if strings.Contains(v.fioOutput[kind], "enospc") {
			exit = 1
			_, _ = fmt.Fprintln(cmd.Stderr,
				"fio: io_u error on file /target/data: No space left on device: write offset=0, buflen=131072")
		}
		return os.WriteFile(filepath.Join(cmd.Output, tools.ReportName), output, 0o600)
	})
	if ctx.Err() != nil {
		return sandbox.Result{}, fmt.Errorf("sandbox: the tool was killed: %w", ctx.Err())
	}
	return sandbox.Result{ExitCode: exit, CPUTime: time.Second}, err
}

// checkTarget complains about a tool that would write to something else than the benchmark's dataset, or measure a
// trial that has a result.
func (v *view) checkTarget(cmd sandbox.Command) {
	if !strings.HasPrefix(cmd.Target, "/dev/") && v.mounted == "" {
		v.t.Errorf("fio runs on %s, where nothing is mounted", cmd.Target)
	}
	if v.ownership == nil {
		v.t.Error("fio runs on something that is not recorded as owned")
		return
	}
	if _, done := v.trials[v.ownership.TrialIndex]; done {
		v.t.Errorf("trial %d is measured again", v.ownership.TrialIndex)
	}
}

// fakeSink is the API.
type fakeSink struct{ v *view }

func (f fakeSink) PutOwnership(_ context.Context, own result.Ownership) error {
	line := fmt.Sprintf("sink: own trial %d, pool GUID known %t", own.TrialIndex, own.PoolGUID != "")
	if own.Baseline != "" {
		line = fmt.Sprintf("sink: own trial %d, %s", own.TrialIndex, own.Baseline)
	}
	if own.Claim != nil && own.Claim.Keep {
		line += ", its volume stays"
	}
	return f.v.call(line, func() error { f.v.ownership = &own; return nil })
}

func (f fakeSink) ClearOwnership(context.Context) error {
	return f.v.call("sink: own nothing", func() error { f.v.ownership = nil; return nil })
}

func (f fakeSink) Ownership(context.Context) (*result.Ownership, error) {
	var own *result.Ownership
	err := f.v.call("sink: what is owned?", func() error { own = f.v.ownership; return nil })
	return own, err
}

func (f fakeSink) PutTrial(_ context.Context, trial result.Trial) error {
	return f.v.call(fmt.Sprintf("sink: trial %d", trial.Index), func() error {
		if before, there := f.v.trials[trial.Index]; there && !before.Started.Equal(trial.Started) {
			f.v.t.Errorf("trial %d was measured twice", trial.Index)
		}
		f.v.trials[trial.Index] = trial
		return nil
	})
}

func (f fakeSink) ForgottenDevices(context.Context) ([]string, error) { return f.v.forgotten, nil }

// PutProgress is not in the transcript: it comes when it comes.
func (f fakeSink) PutProgress(_ context.Context, progress result.Progress) error {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	if f.v.generation == f.v.world.generation {
		f.v.progress = &progress
	}
	return nil
}

func (f fakeSink) Progress(context.Context) (*result.Progress, error) {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	return f.v.progress, nil
}

func (f fakeSink) SuspendRequested(context.Context) (bool, error) {
	var asked bool
	err := f.v.call("sink: suspend?", func() error { asked = f.v.suspend; return nil })
	return asked, err
}

// fakeSeries keeps series in memory.
type fakeSeries struct{ v *view }

func (f fakeSeries) Put(name string, data []byte) error {
	f.v.series[name] = data
	return f.v.unkept
}
