// SPDX-License-Identifier: Apache-2.0

package jobspec_test

import (
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
)

// All names of a disk that nodes can share are one lock; the others are none.
func TestDiskLease(t *testing.T) {
	tests := map[string]string{
		"wwn-0x5000c500a1b2c3d4":                       "disk-5000c500a1b2c3d4",
		"scsi-35000c500a1b2c3d4":                       "disk-5000c500a1b2c3d4",
		"wwn-0x60014051e6f5e4d3c2b1a09f8e7d6c5b":       "disk-60014051e6f5e4d3c2b1a09f8e7d6c5b",
		"scsi-360014051e6f5e4d3c2b1a09f8e7d6c5b":       "disk-60014051e6f5e4d3c2b1a09f8e7d6c5b",
		"nvme-eui.0025385b71b0a3c4":                    "disk-0025385b71b0a3c4",
		"nvme-Samsung_SSD_980_PRO_1TB_S5GXNF0R123456A": "",
		"ata-QEMU_HARDDISK_QM00001":                    "",
		"scsi-0QEMU_QEMU_HARDDISK_drive-scsi1":         "",
		"scsi-SATA_ST4000NM0033-9ZM_Z1Z0ABCD":          "",
		"virtio-zfsbench-d0":                           "",
		"wwn-0x5000c500a1b2c3d":                        "", // cut short
		"wwn-0x5000c500a1b2c3d4-part1":                 "",
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if lease := jobspec.DiskLease("zfsbench-runners", &v1alpha1.ZfsBenchmark{}, "storage-0", "/dev/disk/by-id/"+
				name); lease != nil {
				got = lease.Name
			}
			if got != want {
				t.Errorf("lease %q, want %q", got, want)
			}
			if got != "" && !jobspec.IsDiskLease(got) {
				t.Errorf("%s does not count as a disk's", got)
			}
		})
	}
}
