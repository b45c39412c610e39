// SPDX-License-Identifier: Apache-2.0

package mountinfo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const in = `29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro
512 29 254:33 /a\040b /var/lib/zfs\040bench/target rw,nosuid,nodev,noexec,relatime - ext4 /dev/vdc1 rw,data=journal
513 29 0:51 / /mnt rw - btrfs /dev/vdd1
`
	want := []Mount{
		{Device: "254:0", Root: "/", Point: "/", Options: "rw,relatime", Type: "ext4", Source: "/dev/vda",
			SuperOptions: "rw,errors=remount-ro"},
		{
			Device: "254:33", Root: "/a b", Point: "/var/lib/zfs bench/target", Options: "rw,nosuid,nodev,noexec,relatime",
			Type: "ext4", Source: "/dev/vdc1",
			SuperOptions: "rw,data=journal",
		},
		{Device: "0:51", Root: "/", Point: "/mnt", Options: "rw", Type: "btrfs", Source: "/dev/vdd1"},
	}
	got, err := Parse(strings.NewReader(in))
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}
