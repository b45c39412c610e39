// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/mdraid"
)

// Whatever is left of an array that is ours, is taken apart: its disk is then as if it had never been in one.
func TestDismantle(t *testing.T) {
	tests := map[string]func(*arrayBench){
		"running":             nil,
		"under any name":      func(a *arrayBench) { a.disassemble("md127"); a.assemble("md5", true, "vdc1", "vdc2") },
		"with our filesystem": func(a *arrayBench) { a.on = fixture(a.t, "wipefs-ext4-2.41.5") },
		"incomplete":          func(a *arrayBench) { a.disassemble("md127"); a.assemble("md127", false, "vdc2") },
		"not run":             func(a *arrayBench) { a.disassemble("md127"); a.assemble("md127", false, "vdc1", "vdc2") },
		"not run, as mdadm says": func(a *arrayBench) {
			a.disassemble("md127")
			a.assemble("md127", false, "vdc1", "vdc2")
			a.detail = said(fixture(a.t, "mdadm-detail-inactive-4.4"))
		},
		"not run, of no UUID": func(a *arrayBench) {
			a.disassemble("md127")
			a.assemble("md127", false, "vdc1", "vdc2")
			a.detail = said("MD_DEVICES=2\n")
		},
		"stopped":    func(a *arrayBench) { a.disassemble("md127") },
		"one erased": func(a *arrayBench) { a.disassemble("md127"); delete(a.superblocks, "vdc1") },
		"one erased, the other assembled": func(a *arrayBench) {
			a.disassemble("md127")
			delete(a.superblocks, "vdc1")
			a.assemble("md127", false, "vdc2")
		},
		"both erased":     func(a *arrayBench) { a.disassemble("md127"); clear(a.superblocks) },
		"never made":      func(a *arrayBench) { a.disassemble("md127"); clear(a.superblocks) },
		"one of two made": func(a *arrayBench) { a.disassemble("md127"); delete(a.superblocks, "vdc2") },
		"assembled again by udev": func(a *arrayBench) {
			again := 3
			a.assembles = func() {
				if again--; again >= 0 {
					a.assemble("md126", true, "vdc1", "vdc2")
				}
			}
		},
		"busy for a while": func(a *arrayBench) {
			until := time.Now().Add(20 * time.Second)
			a.stop = func() (hostexec.Result, error) {
				if time.Now().After(until) {
					a.stop = nil
				}
				return hostexec.Result{}, &hostexec.ExitError{Args: []string{"mdadm"}, Code: 1,
					Stderr: "Cannot get exclusive access to /dev/md127"}
			}
		},
	}
	for name, arrange := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newArrayBench(t)
				a.both()
				a.assemble("md127", true, "vdc1", "vdc2")
				a.on = fixture(t, "wipefs-blank-2.41.5")
				if arrange != nil {
					arrange(a)
				}
				if err := a.guard.Dismantle(t.Context(), a.owned1()); err != nil {
					t.Fatal(err)
				}
				if len(a.superblocks) > 0 || a.isHeld("vdc1") || a.isHeld("vdc2") {
					t.Errorf("left: members %v of %v", a.superblocks, a.rec.Transcript())
				}
				a.mustRelease()
			})
		})
	}
}

// said is a tool that prints something.
func said(text string) func() (hostexec.Result, error) {
	return func() (hostexec.Result, error) { return hostexec.Result{Stdout: []byte(text)}, nil }
}

// An array that lost a disk of ours has a device that is not known any more: the message says which disk cannot be
// looked at.
func TestProveAnArrayThatLostADisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newArrayBench(t)
		a.both()
		a.assemble("md127", true, "vdc1", "vdc2", "vdd1")
		pulled := ownedOnArray()
		pulled.Name, pulled.Path = "d1", "/dev/disk/by-id/virtio-zfsbench-gone"
		_, err := a.guard.FindArray(t.Context(), []result.OwnedDevice{a.owned1()[0], pulled})
		const want = "md array /dev/md127 is not provably this benchmark's and is not touched: its device /dev/vdd1 is not " +
			"a recorded " +
			"partition, as far as the recorded disks can be checked; plug in again any disk that was removed: " +
			"device d1 (/dev/disk/by-id/virtio-zfsbench-gone) is refused: the path leads nowhere"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
}

