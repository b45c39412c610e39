// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// statusOf is a status with these lines before and in its table, as cmd/zpool/zpool_main.c of 2.3.9 prints them.
func statusOf(head string, rows ...string) string {
	return "  pool: tank\n state: ONLINE\n" + head + "config:\n\n\tNAME        STATE     READ WRITE CKSUM\n\t" +
		strings.Join(rows, "\n\t") +
		"\n\nerrors: No known data errors\n"
}

func TestParseStatus(t *testing.T) {
	tank := VdevStatus{Name: "tank", State: "ONLINE"}
	tests := map[string]struct {
		text string
		want Status
	}{
		"captured": {fixture(t, "zpool-status"), Status{State: "ONLINE", Vdevs: []VdevStatus{
			{Name: "zbfix", State: "ONLINE"}, {Name: "mirror-0", State: "ONLINE"}, {Name: "/dev/vdc1", State: "ONLINE"},
			{Name: "/dev/vdd1", State: "ONLINE"},
			{Name: "/dev/vde1", State: "ONLINE"},
		}}},
		"captured, degraded": {fixture(t, "zpool-status-degraded"), Status{State: "DEGRADED", Vdevs: []VdevStatus{
			{Name: "zbcapa", State: "DEGRADED"}, {Name: "mirror-0", State: "DEGRADED"},
			{Name: "/root/zbfix2/v/f1", State: "ONLINE"},
			{Name: "14529426563742558057", State: "UNAVAIL"},
		}}},
		"captured, a device offline": {fixture(t, "zpool-status-offline"), Status{
			State: "DEGRADED", Scan: Scan{Text: "resilvered 154K in 00:00:01 with 0 errors on Sun Nov 22 20:58:29 2026",
				Kind: ScanResilver, Bytes: 154 << 10}, Vdevs: []VdevStatus{
				{Name: "zfsbench-d2c6029d-0", State: "DEGRADED"}, {Name: "mirror-0", State: "DEGRADED"},
				{Name: "/dev/disk/by-partuuid/1a0aeb97-ed97-46e4-863d-af4acaf1234a", State: "ONLINE"},
				{Name: "/dev/disk/by-partuuid/3e795b07-e2b1-40f4-a710-14c8cd039164", State: "OFFLINE"},
			},
		}},
		"captured, being replaced": {fixture(t, "zpool-status-replacing"), Status{
			State: "DEGRADED", Active: []string{"resilver in progress since Sun Nov 22 20:58:55 2026"},
			Scan: Scan{Text: "resilver in progress since Sun Nov 22 20:58:55 2026"}, Vdevs: []VdevStatus{
				{Name: "zfsbench-d2c6029d-0", State: "DEGRADED"}, {Name: "mirror-0", State: "DEGRADED"},
				{Name: "/dev/disk/by-partuuid/1a0aeb97-ed97-46e4-863d-af4acaf1234a", State: "ONLINE"},
				{Name: "replacing-1", State: "DEGRADED"},
				{Name: "/dev/disk/by-partuuid/3e795b07-e2b1-40f4-a710-14c8cd039164", State: "OFFLINE"},
				{Name: "/dev/disk/by-partuuid/8822bc7f-ed4c-4f47-8014-75703808f22e", State: "ONLINE"},
			},
		}},
		"captured, replaced": {fixture(t, "zpool-status-replaced"), Status{
			State: "ONLINE", Scan: Scan{Text: "resilvered 32.6M in 00:00:03 with 0 errors on Sun Nov 22 20:58:58 2026",
				Kind: ScanResilver, Bytes: 34183577}, Vdevs: []VdevStatus{
				{Name: "zfsbench-d2c6029d-0", State: "ONLINE"}, {Name: "mirror-0", State: "ONLINE"},
				{Name: "/dev/disk/by-partuuid/1a0aeb97-ed97-46e4-863d-af4acaf1234a", State: "ONLINE"},
				{Name: "/dev/disk/by-partuuid/8822bc7f-ed4c-4f47-8014-75703808f22e", State: "ONLINE"},
			},
		}},
		"scrub": {
			statusOf("  scan: scrub in progress since Wed Oct 11 16:32:05 2023\n\t808G / 10T scanned\n", "tank ONLINE 0 0 0"),
			Status{State: "ONLINE", Active: []string{"scrub in progress since Wed Oct 11 16:32:05 2023"},
				Scan: Scan{Text: "scrub in progress since Wed Oct 11 16:32:05 2023"}, Vdevs: []VdevStatus{tank}},
		},
		"scrub that is over": {
			statusOf("  scan: scrub repaired 0B in 00:00:01 with 0 errors on Wed Oct 11 16:32:05 2023\n", "tank ONLINE 0 0 0"),
			Status{State: "ONLINE", Scan: Scan{Text: "scrub repaired 0B in 00:00:01 with 0 errors on Wed Oct 11 16:32:05 2023",
				Kind: ScanScrub}, Vdevs: []VdevStatus{tank}},
		},
		"trim": {
			statusOf("", "tank ONLINE 0 0 0", "  sda ONLINE 0 0 0  (trimming)", "  sdb ONLINE 0 0 0  (initializing)",
				"  sdc ONLINE 0 0 0  (untrimmed)"),
			Status{State: "ONLINE", Active: []string{"trimming of sda", "initializing of sdb"}, Vdevs: []VdevStatus{
				tank, {Name: "sda", State: "ONLINE"}, {Name: "sdb", State: "ONLINE"}, {Name: "sdc", State: "ONLINE"},
			}},
		},
		"errors and a spare": {
			statusOf("", "tank ONLINE 0 0 0", "  sda ONLINE 1 2000000 3", "spares", "  sdb INUSE     currently in use",
				"  sdc UNAVAIL   cannot open"),
			Status{State: "ONLINE", Vdevs: []VdevStatus{tank,
				{Name: "sda", State: "ONLINE", ReadErrors: 1, WriteErrors: 2000000, ChecksumErrors: 3}}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseStatus(strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseStatusRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":       "",
		"no state":      strings.Replace(statusOf("", "tank ONLINE 0 0 0"), " state: ONLINE\n", "", 1),
		"no vdev":       "  pool: tank\n state: ONLINE\n",
		"no counters":   statusOf("", "tank ONLINE"),
		"no number":     statusOf("", "tank ONLINE 0 0 1.2K"),
		"below zero":    statusOf("", "tank ONLINE 0 -1 0"),
		"beyond number": statusOf("", "tank ONLINE 0 0 99999999999999999999"),
	} {
		var parse *ParseError
		if got, err := ParseStatus(strings.NewReader(text)); !errors.As(err, &parse) {
			t.Errorf("%s: read as %+v, error %v", name, got, err)
		}
	}
}
