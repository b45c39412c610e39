// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/preflight"
	"zfsbench.io/operator/internal/storage/zfs"
	"zfsbench.io/operator/internal/testfiles"
)

func captured(t *testing.T, path ...string) string {
	t.Helper()
	return testfiles.Read(t, path...)
}

// nodeTools answers as the tools of a node do.
func nodeTools(t *testing.T) []hostexectest.Answer {
	t.Helper()
	version := captured(t, "..", "storage", "zfs", "testdata", "zfs-version-2.3.9.txt")
	answers := []hostexectest.Answer{
		{Match: "host zpool version", Stdout: version}, {Match: "host zfs version", Stdout: version},
		{Match: "host zdb --help", Stderr: "Usage: zdb ...", Code: 2},
		{Match: "host udevadm --version", Stdout: "257\n"},
	}
	for _, tool := range []string{"blkid", "wipefs", "lsblk"} {
		answers = append(answers, hostexectest.Answer{Match: "local " + tool + " --version",
			Stdout: captured(t, "testdata", "tools", tool+"-version-2.38.1.txt")})
	}
	return answers
}

func allTools() []preflight.ToolVersion {
	return []preflight.ToolVersion{
		{Name: "zpool", OnNode: true, Version: "2.3.9-0+deb13u1"}, {Name: "zfs", OnNode: true, Version: "2.3.9-0+deb13u1"},
		{Name: "zdb", OnNode: true, Version: "present"}, {Name: "udevadm", OnNode: true, Version: "257"},
		{Name: "blkid", Version: "2.38.1"}, {Name: "wipefs", Version: "2.38.1"}, {Name: "lsblk", Version: "2.38.1"},
	}
}

func TestFindTools(t *testing.T) {
	missing := &hostexec.NotFoundError{Args: []string{"zdb"}, Err: errors.New("not there")}
	stopped := &hostexec.ExitError{Args: []string{"lsblk"}, Code: -1, Err: context.Canceled}
	tests := map[string]struct {
		first  []hostexectest.Answer
		change func([]preflight.ToolVersion)
	}{
		"all there": {nil, func([]preflight.ToolVersion) {}},
		"one is missing": {
			[]hostexectest.Answer{{Match: "host zdb", Err: missing}}, func(all []preflight.ToolVersion) {
				all[2].Version, all[2].Err = "",
					missing
			},
		},
		"no module": {
			[]hostexectest.Answer{{Match: "host zpool version", Stdout: "zfs-2.3.9-0+deb13u1\n", Code: 1}},
			func([]preflight.ToolVersion) {},
		},
		"says nothing": {
			[]hostexectest.Answer{{Match: "host udevadm", Stdout: "\n"}},
			func(all []preflight.ToolVersion) { all[3].Version = "present" },
		},
		"stopped": {
			[]hostexectest.Answer{{Match: "local lsblk", Err: stopped}},
			func(all []preflight.ToolVersion) { all[6].Version, all[6].Err = "", stopped },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, append(tt.first, nodeTools(t)...)...)
			want := allTools()
			tt.change(want)
			if diff := cmp.Diff(want, preflight.FindTools(t.Context(), rec.Runner("local"), rec.Runner("host")),
				cmpopts.EquateErrors()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDryRunRunsOnlyWhatReads is the proof, beside the one on real disks in test/e2e, that a dry run writes nothing:
// every command that it runs through the real clients is known to read only. What the guard runs is in the tests of
// blockdev, with disks that count writes.
func TestDryRunRunsOnlyWhatReads(t *testing.T) {
	for _, refused := range []string{"", "d0"} {
		t.Run("refused: "+refused, func(t *testing.T) {
			rec := hostexectest.New(t, append(nodeTools(t), hostexectest.Answer{Match: "host zpool create -n "})...)
			w := newWorld(t)
			if refused != "" {
				w.refuse[refused] = errors.New("it is mounted")
			}
			p := testPlan(w)
			p.DryRun = true
			e := w.engine(p)
			e.Pools = zfs.New(rec.Runner("host")).WithRoot(moduleTree(t))
			e.Tools = func(ctx context.Context) []preflight.ToolVersion {
				return preflight.FindTools(ctx, rec.Runner("local"), rec.Runner("host"))
			}
			got, _ := w.work(func() Outcome { return e.Execute(t.Context()) })
			if found := got.Progress.Preflight; found == nil || found.Passed != (refused == "") {
				t.Fatalf("outcome %+v", got)
			}
			want := []string{
				"host zfs version", "host zpool version", "host zfs version", "host zdb --help", "host udevadm --version",
				"local blkid --version", "local wipefs --version", "local lsblk --version",
			}
			commands := rec.Transcript()
			if refused == "" {
				last := commands[len(commands)-1]
				if !strings.HasPrefix(last, "host zpool create -n -m none ") {
					t.Errorf("the last command is %q", last)
				}
				commands = commands[:len(commands)-1]
			}
			if diff := cmp.Diff(want, commands); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"sink: what is owned?", "fio --version", "check space", "check d0 d1"},
				w.transcript); diff != "" {
				t.Errorf("everything else (-want +got):\n%s", diff)
			}
			if left := w.left(); len(left) > 0 || slices.ContainsFunc(got.Progress.Preflight.Checks,
				func(c result.Check) bool { return c.Outcome == result.OutcomeFailed }) {
				t.Errorf("left %v, checks %+v", left, got.Progress.Preflight.Checks)
			}
		})
	}
}

// moduleTree is the part of /sys that has the module's version.
func moduleTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "sys", "module", "zfs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "version"), []byte("2.3.9-0+deb13u1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestModuleThatIsNotLoaded(t *testing.T) {
	w := newWorld(t)
	e := w.engine(testPlan(w))
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zfs version", Stdout: "zfs-2.3.9-0+deb13u1\n", Code: 1})
	e.Pools = zfs.New(rec.Runner("host")).WithRoot(t.TempDir())
	want := result.Check{
		Name: "OpenZFS", Outcome: result.OutcomeFailed,
		Message: "OpenZFS cannot be used: the userland is 2.3.9-0+deb13u1, but the zfs kernel module is not loaded; " +
			"modprobe zfs loads it.",
	}
	if diff := cmp.Diff(want, e.findNode(t.Context()).Check); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