// The error is why it was ended, and not that a context was canceled.
func TestDismantleSaysWhyItEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newArrayBench(t)
		a.both()
		a.assemble("md127", true, "vdc1", "vdc2")
		pulled := errors.New("disk d1 was pulled")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(pulled)
		if err := a.guard.Dismantle(ctx, a.owned1()); !errors.Is(err, pulled) || errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, pulled)
		}
	})
}

// What is not provably ours, or in use, is neither stopped nor written to, and the message says what and where.
func TestDismantleRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(*arrayBench)
		text   string
		// foreign says that nobody waits for it to change.
		foreign bool
	}{
		"a foreign device in it": {
			change: func(a *arrayBench) {
				a.assemble("md127", true, "vdc1", "vdc2", "vdd1")
				a.superblocks["vdd1"] = ourArray
			}, foreign: true,
			text: "md array /dev/md127 is not provably this benchmark's and is not touched: its device /dev/vdd1 is not a " +
				"recorded partition",
		},
		"a partition of ours that may be in none": {
			change: func(a *arrayBench) {
				a.assemble("md127", true, "vdc1", "vdc2", "vdc3")
				a.superblocks["vdc3"] = ourArray
			}, foreign: true, text: "its device /dev/vdc3 is not a recorded partition",
		},
		"another UUID on a device": {
			change: func(a *arrayBench) {
				a.superblocks["vdc2"] = foreignArray
			}, foreign: true, text: "its device /dev/vdc2 says that the array's UUID is " + foreignArray + ", recorded is " +
				ourArray,
		},
		"another UUID of the array": {change: func(a *arrayBench) {
			a.detail = said("MD_UUID=" + foreignArray + "\n")
		}, foreign: true, text: "its UUID is " + foreignArray},
		"no UUID of a running one": {change: func(a *arrayBench) {
			a.detail = said("MD_LEVEL=raid1\n")
		}, foreign: true, text: "mdadm does not say its UUID"},
		"no superblock": {change: func(a *arrayBench) { delete(a.superblocks, "vdc2") }, text: "examine /dev/vdc2"},
		"mdadm says nothing": {
			change: func(a *arrayBench) {
				a.rec.Prepend(hostexectest.Answer{Match: "host mdadm --examine", Stdout: "MD_LEVEL=raid1\n"})
			}, text: "mdadm does not say which array it is a member of",
		},
		"mdadm says nonsense": {change: func(a *arrayBench) {
			a.detail = said("MD_UUID=x\n")
		}, text: `"x" is not the UUID of an md array`},
		"mdadm cut off": {change: func(a *arrayBench) { a.detail = said("MD_UUID=" + ourArray) }, text: "cut off"},
		"no mdadm": {
			change: func(a *arrayBench) {
				a.rec.Prepend(hostexectest.Answer{Match: "host mdadm",
					Err: &hostexec.NotFoundError{Args: []string{"mdadm"}, Err: os.ErrNotExist}})
			}, text: "mdadm",
		},
		"mounted": {
			change: func(a *arrayBench) {
				a.appendTo("/proc/1/mountinfo", "900 29 9:127 / /mnt/precious rw - ext4 /dev/md127 rw\n")
			}, text: "md array /dev/md127 is not stopped: it is mounted at /mnt/precious (ext4)",
		},
		"open in a process": {
			change: func(a *arrayBench) {
				if err := os.Symlink("/dev/md127", a.path("/proc/30840/fd/7")); err != nil {
					a.t.Fatal(err)
				}
			}, text: "it is open in process 30840",
		},
		"swapped to": {change: func(a *arrayBench) {
			a.appendTo("/proc/swaps", "/dev/md127 partition 1 0 -2\n")
		}, text: "the node swaps to /dev/md127"},
		"part of another": {change: func(a *arrayBench) {
			a.write(map[string]string{"/sys/block/md127/holders/dm-7/dev": ""})
		}, text: "it is part of dm-7"},
		"with partitions": {
			change: func(a *arrayBench) {
				a.write(map[string]string{"/sys/block/md127/md127p1/dev": "259:1", "/sys/block/md127/md127p1/partition": "1",
					"/sys/block/md127/md127p1/size": "1", "/sys/block/md127/md127p1/ro": "0"})
			}, text: "it has partitions: md127p1",
		},
		"with another filesystem": {
			change: func(a *arrayBench) {
				a.on = fixture(a.t, "wipefs-xfs-2.41.5")
			}, foreign: true, text: "it holds a signature xfs at 0x0",
		},
		"with a pool": {change: func(a *arrayBench) {
			a.on = fixture(a.t, "wipefs-zfs-2.41.5")
		}, foreign: true, text: "it holds a signature zfs_member"},
		"no md array at all": {
			change: func(a *arrayBench) {
				a.disassemble("md127")
				a.write(map[string]string{"/sys/block/vdc/vdc1/holders/dm-0/dev": ""})
			}, foreign: true, text: "/dev/dm-0 is not provably this benchmark's and is not touched: it is made of the " +
				"benchmark's partitions, but is not an md array",
		},
		"busy for ever": {
			change: func(a *arrayBench) {
				a.stop = func() (hostexec.Result, error) {
					return hostexec.Result{}, &hostexec.ExitError{Args: []string{"mdadm", "--stop"}, Code: 1,
						Stderr: "Cannot get exclusive access to /dev/md127"}
				}
			}, text: "Cannot get exclusive access",
		},
		"assembled again for ever": {
			change: func(a *arrayBench) {
				a.assembles = func() { a.assemble("md127", true, "vdc1", "vdc2") }
			}, text: "its partitions have been assembled again, as md127",
		},
		"a member of somebody's, not assembled": {
			change: func(a *arrayBench) {
				a.disassemble("md127")
				a.superblocks["vdc2"] = foreignArray
			}, foreign: true, text: "device d0: /dev/vdc2 is not provably this benchmark's and is not touched",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newArrayBench(t)
				a.both()
				a.on = fixture(t, "wipefs-ext4-2.41.5")
				a.assemble("md127", true, "vdc1", "vdc2")
				test.change(a)
				began, before := time.Now(), len(a.disks[Number{254, 32}].writes)
				err := a.guard.Dismantle(t.Context(), a.owned1())
				var foreign *ForeignArrayError
				if err == nil || !strings.Contains(err.Error(), test.text) || errors.As(err, &foreign) != test.foreign {
					t.Errorf("error %v, want %q", err, test.text)
				}
				if waited := time.Since(began); (waited >= arrayPatience) == test.foreign || waited > 2*arrayPatience {
					t.Errorf("it took %s", waited)
				}
				if a.did("mdadm --zero-superblock") || len(a.disks[Number{254, 32}].writes) != before ||
					a.superblocks["vdc2"] == "" && name != "no superblock" {
					t.Errorf("touched: members %v, %q", a.superblocks, a.rec.Transcript())
				}
			})
		})
	}
}

