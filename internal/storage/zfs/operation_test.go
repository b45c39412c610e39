// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

func TestOperate(t *testing.T) {
	online := map[string]string{"proc/spl/kstat/zfs/zbfix/state": fixture(t, "kstat-state")}
	tests := map[string]struct {
		operation Operation
		kernel    map[string]string
		want      []string
		err       error
	}{
		"scrub": {operation: Scrub("zbfix"), kernel: online,
			want: []string{"host zpool scrub -w zbfix"}},
		"trim": {operation: Trim("zbfix"), kernel: online, want: []string{"host zpool trim -w zbfix"}},
		"offline": {operation: Offline("zbfix", "/dev/a"), kernel: online,
			want: []string{"host zpool offline zbfix /dev/a"}},
		"online": {operation: Online("zbfix", "/dev/a"), kernel: online,
			want: []string{"host zpool online zbfix /dev/a"}},
		"wait": {operation: WaitResilvered("zbfix"), kernel: online,
			want: []string{"host zpool wait -t resilver zbfix"}},
		"replace": {operation: Replace("zbfix", "/dev/a", "/dev/b"), kernel: online,
			want: []string{"host zpool replace -w zbfix /dev/a /dev/b"}},
		"snapshot": {operation: Snapshot("zbfix/bench", "s-1"), kernel: online,
			want: []string{"host zfs snapshot zbfix/bench@s-1"}},
		"clone": {operation: Clone("zbfix/bench", "s-1", "zbfix/clone-1"), kernel: online,
			want: []string{"host zfs clone -o mountpoint=legacy zbfix/bench@s-1 zbfix/clone-1"}},
		"destroy snapshots": {operation: DestroySnapshots("zbfix/bench", "s-1", "s-2"), kernel: online,
			want: []string{"host zfs destroy zbfix/bench@s-1,s-2"}},
		"send changes": {operation: SendChanges("zbfix/bench", "s-1", "s-2"), kernel: online,
			want: []string{"host zfs send -i @s-1 zbfix/bench@s-2"}},
		"limit a dataset": {operation: LimitDataset("zbfix/bench", 1<<20), kernel: online,
			want: []string{"host zfs set quota=1048576 zbfix/bench"}},
		"limit no dataset": {operation: LimitDataset("zbfix/bench", 0), kernel: online,
			want: []string{"host zfs set quota=none zbfix/bench"}},
		"limit a user": {operation: LimitUser("zbfix/bench", 7, 1), kernel: online,
			want: []string{"host zfs set userquota@7=1 zbfix/bench"}},
		"a pool that is suspended": {operation: Scrub("zbfix"),
			kernel: map[string]string{"proc/spl/kstat/zfs/zbfix/state": "SUSPENDED\n"}, err: &SuspendedError{Pool: "zbfix"}},
		"a pool that is not there": {operation: Scrub("zbfix"), err: &NoPoolError{Pool: "zbfix"}},
		"a pool with an option":    {operation: Scrub("-s"), err: &NameError{Name: "-s", Kind: "pool"}},
		"a device that is an option": {operation: Offline("zbfix", "-f"), kernel: online,
			err: &NameError{Name: "-f", Kind: "device"}},
		"a device that is a name": {operation: Replace("zbfix", "/dev/a", "sdb"), kernel: online,
			err: &NameError{Name: "sdb", Kind: "device"}},
		"a snapshot of a snapshot": {operation: Snapshot("zbfix/bench@a", "b"), kernel: online,
			err: &NameError{Name: "zbfix/bench@a", Kind: "dataset"}},
		"a snapshot with an option": {operation: Snapshot("zbfix/bench", "-r"), kernel: online,
			err: &NameError{Name: "-r", Kind: "snapshot"}},
		"a range of snapshots": {operation: DestroySnapshots("zbfix/bench", "a%b"), kernel: online,
			err: &NameError{Name: "a%b", Kind: "snapshot"}},
		"a limit of an option": {operation: LimitDataset("-r", 1), kernel: online,
			err: &NameError{Name: "-r", Kind: "dataset"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, hostexectest.Answer{Match: "host z"})
			err := New(rec.Runner("host")).WithRoot(tree(t, test.kernel)).Operate(t.Context(), test.operation)
			if diff := cmp.Diff(test.err, errors.Unwrap(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, rec.Transcript()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

// The lines are as print_scan_scrub_resilver_status and print_rebuild_status_impl in cmd/zpool/zpool_main.c of 2.1 and
// 2.3.9 print them.
func TestParseScan(t *testing.T) {
	tests := map[string]Scan{
		"scrub repaired 0B in 00:00:01 with 0 errors on Wed Oct 11 16:32:05 2023": {Kind: ScanScrub},
		"scrub repaired 1.50K in 0 days 00:00:01 with 2 errors on Wed Oct 11 16:32:05 2023": {Kind: ScanScrub,
			Bytes: 1536, Errors: 2},
		"resilvered 34M in 00:00:10 with 0 errors on Wed Oct 11 16:32:05 2023": {Kind: ScanResilver,
			Bytes: 34 << 20},
		"resilvered (draid2:4d:8c:2s-0) 1G in 00:00:10 with 0 errors on Wed Oct 11 16:32:05 2023": {Kind: ScanResilver,
			Bytes: 1 << 30},
		"resilvered 512 in 00:00:10 with 0 errors on Wed Oct 11 16:32:05 2023":      {Kind: ScanResilver, Bytes: 512},
		"resilver in progress since Wed Oct 11 16:32:05 2023":                       {},
		"scrub canceled on Wed Oct 11 16:32:05 2023":                                {},
		"scrub repaired 1.5X in 00:00:01 with 0 errors on Wed Oct 11 16:32:05 2023": {},
		"scrub repaired B in 00:00:01 with 0 errors on Wed Oct 11 16:32:05 2023":    {},
		"scrub repaired -1K in 00:00:01 with 0 errors on Wed Oct 11 16:32:05 2023":  {},
		"none requested": {},
	}
	for text, want := range tests {
		want.Text = text
		if diff := cmp.Diff(want, parseScan(text)); diff != "" {
			t.Errorf("scan (-want +got):\n%s", diff)
		}
	}
}
