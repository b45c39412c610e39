// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/storage/zfs/layout"
)

func (v *view) Versions(context.Context) (userland, module string, err error) {
	return cmp.Or(v.userland, v.module), v.module, v.call("zfs version", func() error { return nil })
}

func (v *view) Pools(context.Context) ([]zfs.Pool, error) {
	var pools []zfs.Pool
	err := v.call("zpool list", func() error {
		for _, p := range v.pools {
			if p.imported {
				pools = append(pools, zfs.Pool{Name: p.name, GUID: p.guid, Health: "ONLINE", Comment: p.comment})
			}
		}
		return nil
	})
	return pools, err
}

func (v *view) CheckState(pool string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.suspended {
		return &zfs.SuspendedError{Pool: pool}
	}
	return nil
}

func (v *view) Status(_ context.Context, pool string) (zfs.Status, error) {
	var status zfs.Status
	err := v.call("zpool status "+pool, func() error {
		if v.status != nil {
			status = *v.status
		} else if p := v.pools[pool]; p != nil {
			status = p.status()
		}
		return nil
	})
	return status, err
}

func (v *view) CreatePool(ctx context.Context, c zfs.CreatePool) error {
	line := "zpool create " + c.Name + " " + strings.Join(c.Layout, " ")
	if c.DryRun {
		return v.call("zpool create -n "+strings.ReplaceAll(c.Name+" "+strings.Join(c.Layout, " "), v.scratch, "SCRATCH"),
			func() error { return nil })
	}
	if err := v.waits(ctx, line); err != nil {
		return err
	}
	return v.call(strings.ReplaceAll(line, v.scratch, "SCRATCH"), func() error {
		v.mustBeRecorded("pool "+c.Name, func(result.OwnedDevice) bool { return true })
		if v.pools[c.Name] != nil {
			return fmt.Errorf("pool %s exists", c.Name)
		}
		var paths []string
		for _, word := range c.Layout {
			if strings.HasPrefix(word, "/") {
				paths = append(paths, word)
			}
		}
		v.pools[c.Name] = &fakePool{
			name: c.Name, guid: fmt.Sprint(len(v.transcript)), comment: c.Comment, owner: c.UserProperties[zfs.OwnerProperty],
			paths: paths, datasets: []string{c.Name}, imported: true,
		}
		return nil
	})
}

func (v *view) AddVdev(_ context.Context, add layout.Addition) error {
	return v.call(fmt.Sprintf("zpool add -o ashift=%d %s %s", add.Ashift, add.Pool, strings.Join(add.Vdev, " ")),
		func() error {
			p := v.pools[add.Pool]
			p.paths = append(p.paths, add.Vdev[1:]...)
			return nil
		})
}

func (v *view) addDataset(name string) error {
	p := v.pools[strings.Split(name, "/")[0]]
	if p.readOnly {
		return errors.New("read-only")
	}
	p.datasets = append(p.datasets, name)
	return nil
}

func (v *view) CreateFilesystem(ctx context.Context, name string, _ map[string]string) error {
	if err := v.waits(ctx, "zfs create "+name); err != nil {
		return err
	}
	return v.call("zfs create "+name, func() error { return v.addDataset(name) })
}

// volumeDevice is where the kernel shows the volume of the benchmark's pool.
const volumeDevice = "/dev/zd0"

func (v *view) CreateVolume(_ context.Context, volume zfs.Volume) (string, error) {
	return volumeDevice, v.call(fmt.Sprintf("zfs create -V %d %s", volume.SizeBytes, volume.Name),
		func() error { v.inVolume = ""; return v.addDataset(volume.Name) })
}

func (v *view) VolumeDevice(_ context.Context, name string) (string, error) {
	return volumeDevice, v.call("find device of "+name, func() error { return nil })
}

func (v *view) Datasets(_ context.Context, pool string) ([]string, error) {
	var datasets []string
	err := v.call("zfs list "+pool, func() error { datasets = slices.Clone(v.pools[pool].datasets); return nil })
	return datasets, err
}

func (v *view) VdevPaths(_ context.Context, pool string) ([]string, error) {
	var paths []string
	err := v.call("zpool list -v "+pool, func() error { paths = slices.Clone(v.pools[pool].paths); return nil })
	return paths, err
}