// A partition that becomes somebody's while another one is erased, is not: each is proved when its turn comes.
func TestDismantleWhatChangesMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newArrayBench(t)
		a.both()
		erased := 0
		a.rec.Prepend(hostexectest.Answer{Match: "host mdadm --zero-superblock",
			Do: func(ctx context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
				erased++
				for _, other := range []string{"vdc1", "vdc2"} {
					if other != filepath.Base(cmd.Args[2]) {
						a.superblocks[other] = foreignArray
					}
				}
				return a.mdadm(ctx, cmd)
			}})
		err := a.guard.Dismantle(t.Context(), a.owned1())
		var foreign *ForeignArrayError
		if !errors.As(err, &foreign) || erased != 1 || len(a.superblocks) != 1 {
			t.Errorf("error %v, %d erased, left: members %v", err, erased, a.superblocks)
		}
	})
}

func (a *arrayBench) appendTo(path, text string) {
	a.t.Helper()
	content, err := os.ReadFile(a.path(path))
	if err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(a.path(path), append(content, text...), 0o644); err != nil {
		a.t.Fatal(err)
	}
}

func TestFindArray(t *testing.T) {
	tests := map[string]struct {
		change func(*arrayBench)
		want   string
		text   string
	}{
		"there":     {want: "/dev/md127"},
		"not there": {change: func(a *arrayBench) { a.disassemble("md127") }},
		"somebody's": {change: func(a *arrayBench) {
			a.superblocks["vdc1"] = foreignArray
		}, want: "/dev/md127", text: "recorded is " + ourArray},
		"two of them": {change: func(a *arrayBench) {
			a.disassemble("md127")
			a.assemble("md127", true, "vdc1")
			a.assemble("md126", true, "vdc2")
		}, text: "several md arrays: md126, md127"},
		"a blank disk":   {change: func(a *arrayBench) { clear(a.disks[Number{254, 32}].blocks) }},
		"another's disk": {change: func(a *arrayBench) { a.owned.Serial = "x" }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newArrayBench(t)
				a.both()
				a.assemble("md127", true, "vdc1", "vdc2")
				if test.change != nil {
					test.change(a)
				}
				got, err := a.guard.FindArray(t.Context(), a.owned1())
				if got != test.want || (err != nil) != (test.text != "") ||
					err != nil && !strings.Contains(err.Error(), test.text) {
					t.Errorf("got %q, error %v; want %q, %q", got, err, test.want, test.text)
				}
				if a.did("mdadm --stop") || a.did("mdadm --zero-superblock") {
					t.Errorf("it changed something: %q", a.rec.Transcript())
				}
			})
		})
	}
}

