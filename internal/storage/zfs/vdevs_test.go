// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseVdevPaths(t *testing.T) {
	const partition = "/dev/disk/by-partuuid/10000000-0000-4000-8000-00000000000"
	tests := map[string]struct{ want []string }{
		"zpool-list-vdevs":          {want: []string{partition + "0", partition + "1", partition + "2", partition + "3"}},
		"zpool-list-vdevs-degraded": {want: []string{"/root/zbfix2/v/f1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseVdevPaths(fixtureReader(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseDevices(t *testing.T) {
	tests := map[string]struct{ want []string }{
		"zpool-status":          {want: []string{"/dev/vdc1", "/dev/vdd1", "/dev/vde1", "/dev/vdf1"}},
		"zpool-status-degraded": {want: []string{"/root/zbfix2/v/f1", "/root/zbfix2/v/f2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDevices(fixtureReader(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}
