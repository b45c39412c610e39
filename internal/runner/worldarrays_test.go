// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/hostfs"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// newArray is what the kernel calls an array that mdadm makes here, assembledArray one that udev has assembled by
// itself.
const (
	newArray       = "/dev/md127"
	assembledArray = "/dev/md126"
)

// fakeArray is an md array that the kernel has, running or not. What is on it, its members say.
type fakeArray struct {
	uuid string
	// members are the paths of the partitions.
	members []string
	// looked counts how often its state was read: its first sync takes a while.
	looked int
	// usedBy is somebody else who has it mounted or open.
	usedBy string
	// level, bitmap and disks are what it was made with.
	level, bitmap string
	disks         int
	// faulty and spares are its members that are out of use. action is what the kernel is at for so many looks,
	// lastAction what it was at last.
	faulty, spares     []string
	action, lastAction string
	looks              int
	// replaced is the member that a spare is about to replace.
	replaced string
}

// arrayPlan measures ext4 on a mirror of two disks, and then the raw array of another level.
func arrayPlan(w *world) plan.Plan {
	p := testPlan(w)
	p.Devices = p.Devices[:2]
	chunk := resource.MustParse("64Ki")
	p.Variants = []plan.Variant{
		{Name: "ext4", Baseline: &v1alpha1.Baseline{Name: "ext4", Filesystem: &v1alpha1.FilesystemBaseline{
			MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid1, Devices: []string{"d1", "d0"},
				Bitmap: v1alpha1.MDBitmapInternal},
			FilesystemSpec: v1alpha1.FilesystemSpec{Type: "ext4"},
		}}},
		{Name: "raw", Baseline: &v1alpha1.Baseline{Name: "raw", Raw: &v1alpha1.RawBaseline{
			MD: &v1alpha1.MDArray{Level: v1alpha1.MDRaid0, Devices: []string{"d0", "d1"}, ChunkSize: &chunk},
		}}},
	}
	p.Trials = []plan.Trial{{Index: 0, Variant: "ext4", Repetition: 1}, {Index: 1, Variant: "raw", Repetition: 1}}
	return p
}

// makeArray plays mdadm --create. It complains about an array with a UUID that is not recorded for its partitions.
func (w *world) makeArray(argv []string) error {
	uuid, level, bitmap := "", "", "none"
	var members []string
	for _, word := range argv {
		for prefix, to := range map[string]*string{"--uuid=": &uuid, "--level=": &level, "--bitmap=": &bitmap} {
			if is, found := strings.CutPrefix(word, prefix); found {
				*to = is
			}
		}
		if strings.HasPrefix(word, "/dev/disk/") {
			members = append(members, word)
		}
	}
	for _, path := range members {
		w.mustBeRecorded(path, func(d result.OwnedDevice) bool {
			i := slices.Index(ownership.Paths(d), path)
			return i >= 0 && d.Partitions[i].ArrayUUID == uuid && uuid != ""
		})
		disk := w.diskWith(path)
		if disk == nil || disk.array != "" || disk.filesystem != "" {
			return fmt.Errorf("%s is not there, or in use", path)
		}
		disk.array = uuid
	}
	w.arrays[newArray] = &fakeArray{uuid: uuid, members: members, level: level, bitmap: bitmap, disks: len(members)}
	return nil
}

// onArray is the disk that says what is on the array with a device, or nil if there is no such array.
func (w *world) onArray(device string) *fakeDisk {
	array := w.arrays[device]
	if array == nil {
		return nil
	}
	return w.diskWith(array.members[0])
}

// fillArray makes a filesystem on an array, with a UUID that has to be recorded for its members.
func (w *world) fillArray(device, uuid string) error {
	w.mustBeRecorded(device, func(d result.OwnedDevice) bool { return filesystemOn(d) == uuid && uuid != "" })
	for _, path := range w.arrays[device].members {
		w.diskWith(path).onArray = uuid
	}
	w.usedBytes = 0
	return nil
}

// filesystemOn is the UUID of the filesystem that may be on the array that a disk has a part of.
func filesystemOn(d result.OwnedDevice) string {
	i := slices.IndexFunc(d.Partitions, func(p result.OwnedPartition) bool { return p.ArrayUUID != "" })
	return d.Partitions[i].FilesystemUUID
}

// reboot takes all arrays away and lets udev assemble those whose members it sees, under another name. Without members
// that it sees, it assembles none.
func (w *world) reboot(sees func(path string) bool) {
	clear(w.arrays)
	members := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(w.disks)) {
		disk := w.disks[path]
		if disk.array != "" && sees(path) {
			members[disk.array] = append(members[disk.array], strings.Fields(disk.partitions)...)
		}
	}
	for uuid, paths := range members {
		w.arrays[assembledArray] = &fakeArray{uuid: uuid, members: paths}
	}
}

