// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

// A volume that Kubernetes provides is written to only if nothing at all is found on it, and it is only read.
func TestCheckBlankVolume(t *testing.T) {
	tests := map[string]struct {
		disk    func(*memoryDisk)
		answers []hostexectest.Answer
		// want is part of the refusal, empty for none.
		want string
	}{
		"blank": {nil, nil, ""},
		"ext4":  {nil, answer("local blkid -p -o export /dev/vdc", fixture(t, "blkid-ext4-2.41.5")), "ext4"},
		"a table": {nil, answer("local blkid -p -o export /dev/vdc", fixture(t, "blkid-gpt-2.41.5")),
			"partition table gpt"},
		"behind a table": {nil, answer("local blkid -p -o export -O 1048576", fixture(t, "blkid-inside-2.41.5")),
			"ext4 at 1 MiB"},
		"two signatures":  {nil, answer("local wipefs", fixture(t, "wipefs-both-2.41.5")), "xfs at 0x0 (wipefs)"},
		"blkid fails":     {nil, fails("local blkid", 4), "blkid could not look at it"},
		"wipefs fails":    {nil, fails("local wipefs", 1), "wipefs could not look at it"},
		"the first byte":  {func(d *memoryDisk) { d.put(0, 1) }, nil, "data at byte 0"},
		"the last byte":   {func(d *memoryDisk) { d.put(gibibyte-1, 1) }, nil, "data 1 bytes before its end"},
		"the margin":      {func(d *memoryDisk) { d.put(9*mebibyte-1, 1) }, nil, "data at byte 9437183, without a signature"},
		"a quarter":       {func(d *memoryDisk) { d.put(gibibyte/4, 1) }, nil, "data at byte 268435456, without a signature"},
		"unreadable":      {func(d *memoryDisk) { d.unreadable = gibibyte / 2 }, nil, "cannot be read"},
		"too small":       {func(d *memoryDisk) { d.sizeBytes = 2 * mebibyte }, nil, "too few to be checked"},
		"no size at all":  {func(d *memoryDisk) { d.sizeBytes = 0 }, nil, "too few to be checked"},
		"taken but blank": {func(d *memoryDisk) { d.busy = true }, nil, ""}, // the pod has it
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, free(fixture(t, "node-busy-linux-6.12.107")), tt.answers...)
			if tt.disk != nil {
				tt.disk(b.disks[Number{254, 32}])
			}
			err := b.guard.CheckBlankVolume(t.Context(), "/dev/vdc")
			var used *NotBlankError
			if tt.want == "" && err != nil ||
				tt.want != "" && (!errors.As(err, &used) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if writes := b.disks[Number{254, 32}].writes; len(writes) > 0 {
				t.Errorf("wrote %v", writes)
			}
		})
	}
}
