// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shown are the files that the kernel showed of a raid6 at moments of its life, captured while mdadm 4.4 took devices
// from it and gave it others.
func shown(t *testing.T) map[string]map[string]string {
	t.Helper()
	content, err := os.ReadFile("testdata/array-raid6-linux-6.12.107.txt")
	if err != nil {
		t.Fatal(err)
	}
	moments := map[string]map[string]string{}
	for _, moment := range strings.Split(string(content), "=== ")[1:] {
		lines := strings.Split(moment, "\n")
		files := map[string]string{"layout": "2\n"}
		for _, line := range lines[1:] {
			name, value, found := strings.Cut(line, ": ")
			if !found {
				continue
			}
			if device, found := strings.CutPrefix(name, "dev-"); found {
				state, _, _ := strings.Cut(strings.TrimPrefix(value, "state="), " ")
				name, value = "dev-"+device+"/state", state
			}
			files[name] = value + "\n"
		}
		moments[lines[0]] = files
	}
	return moments
}

func TestCapturedStates(t *testing.T) {
	type state struct {
		Action, LastAction string
		Degraded           int
		Idle               bool
		// Members are loop1p1, loop2p1 and loop4p1.
		Members [3]string
	}
	want := map[string]state{
		"just made":                 {"resync", "resync", 0, false, [3]string{"in_sync", "in_sync", ""}},
		"in sync":                   {"idle", "resync", 0, true, [3]string{"in_sync", "in_sync", ""}},
		"failed":                    {"idle", "resync", 1, true, [3]string{"faulty", "in_sync", ""}},
		"removed":                   {"idle", "resync", 1, true, [3]string{"", "in_sync", ""}},
		"re-added at once":          {"recover", "recover", 1, false, [3]string{"spare", "in_sync", ""}},
		"re-added, idle":            {"idle", "recover", 0, true, [3]string{"in_sync", "in_sync", ""}},
		"added again (same device)": {"recover", "recover", 1, false, [3]string{"spare", "in_sync", ""}},
		"spare added":               {"recover", "recover", 1, false, [3]string{"", "in_sync", "spare"}},
		"recovered":                 {"idle", "recover", 0, true, [3]string{"", "in_sync", "in_sync"}},
		"idle spare":                {"idle", "recover", 0, true, [3]string{"spare", "in_sync", "in_sync"}},
		"replacing at once": {"recover", "recover", 0, false,
			[3]string{"spare replacement", "in_sync want_replacement", "in_sync"}},
		"replaced":         {"idle", "recover", 0, true, [3]string{"in_sync", "faulty", "in_sync"}},
		"replaced removed": {"idle", "recover", 0, true, [3]string{"in_sync", "", "in_sync"}},
		"checking":         {"check", "check", 0, false, [3]string{"in_sync", "", "in_sync"}},
		"checked":          {"idle", "check", 0, true, [3]string{"in_sync", "", "in_sync"}},
		"two gone":         {"idle", "check", 2, true, [3]string{"in_sync", "", ""}},
	}
	moments := shown(t)
	for name, want := range want {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for file, content := range moments[name] {
				files["block/md127/md/"+file] = content
			}
			n, _ := node(t, files)
			n.sys = n.proc
			a, err := n.ArrayState("/dev/md127")
			got := state{Action: a.Action, LastAction: a.LastAction, Degraded: a.Degraded, Idle: a.IsIdle()}
			for i, device := range []string{"/dev/loop1p1", "/dev/loop2p1", "/dev/loop4p1"} {
				words, errState := n.MemberState("/dev/md127", device)
				if errState != nil {
					t.Error(errState)
				}
				got.Members[i] = strings.Join(words, " ")
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
			if a.Level != "raid6" || a.Disks != 4 || a.DeviceBytes != 200704<<10 || a.LeastSyncBytesPerSecond == 0 ||
				a.MostSyncBytesPerSecond < a.LeastSyncBytesPerSecond {
				t.Errorf("%+v", a)
			}
		})
	}
}