// members are the recorded partitions that an array may have, as far as they are there, with the array's UUID.
func (w *world) members(owned []result.OwnedDevice) (uuid string, paths []string) {
	for _, d := range owned {
		for i, path := range ownership.Paths(d) {
			if d.Partitions[i].ArrayUUID != "" && w.diskWith(path) != nil {
				uuid, paths = d.Partitions[i].ArrayUUID, append(paths, path)
			}
		}
	}
	return uuid, paths
}

// find finds the array of recorded partitions, and proves it.
func (w *world) find(owned []result.OwnedDevice) (string, error) {
	uuid, paths := w.members(owned)
	for device, array := range w.arrays {
		if !slices.ContainsFunc(array.members, func(path string) bool { return slices.Contains(paths, path) }) {
			continue
		}
		for _, path := range array.members {
			if !slices.Contains(paths, path) {
				return "", &blockdev.ForeignArrayError{Device: device,
					Cause: fmt.Errorf("its device %s is not a recorded partition", path)}
			}
		}
		if array.uuid != uuid {
			return "", &blockdev.ForeignArrayError{Device: device, Cause: fmt.Errorf("its UUID is %s, recorded is %s",
				array.uuid, uuid)}
		}
		return device, nil
	}
	return "", nil
}

func (f fakeDisks) FindArray(_ context.Context, owned []result.OwnedDevice) (string, error) {
	device := ""
	err := f.v.call("find md array", func() (err error) {
		device, err = f.v.find(owned)
		return err
	})
	return device, err
}

// Dismantle is several commands, between any of which a runner may die.
func (f fakeDisks) Dismantle(_ context.Context, owned []result.OwnedDevice) error {
	device := ""
	err := f.v.call("look for md array", func() (err error) {
		device, err = f.v.find(owned)
		return err
	})
	if err == nil && device != "" {
		err = f.v.call("mdadm --stop "+device, func() error { return f.v.stopArray(device, owned) })
	}
	if err != nil {
		return err
	}
	f.v.mu.Lock()
	uuid, paths := f.v.members(owned)
	f.v.mu.Unlock()
	for _, path := range paths {
		err := f.v.call("mdadm --zero-superblock "+path, func() error { return f.v.eraseMember(path, uuid) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *world) stopArray(device string, owned []result.OwnedDevice) error {
	array, inside := w.arrays[device], w.onArray(device).onArray
	switch {
	case w.mounted == device:
		return unix.EBUSY
	case array.usedBy != "":
		return fmt.Errorf("md array %s is not stopped: it is mounted at %s", device, array.usedBy)
	case inside != "" && inside != filesystemOn(owned[0]):
		return &blockdev.ForeignArrayError{Device: device, Cause: fmt.Errorf("it holds a filesystem with the UUID %s",
			inside)}
	}
	delete(w.arrays, device)
	return nil
}

func (w *world) eraseMember(path, uuid string) error {
	for device, array := range w.arrays {
		if slices.Contains(array.members, path) {
			return fmt.Errorf("%s is in %s", path, device)
		}
	}
	disk := w.diskWith(path)
	if disk.array != "" && disk.array != uuid {
		return &blockdev.ForeignArrayError{Device: path, Cause: fmt.Errorf("it is a member of %s", disk.array)}
	}
	disk.array, disk.onArray = "", ""
	return nil
}

func (f fakeBaselines) FindArrays(_ context.Context, levels []mdraid.Level) (string, error) {
	var names []string
	for _, level := range levels {
		names = append(names, string(level.Name))
	}
	return "4.4", f.v.call("look for mdadm and "+strings.Join(names, " "), func() error { return f.v.lacks["md"] })
}

func (f fakeBaselines) ParityDiscards() (string, error) {
	return f.v.parityDiscards, f.v.call("look at "+hostfs.DiscardParameter, func() error { return f.v.unreadableDiscards })
}

// ArrayState of a new array is in sync at the second look.
func (f fakeBaselines) ArrayState(device string) (hostfs.Array, error) {
	var state hostfs.Array
	err := f.v.call("state of "+device, func() error {
		array := f.v.arrays[device]
		if array == nil {
			return errors.New("there is no such array")
		}
		state = array.state()
		if array.looked++; array.looked == 1 {
			state.Action, state.Percent, state.Unsynced = "resync", 40, true
		}
		if f.v.degraded {
			state.Degraded = 1
		}
		if f.v.checksArrays && array.looked > 2 {
			state.Action = "check"
		}
		if f.v.mismatched {
			state.MismatchBytes = 4096
		}
		return nil
	})
	return state, err
}