func (v *view) PoolFacts(_ context.Context, pool, dataset string) (result.PoolFacts, error) {
	return result.PoolFacts{Health: "ONLINE", Ashift: []int{12},
			DatasetProperties: map[string]string{"recordsize": "131072", "logicalused": "1048576"}},
		v.call("facts of "+pool+" and "+dataset, func() error { return nil })
}

// Allocation is the same for every dataset.
func (v *view) Allocation(ctx context.Context, dataset string, _ []string) (result.Allocation, error) {
	if err := v.waits(ctx, "zdb -ddddd "+dataset); err != nil {
		return result.Allocation{}, err
	}
	return result.Allocation{Files: 1, Blocks: 3, Bytes: 3 << 12, Neighbours: 2, Gaps: 1},
		v.call("zdb -ddddd "+dataset, func() error { return v.zdb })
}

func (v *view) SimulatedDedup(_ context.Context, pool string, _ []string) (result.SimulatedDedup, error) {
	return result.SimulatedDedup{Dedup: 2, Compress: 1, Copies: 1, Combined: 2},
		v.call("zdb -S "+pool, func() error { return v.zdb })
}

// Waits are one more request of each kind every time.
func (v *view) Waits(_ context.Context, pool string) ([]zfs.Waits, error) {
	var all []zfs.Waits
	err := v.call("zpool iostat "+pool, func() error {
		v.iostats++
		h := zfs.WaitHistogram{0, v.iostats}
		vdevs := []string{pool}
		if p := v.pools[pool]; p != nil {
			vdevs = append(vdevs, p.paths...)
		}
		for _, vdev := range vdevs {
			all = append(all, zfs.Waits{Vdev: vdev, TotalRead: h, TotalWrite: h, DiskRead: h, DiskWrite: h})
		}
		return nil
	})
	return all, err
}

func (v *view) Importable(_ context.Context, scan zfs.ImportScan) ([]zfs.ImportablePool, error) {
	var pools []zfs.ImportablePool
	err := v.call("zpool import", func() error {
		for _, p := range v.pools {
			if !p.imported && v.visible(p, scan.Dirs) {
				state := "ONLINE"
				if v.unavailable {
					state = "UNAVAIL"
				}
				pools = append(pools, zfs.ImportablePool{Name: p.name, GUID: p.guid, Comment: p.comment, State: state})
			}
		}
		return nil
	})
	return pools, err
}

// visible says whether a search finds a pool.
func (*view) visible(p *fakePool, dirs []string) bool {
	return slices.ContainsFunc(p.paths, func(path string) bool {
		return slices.Contains(dirs, path) || slices.Contains(dirs, filepath.Dir(path))
	})
}

func (v *view) Import(_ context.Context, how zfs.Import) error {
	line := "zpool import "
	if !how.Mount {
		line += "-N "
	}
	if how.ReadOnly {
		line += "-o readonly=on "
	}
	return v.call(line+how.Name, func() error {
		p := v.pools[how.Name]
		if p == nil || p.guid != how.GUID || p.imported || !v.visible(p, how.Dirs) {
			return &zfs.NotImportableError{Name: how.Name, GUID: how.GUID}
		}
		if v.unavailable {
			return &hostexec.ExitError{Args: []string{"zpool", "import"}, Code: 1,
				Stderr: "one or more devices is currently unavailable"}
		}
		p.imported, p.readOnly = true, how.ReadOnly
		return nil
	})
}

func (v *view) Export(_ context.Context, name, guid string) error {
	return v.call("zpool export "+name, func() error {
		p := v.pools[name]
		if p == nil || p.guid != guid || v.mounted != "" || v.hasPod {
			return &hostexec.ExitError{Args: []string{"zpool", "export"}, Code: 1, Stderr: "busy"}
		}
		p.imported = false
		return nil
	})
}

// DestroyDataset complains about what is not recorded as owned.
func (v *view) DestroyDataset(_ context.Context, name string) error {
	return v.call("zfs destroy "+name, func() error {
		v.mustBeRecordedAs("dataset "+name, func(own *result.Ownership) bool { return slices.Contains(own.Datasets, name) })
		p := v.pools[strings.Split(name, "/")[0]]
		if p == nil || !p.imported || v.mounted != "" || !slices.Contains(p.datasets, name) {
			return &hostexec.ExitError{Args: []string{"zfs", "destroy"}, Code: 1, Stderr: "busy"}
		}
		p.datasets = slices.DeleteFunc(p.datasets, func(have string) bool { return have == name })
		return nil
	})
}
