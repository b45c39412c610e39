// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/ownership"
	"zfsbench.io/operator/internal/storage/blockdev"
	"zfsbench.io/operator/internal/storage/hostfs"
)

// looksOfRecovery is how often an array is looked at until the kernel is done with an operation.
const looksOfRecovery = 3

// isIn says whether the array has a member in use.
func (a *fakeArray) isIn(path string) bool {
	return slices.Contains(a.members, path) && !slices.Contains(a.faulty, path) && !slices.Contains(a.spares, path)
}

// state is what the kernel shows, which goes on with what it does at every look.
func (a *fakeArray) state() hostfs.Array {
	s := hostfs.Array{
		Level: a.level, Disks: a.disks, Bitmap: a.bitmap, Action: "idle", LastAction: a.lastAction, DeviceBytes: 1 << 20,
		LeastSyncBytesPerSecond: 1000 << 10, MostSyncBytesPerSecond: 200000 << 10,
	}
	if a.looks > 0 {
		if a.looks--; a.looks == 0 {
			a.done()
		} else {
			s.Action, s.Percent = a.action, 50
		}
		s.LastAction = a.lastAction
	}
	s.Degraded = a.disks - len(slices.DeleteFunc(slices.Clone(a.members), func(path string) bool { return !a.isIn(path) }))
	return s
}

// begin lets the kernel do something for some looks.
func (a *fakeArray) begin(action string) {
	a.action, a.lastAction, a.looks = action, action, looksOfRecovery
}

// done is the end of it.
func (a *fakeArray) done() {
	if a.action != "recover" {
		return
	}
	a.spares = nil
	if a.replaced != "" {
		a.faulty, a.replaced = append(a.faulty, a.replaced), ""
	}
}

// changeArray plays the commands that change an array with its devices. It complains about an array, or a device, that
// is not recorded.
func (w *world) changeArray(argv []string) error {
	if argv[1] == "--action=check" {
		w.arrays[argv[2]].begin("check")
		return nil
	}
	array, device := w.arrays[argv[2]], argv[4]
	w.mustBeRecorded(device, func(d result.OwnedDevice) bool {
		i := slices.Index(ownership.Paths(d), device)
		return i >= 0 && d.Partitions[i].ArrayUUID == array.uuid
	})
	is := func(path string) bool { return path == device }
	refused := fmt.Errorf("mdadm refuses: %s", strings.Join(argv, " "))
	switch argv[3] {
	case "--fail":
		if !array.isIn(device) {
			return refused
		}
		array.faulty = append(array.faulty, device)
	case "--remove":
		if !slices.Contains(array.faulty, device) {
			return refused
		}
		array.faulty, array.members = slices.DeleteFunc(array.faulty, is), slices.DeleteFunc(slices.Clone(array.members), is)
	case "--add":
		if disk := w.diskWith(device); slices.Contains(array.members, device) || disk.array != "" &&
			disk.array != array.uuid {
			return refused
		}
		w.diskWith(device).array = array.uuid
		w.diskWith(device).onArray = w.diskWith(array.members[0]).onArray
		if array.state().Degraded > 0 {
			array.begin("recover")
		}
		array.members, array.spares = append(slices.Clone(array.members), device), append(array.spares, device)
	case "--replace":
		if !array.isIn(device) || !slices.Contains(array.spares, argv[6]) {
			return refused
		}
		array.replaced = device
		array.begin("recover")
	}
	return nil
}

func (f fakeDisks) FindMember(_ context.Context, owned []result.OwnedDevice, name string) (blockdev.ArrayMember,
	error) {
	var m blockdev.ArrayMember
	err := f.v.call("find member "+name, func() (err error) {
		if m.Array, err = f.v.find(owned); err != nil || m.Array == "" {
			return fmt.Errorf("no array: %w", err)
		}
		for _, d := range owned {
			for i, path := range ownership.Paths(d) {
				if d.Partitions[i].Name == name {
					m.Device = path
				}
			}
		}
		array := f.v.arrays[m.Array]
		m.IsIn = slices.Contains(array.members, m.Device)
		switch disk := f.v.diskWith(m.Device); {
		case m.IsIn || disk == nil || disk.array == "":
		case disk.array != array.uuid:
			return &blockdev.ForeignArrayError{Device: m.Device, Cause: fmt.Errorf("it is a member of %s", disk.array)}
		default:
			m.WasIn = true
		}
		return nil
	})
	return m, err
}

func (f fakeBaselines) MemberState(array, device string) ([]string, error) {
	var words []string
	err := f.v.call("state of "+device+" in "+array, func() error {
		a := f.v.arrays[array]
		switch {
		case f.v.losesMembers || slices.Contains(a.faulty, device):
			words = []string{"faulty"}
		case slices.Contains(a.spares, device):
			words = []string{"spare"}
		case slices.Contains(a.members, device):
			words = []string{"in_sync"}
		}
		return nil
	})
	return words, err
}
