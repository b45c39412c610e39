// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

// assembleFirst makes the kernel have an array of vdc1 alone, as when vdc2 was removed from it, or is about to be
// added.
func (a *arrayBench) assembleFirst() {
	a.superblocks["vdc1"] = ourArray
	a.assemble("md127", true, "vdc1")
}

func TestFindMember(t *testing.T) {
	tests := map[string]struct {
		arrange func(*arrayBench)
		of      string
		want    ArrayMember
		text    string
		// foreign says that it is somebody else's.
		foreign bool
	}{
		"in use": {of: "slog", want: ArrayMember{Array: "/dev/md127", Device: "/dev/vdc1", IsIn: true}},
		"blank":  {of: "l2arc", want: ArrayMember{Array: "/dev/md127", Device: "/dev/vdc2"}},
		"removed": {
			arrange: func(a *arrayBench) {
				a.superblocks["vdc2"] = ourArray
			}, of: "l2arc", want: ArrayMember{Array: "/dev/md127", Device: "/dev/vdc2", WasIn: true},
		},
		"failed": {
			arrange: func(a *arrayBench) {
				a.superblocks["vdc2"] = ourArray
				a.assemble("md127", true, "vdc1", "vdc2")
				a.detail = said(fixture(a.t, "mdadm-detail-failed-4.4"))
			}, of: "l2arc", want: ArrayMember{Array: "/dev/md127", Device: "/dev/vdc2", IsIn: true},
		},
		"may be in none": {of: "special", text: "device special is missing, or is not provably a partition"},
		"not recorded":   {of: "p9", text: "device p9 is missing"},
		"somebody's array": {arrange: func(a *arrayBench) {
			a.superblocks["vdc1"] = foreignArray
		}, of: "l2arc", text: "recorded is " + ourArray, foreign: true},
		"no array": {arrange: func(a *arrayBench) {
			a.disassemble("md127")
		}, of: "l2arc", text: "the recorded md array is not there"},
		"in somebody's array": {arrange: func(a *arrayBench) {
			a.superblocks["vdc2"] = foreignArray
		}, of: "l2arc", text: "not provably this benchmark's and is not touched", foreign: true},
		"a disk not like ours": {arrange: func(a *arrayBench) {
			a.disks[Number{254, 32}].put(100000, 1)
		}, of: "l2arc", text: "not there"},
		"in two arrays": {
			arrange: func(a *arrayBench) {
				a.superblocks["vdc2"] = ourArray
				a.assemble("md126", true, "vdc2")
			}, of: "l2arc", text: "several md arrays: md126, md127",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newArrayBench(t)
				a.assembleFirst()
				if test.arrange != nil {
					test.arrange(a)
				}
				got, err := a.guard.FindMember(t.Context(), a.owned1(), test.of)
				var foreign *ForeignArrayError
				if (err != nil) != (test.text != "") || err != nil && !strings.Contains(err.Error(), test.text) ||
					errors.As(err, &foreign) != test.foreign {
					t.Errorf("error %v, want %q", err, test.text)
				}
				if test.text == "" && got != test.want {
					t.Errorf("got %+v, want %+v", got, test.want)
				}
				if a.did("mdadm --stop") || a.did("mdadm --zero-superblock") || a.did("mdadm --manage") {
					t.Errorf("it changed something: %q", a.rec.Transcript())
				}
			})
		})
	}
}

// A partition that is to get into an array must hold nothing at all, not even what may be on the array.
func TestFindMemberWithAFilesystem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newArrayBench(t)
		a.assembleFirst()
		a.inPartition = map[string]string{"vdc2": fixture(t, "wipefs-ext4-2.41.5")}
		_, err := a.guard.FindMember(t.Context(), a.owned1(), "l2arc")
		var foreign *ForeignArrayError
		if !errors.As(err, &foreign) || !strings.Contains(err.Error(), "it holds a signature ext4") {
			t.Errorf("error %v", err)
		}
	})
}

// A device that was removed from an array goes on saying which array that is, as does one that was added.
func TestExamineARemovedMember(t *testing.T) {
	uuid, known, err := parseArray(strings.NewReader(fixture(t, "mdadm-examine-removed-4.4")))
	if err != nil || !known || uuid.String() != ourArray {
		t.Errorf("%s, %t, error %v", uuid, known, err)
	}
}

// Dismantle also erases what a device says that has left the array, or that failed in it.
func TestDismantleWithoutAMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newArrayBench(t)
		a.both()
		a.assemble("md127", true, "vdc1")
		a.on = fixture(t, "wipefs-ext4-2.41.5")
		if err := a.guard.Dismantle(t.Context(), a.owned1()); err != nil {
			t.Fatal(err)
		}
		if len(a.superblocks) > 0 {
			t.Errorf("left: members %v", a.superblocks)
		}
		a.mustRelease()
	})
}
