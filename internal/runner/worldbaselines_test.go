// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// baselinePlan measures ext4 on one disk, and then the raw disk.
func baselinePlan(w *world) plan.Plan {
	p := testPlan(w)
	p.Devices = p.Devices[:1]
	p.Variants = []plan.Variant{
		{Name: "ext4", Baseline: &v1alpha1.Baseline{Name: "ext4", Filesystem: &v1alpha1.FilesystemBaseline{Device: "d0",
			FilesystemSpec: v1alpha1.FilesystemSpec{
				Type: "ext4", MkfsOptions: []v1alpha1.FilesystemOption{"blockSize=4096"},
				MountOptions: []v1alpha1.FilesystemOption{"data=journal", "noatime"},
			}}}},
		{Name: "raw", Baseline: &v1alpha1.Baseline{Name: "raw", Raw: &v1alpha1.RawBaseline{Device: "d0"}}},
	}
	p.Trials = []plan.Trial{{Index: 0, Variant: "ext4", Repetition: 1}, {Index: 1, Variant: "raw", Repetition: 1}}
	return p
}

// volumeFilesystemPlan measures ext4 on a volume.
func volumeFilesystemPlan(w *world) plan.Plan {
	p := testPlan(w)
	p.Variants[0].Dataset = v1alpha1.DatasetSpec{Type: v1alpha1.DatasetVolume, Volume: &v1alpha1.VolumeSpec{
		Size: resource.MustParse("256Mi"), Filesystem: &v1alpha1.FilesystemSpec{Type: "ext4",
			MountOptions: []v1alpha1.FilesystemOption{"noatime"}},
	}}
	return p
}

// fakeBaselines is the engine's view of other filesystems.
type fakeBaselines struct{ v *view }

func (f fakeBaselines) Find(_ context.Context, kind filesystem.Filesystem) (string, error) {
	return "1.2.3", f.v.call("look for "+string(kind.Type), func() error { return f.v.lacks[string(kind.Type)] })
}

// Make complains about a filesystem with a UUID that is not recorded for its partition.
func (f fakeBaselines) Make(ctx context.Context, argv []string) error {
	if err := f.v.waits(ctx, argv[0]); err != nil {
		return err
	}
	return f.v.call(strings.Join(argv, " "), func() error {
		if argv[0] == mdraid.Tool && argv[1] == "--create" {
			return f.v.makeArray(argv)
		}
		if argv[0] == mdraid.Tool {
			return f.v.changeArray(argv)
		}
		device, uuid := argv[len(argv)-1], argv[len(argv)-2]
		uuid = uuid[strings.Index(uuid, "=")+1:]
		if device == volumeDevice {
			return f.v.fillVolume(uuid)
		}
		if f.v.arrays[device] != nil {
			return f.v.fillArray(device, uuid)
		}
		matches := func(d result.OwnedDevice) bool {
			i := slices.Index(ownership.Paths(d), device)
			return i >= 0 && d.Partitions[i].FilesystemUUID == uuid && uuid != ""
		}
		f.v.mustBeRecorded(device, matches)
		disk := f.v.diskWith(device)
		if disk == nil || disk.filesystem != "" {
			return fmt.Errorf("%s is not there, or has a filesystem", device)
		}
		disk.filesystem = uuid
		return nil
	})
}

// fillVolume makes a filesystem on the volume of the benchmark's pool, which has to be new.
func (w *world) fillVolume(uuid string) error {
	for name, p := range w.pools {
		if name != "tank" && len(p.datasets) > 1 && w.inVolume == "" {
			w.inVolume = uuid
			return nil
		}
	}
	return errors.New("there is no empty volume")
}

// diskWith is the disk that has a partition, or nil.
func (w *world) diskWith(partition string) *fakeDisk {
	for _, disk := range w.disks {
		if slices.Contains(strings.Fields(disk.partitions), partition) {
			return disk
		}
	}
	return nil
}

func (f fakeBaselines) Mount(device, _ string, how filesystem.Mount) error {
	return f.v.call(fmt.Sprintf("mount -t %s -o %s,%s %s", how.Type, how.AccessTime, how.Data, device), func() error {
		made := f.v.inVolume
		if device != volumeDevice {
			made = ""
			if disk := f.v.diskWith(device); disk != nil {
				made = disk.filesystem
			}
			if disk := f.v.onArray(device); disk != nil {
				made = disk.onArray
			}
		}
		if made == "" || f.v.mounted != "" {
			return errors.New("it cannot be mounted")
		}
		f.v.mounted = device
		return nil
	})
}

func (f fakeBaselines) Mounted(string) (hostfs.State, error) {
	var state hostfs.State
	err := f.v.call("look at the mount", func() error {
		state = hostfs.State{Source: f.v.mounted, Options: f.v.mountOptions(), SizeBytes: 1 << 30, UsedBytes: f.v.usedBytes,
			AvailableBytes: 1<<29 - f.v.usedBytes}
		return nil
	})
	return state, err
}

// mountOptions are those in effect.
func (w *world) mountOptions() string {
	if w.readOnly {
		return "rw,nosuid,ro"
	}
	return "rw,nosuid,data=journal"
}

func (f fakeBaselines) Source(string) (string, error) {
	source := ""
	err := f.v.call("what is mounted?", func() error { source = f.v.mounted; return nil })
	return source, err
}

func (f fakeBaselines) Idle(device string) error {
	return f.v.call("is "+device+" idle?", func() error {
		if f.v.mounted != "" {
			return unix.EBUSY
		}
		return nil
	})
}

func (f fakeBaselines) Empty(string) error {
	return f.v.call("remove all files", func() error {
		if f.v.mounted == "" {
			f.v.t.Error("files are removed where nothing is mounted")
		}
		return nil
	})
}

func (f fakeBaselines) TrimMount(string) (bool, error) {
	return !f.v.cannotTrim, f.v.call("trim the mount", func() error { return nil })
}

// Features knows of everything but direct I/O, unless it knows nothing.
func (f fakeBaselines) Features(_ string, own bool, sync func() error) (result.Features, error) {
	found, problem, call := fakeFeatures(), errors.New("direct I/O: it failed"), "look for features"
	if own {
		call += " of what is ours"
	}
	err := f.v.call(call, func() error { return f.v.lacks["features"] })
	if err != nil {
		return result.Features{}, err
	}
	return found, errors.Join(problem, sync())
}

func fakeFeatures() result.Features {
	yes, no := new(true), new(false)
	return result.Features{UserXattr: yes, PosixACL: yes, Reflink: no, TemporaryFile: yes, PunchHole: yes}
}

// HoldsQuota is a yes where a quota is set.
func (f fakeBaselines) HoldsQuota(_ string, user int, sync func() error) (*bool, error) {
	held := new(false)
	err := f.v.call(fmt.Sprintf("write as %d", user-sandbox.User), func() error {
		*held = f.v.limits[fmt.Sprintf("userquota@%d", user)] > 0
		return f.v.lacks["quota"]
	})
	if err != nil {
		return nil, err
	}
	return held, sync()
}

func (f fakeBaselines) SyncMount(string) error {
	return f.v.call("sync the mount", func() error { return nil })
}

func (f fakeBaselines) SyncDevice(device string) error {
	return f.v.call("sync "+device, func() error { return nil })
}

func (f fakeBaselines) ForgetDevice(device string) error {
	return f.v.call("forget "+device, func() error { return nil })
}
