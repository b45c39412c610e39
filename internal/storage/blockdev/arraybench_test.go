// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
)

const (
	// recordedArray is the UUID of the array as it is recorded, ourArray the same in mdadm's form, and foreignArray
	// another one.
	recordedArray = "0c7c9a41-8a2e-4fbb-9f4d-1f2d3c4b5a69"
	ourArray      = "0c7c9a41:8a2e4fbb:9f4d1f2d:3c4b5a69"
	foreignArray  = "ffffffff:8a2e4fbb:9f4d1f2d:3c4b5a69"
)

// ownedOnArray is vdc with three partitions, of which the first two may be in an array that ext4 may be on.
func ownedOnArray() result.OwnedDevice {
	owned := ownedInThree()
	for i := range owned.Partitions[:2] {
		owned.Partitions[i].ArrayUUID, owned.Partitions[i].FilesystemUUID = recordedArray, ext4UUID
	}
	return owned
}

// arrayBench is a bench that plays mdadm, md and udev. Members of the benchmark's arrays are partitions of vdc;
// /dev/vdd1 is a member of somebody else's.
type arrayBench struct {
	*bench
	t *testing.T
	// superblocks are the arrays that devices say they are members of, on is what wipefs finds on an array.
	superblocks map[string]string
	on          string
	// inPartition is what wipefs finds in partitions that are members of nothing.
	inPartition map[string]string
	// assembles is called after an array was stopped, as udev is.
	assembles func()
	// stop and detail, if set, are what mdadm does in place of what it would do.
	stop, detail func() (hostexec.Result, error)
}

func newArrayBench(t *testing.T) *arrayBench {
	t.Helper()
	b, _ := freeBench(t)
	b.owned = ownedOnArray()
	a := &arrayBench{bench: b, t: t, superblocks: map[string]string{}, assembles: func() {}}
	if _, err := b.guard.Partition(t.Context(), diskD0(), b.owned, false); err != nil {
		t.Fatal(err)
	}
	b.rec.Prepend(hostexectest.Answer{Match: "host mdadm", Do: a.mdadm},
		hostexectest.Answer{Match: "local wipefs --no-act --json /dev/", Do: a.wipefs})
	return a
}

// assemble makes the kernel have an array of some devices. One that does not run has no size.
func (a *arrayBench) assemble(name string, runs bool, devices ...string) {
	a.t.Helper()
	size := "0"
	if runs {
		size = "262144"
	}
	sys, number := "/sys/block/"+name, "9:"+strings.TrimLeft(name, "md_")
	files := map[string]string{sys + "/dev": number, sys + "/size": size, sys + "/ro": "0", sys +
		"/md/metadata_version": "1.2", "/dev/" + name: number}
	for _, device := range devices {
		files[sys+"/slaves/"+device+"/dev"] = ""
		files[fmt.Sprintf("/sys/block/%s/%s/holders/%s/dev", device[:3], device, name)] = ""
	}
	a.write(files)
}

func (a *arrayBench) write(files map[string]string) {
	a.t.Helper()
	for path, content := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(a.path(path)), 0o755),
			os.WriteFile(a.path(path), []byte(content), 0o644)); err != nil {
			a.t.Fatal(err)
		}
	}
}

// disassemble is what md does when an array is stopped.
func (a *arrayBench) disassemble(name string) {
	a.t.Helper()
	holders, err := filepath.Glob(a.path("/sys/block/*/*/holders/" + name))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, path := range append(holders, a.path("/sys/block/"+name), a.path("/dev/"+name)) {
		if err := os.RemoveAll(path); err != nil {
			a.t.Fatal(err)
		}
	}
}

func (a *arrayBench) isAssembled(name string) bool {
	_, err := os.Stat(a.path("/sys/block/" + name))
	return err == nil
}

func (a *arrayBench) isHeld(device string) bool {
	holders, _ := filepath.Glob(a.path("/sys/block/*/" + device + "/holders/*"))
	return len(holders) > 0
}

func (a *arrayBench) mdadm(_ context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
	device := filepath.Base(cmd.Args[len(cmd.Args)-1])
	failed := &hostexec.ExitError{Args: cmd.Args, Code: 1}
	switch cmd.Args[1] {
	case "--examine":
		if a.superblocks[device] == "" {
			return hostexec.Result{}, failed
		}
		return hostexec.Result{Stdout: []byte(strings.ReplaceAll(fixture(a.t, "mdadm-examine-raid1-4.4"), ourArray,
			a.superblocks[device]))}, nil
	case "--detail":
		if a.detail != nil {
			return a.detail()
		}
		return hostexec.Result{Stdout: []byte(fixture(a.t, "mdadm-detail-raid1-4.4"))}, nil
	case "--stop":
		if a.stop != nil {
			return a.stop()
		}
		if !a.isAssembled(device) {
			return hostexec.Result{}, failed
		}
		a.disassemble(device)
		a.assembles()
		return hostexec.Result{}, nil
	case "--zero-superblock":
		if a.isHeld(device) || a.superblocks[device] == "" {
			return hostexec.Result{}, failed
		}
		delete(a.superblocks, device)
		return hostexec.Result{}, nil
	}
	a.t.Errorf("unexpected command %q", cmd.Args)
	return hostexec.Result{}, failed
}

func (a *arrayBench) wipefs(_ context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
	device := filepath.Base(cmd.Args[len(cmd.Args)-1])
	if strings.HasPrefix(device, "md") {
		return hostexec.Result{Stdout: []byte(a.on)}, nil
	}
	if uuid := a.superblocks[device]; uuid != "" {
		digits := strings.ReplaceAll(uuid, ":", "")
		dashed := strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-")
		return hostexec.Result{Stdout: []byte(strings.ReplaceAll(fixture(a.t, "wipefs-raid-2.41.5"), recordedArray, dashed))},
			nil
	}
	if found := a.inPartition[device]; found != "" {
		return hostexec.Result{Stdout: []byte(found)}, nil
	}
	return hostexec.Result{Stdout: []byte(fixture(a.t, "wipefs-blank-2.41.5"))}, nil
}

// both makes vdc1 and vdc2 members of the recorded array.
func (a *arrayBench) both() {
	a.superblocks["vdc1"], a.superblocks["vdc2"] = ourArray, ourArray
}

func (a *arrayBench) owned1() []result.OwnedDevice { return []result.OwnedDevice{a.owned} }

// mustRelease gives the disk back, which holds nothing any more.
func (a *arrayBench) mustRelease() {
	a.t.Helper()
	if err := a.guard.Release(a.t.Context(), a.owned, ""); err != nil {
		a.t.Error(err)
	}
}

// did says whether a command was run.
func (a *arrayBench) did(command string) bool {
	return slices.ContainsFunc(a.rec.Transcript(), func(line string) bool {
		return strings.HasPrefix(line, "host "+command)
	})
}
