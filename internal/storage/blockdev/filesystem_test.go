// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"strings"
	"testing"
	"testing/synctest"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

// ext4UUID is the UUID of the filesystem in the fixture wipefs-ext4.
const ext4UUID = "471eaa25-2f77-4f21-b5f4-b84e96dc0ec2"

// A partition that may hold a filesystem is released with that filesystem in it, with a half-made one that has no
// signature yet, and with nothing else.
func TestReleaseAFilesystem(t *testing.T) {
	tests := map[string]struct {
		wipefs, zdb, uuid, comment string
		// refusal is a part of the text; empty if the disk is released.
		refusal string
	}{
		"ours":              {wipefs: "wipefs-ext4-2.41.5", uuid: ext4UUID},
		"ours, in capitals": {wipefs: "wipefs-ext4-2.41.5", uuid: strings.ToUpper(ext4UUID)},
		"none, or not yet":  {wipefs: "wipefs-blank-2.41.5", uuid: ext4UUID},
		"raw":               {wipefs: "wipefs-blank-2.41.5"},
		"somebody else's": {wipefs: "wipefs-ext4-2.41.5", uuid: testDiskGUID,
			refusal: "signature ext4 at 0x438 with the UUID"},
		"our JFS, by its label": {wipefs: "wipefs-jfs-2.38.1", uuid: ext4UUID},
		"somebody else's JFS": {wipefs: "wipefs-jfs-2.38.1", uuid: "951d691d-e96b-4ec7-b4b8-0dac34450a37",
			refusal: "signature jfs at 0x8000 with the UUID"},
		"somebody's on raw": {wipefs: "wipefs-ext4-2.41.5", refusal: "signature ext4 at 0x438"},
		"ours and another one": {wipefs: "wipefs-both-2.41.5", uuid: "a64a0793-054f-4547-870b-504ed544d550",
			refusal: "signature xfs at 0x0"},
		"a signature without a UUID":   {wipefs: "wipefs-mbr-2.41.5", uuid: ext4UUID, refusal: "signature dos"},
		"a pool, where there was none": {wipefs: "wipefs-zfs-2.41.5", uuid: ext4UUID, refusal: "signature zfs_member"},
		"labels, where there was no pool": {wipefs: "wipefs-blank-2.41.5", zdb: "LABEL 0 \n    name: 'tank'\n    state: 4\n",
			uuid: ext4UUID, refusal: `labels of pool "tank", but the benchmark made no pool`},
		"a filesystem instead of a pool": {wipefs: "wipefs-ext4-2.41.5", comment: testComment, refusal: "signature ext4"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := []hostexectest.Answer{{Match: "local wipefs --no-act --json /dev/vdc1", Stdout: fixture(t, test.wipefs)}}
				if test.zdb != "" {
					answers = append(answers, hostexectest.Answer{Match: "host zdb -l /dev/vdc1", Stdout: test.zdb})
				}
				b, disk := freeBench(t, answers...)
				b.mustPartition(t)
				disk.put(mebibyte+1024, 1, 2, 3)
				disk.writes = nil
				owned := ownedD0()
				owned.Partitions[0].FilesystemUUID = test.uuid
				err := b.guard.Release(t.Context(), owned, test.comment)
				if test.refusal != "" {
					wantRefusal(t, err, StepOwnership, test.refusal)
					if len(disk.writes) > 0 {
						t.Errorf("a refused disk was written to: %q", disk.writes)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if left := disk.content(); len(left) != 0 {
					t.Errorf("left on the disk: %v", left)
				}
			})
		})
	}
}