// A disk that is not provably ours has no members of ours: its array is not touched, and neither is it waited for.
func TestDismantleOnAForeignDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newArrayBench(t)
		a.both()
		a.assemble("md127", true, "vdc1", "vdc2")
		a.disks[Number{254, 32}].put(100000, 1)
		if err := a.guard.Dismantle(t.Context(), a.owned1()); err != nil {
			t.Error(err)
		}
		if a.did("mdadm") || len(a.superblocks) != 2 {
			t.Errorf("touched: %q", a.rec.Transcript())
		}
	})
}

// The guard gives back a partition that says it is a member of the recorded array, and of no other.
func TestReleaseAMember(t *testing.T) {
	tests := map[string]struct {
		uuid    string
		refusal string
	}{
		"ours":             {uuid: ourArray},
		"ours in capitals": {uuid: strings.ToUpper(ourArray)},
		"somebody else's": {uuid: foreignArray,
			refusal: "inside partition 1 of 3: a signature linux_raid_member at 0x1000 with the UUID"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newArrayBench(t)
				a.superblocks["vdc1"] = test.uuid
				disk := a.disks[Number{254, 32}]
				disk.writes = nil
				err := a.guard.Release(t.Context(), a.owned, "")
				if test.refusal == "" && err != nil {
					t.Error(err)
				}
				if test.refusal != "" {
					wantRefusal(t, err, StepOwnership, test.refusal)
					if len(disk.writes) > 0 {
						t.Errorf("a refused disk was written to: %q", disk.writes)
					}
				}
			})
		})
	}
}

// What a partition may hold follows from what is recorded for it, and nothing else.
func TestMayHold(t *testing.T) {
	uuid, err := mdraid.ParseUUID(recordedArray)
	if err != nil {
		t.Fatal(err)
	}
	raid := func(uuid string) signature { return signature{Offset: "0x1000", Type: raidMember, UUID: uuid} }
	both := partition{filesystem: ext4UUID, array: uuid}
	tests := map[string]struct {
		partition partition
		signature signature
		hasPool   bool
		want      bool
	}{
		"our array":                    {both, raid(recordedArray), false, true},
		"our array, in mdadm's form":   {both, raid(ourArray), false, true},
		"another array":                {both, raid(ext4UUID[:35] + "0"), false, false},
		"an array of no UUID":          {both, raid(""), false, false},
		"our filesystem through it":    {both, signature{Type: "bcachefs", UUID: ext4UUID}, false, true},
		"another filesystem":           {both, signature{Type: "ext4", UUID: testDiskGUID}, false, false},
		"its UUID on something else":   {both, signature{Type: "ext4", UUID: recordedArray}, false, false},
		"an array where there is none": {partition{filesystem: ext4UUID}, raid(recordedArray), false, false},
		"zeros where there is none":    {partition{}, raid("00000000-0000-0000-0000-000000000000"), false, false},
		"an array in a pool's":         {partition{}, raid(recordedArray), true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.partition.mayHold(tt.signature, tt.hasPool); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

// What mdadm says of an array, and of a member, has the UUID that the array was made with, in whatever state it is.
func TestParseArray(t *testing.T) {
	for _, output := range outputs(t, "mdadm") {
		got, known, err := parseArray(strings.NewReader(output))
		if got.String() != ourArray || !known || err != nil {
			t.Errorf("UUID %s, known %t, error %v of\n%s", got, known, err, output)
		}
	}
}

func TestTableOfAnArray(t *testing.T) {
	owned := ownedOnArray()
	owned.Partitions[0].ArrayUUID = "x"
	onDisk := diskD0()
	if _, err := newTable(&onDisk, owned); err == nil ||
		!strings.Contains(err.Error(), `array of partition slog: "x" is not the UUID`) {
		t.Errorf("error %v", err)
	}
}
