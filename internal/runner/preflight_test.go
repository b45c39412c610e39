// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
)

func TestPreflightRefuses(t *testing.T) {
	onCallOf := func(prefix string) func(*world, *plan.Plan, *Engine) {
		return func(w *world, _ *plan.Plan, _ *Engine) {
			w.trouble = func(_ int, call string) trouble {
				if strings.HasPrefix(call, prefix) {
					return fails
				}
				return fine
			}
		}
	}
	filesystem := func(f Filesystem, err error) func(*world, *plan.Plan, *Engine) {
		return func(_ *world, _ *plan.Plan, e *Engine) {
			e.Filesystem = func(string) (Filesystem, error) { return f, err }
		}
	}
	tests := map[string]struct {
		arrange func(*world, *plan.Plan, *Engine)
		reason  string
		want    string
	}{
		"no OpenZFS":           {onCallOf("zfs version"), v1alpha1.ReasonPreflightFailed, "find OpenZFS"},
		"no sandbox":           {onCallOf("fio --version"), v1alpha1.ReasonPreflightFailed, "does not run in its sandbox"},
		"no space for files":   {onCallOf("check space"), v1alpha1.ReasonPreflightFailed, "no place for the file devices"},
		"OpenZFS refuses":      {onCallOf("zpool create -n"), v1alpha1.ReasonPreflightFailed, "would not create the pool of variant default"},
		"scratch in memory":    {filesystem(Filesystem{Kind: "tmpfs", FreeBytes: 1 << 40}, nil), v1alpha1.ReasonPreflightFailed, "tmpfs, which does not survive"},
		"scratch is full":      {filesystem(Filesystem{Kind: "ext4", FreeBytes: 1 << 20}, nil), v1alpha1.ReasonPreflightFailed, "has 1048576 bytes free"},
		"scratch not readable": {filesystem(Filesystem{}, errors.New("no answer")), v1alpha1.ReasonPreflightFailed, "No answer"},
		"scratch too small": {
			func(_ *world, _ *plan.Plan, e *Engine) { e.plan.Scratch.LimitBytes = 1 << 20 }, v1alpha1.ReasonPreflightFailed, "the limit for",
		},
		"a disk": {
			func(w *world, _ *plan.Plan, _ *Engine) { w.refuse["d0"] = errors.New("it is mounted") }, v1alpha1.ReasonDeviceRefused, "it is mounted",
		},
		"two disks": {
			func(w *world, _ *plan.Plan, _ *Engine) {
				w.refuse["d0"], w.refuse["d1"] = errors.New("mounted"), errors.New("swapped")
			},
			v1alpha1.ReasonDeviceRefused, "swapped",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := testPlan(w)
			e := w.engine(p)
			test.arrange(w, &p, e)
			got, _ := w.work(func() Outcome { return e.Execute(t.Context()) })
			f := got.Progress.Failure
			if f == nil || f.Reason != test.reason || !strings.Contains(f.Message, test.want) || strings.Contains(f.Message, "..") || !got.Final() {
				t.Errorf("failure %+v", f)
			}
			if len(w.left()) != 0 || len(w.trials) != 0 {
				t.Errorf("left %v, trials %v", w.left(), w.trials)
			}
		})
	}
}

func TestPreflightReportsEveryDevice(t *testing.T) {
	w := newWorld(t)
	w.refuse["d1"] = errors.New("it holds ext4")
	got, _ := w.execute(t.Context(), testPlan(w))
	found := got.Progress.Preflight
	if found == nil || found.Passed || len(found.Devices) != 3 {
		t.Fatalf("preflight %+v", found)
	}
	want := []result.DeviceReport{
		{Name: "d0", Path: "/dev/disk/by-id/d0", Usable: true, Serial: "s0", SizeBytes: 1 << 30},
		{Name: "d1", Path: "/dev/disk/by-id/d1", Refusal: "Device d1 (/dev/disk/by-id/d1) is refused: it holds ext4.", Serial: "s1", SizeBytes: 1 << 30},
		{Name: "f0", Usable: true, SizeBytes: 64 << 20},
	}
	for i := range want {
		if found.Devices[i] != want[i] {
			t.Errorf("device %+v, want %+v", found.Devices[i], want[i])
		}
	}
}

func TestStandInsHaveTheRightSizeAndGo(t *testing.T) {
	w := newWorld(t)
	e := w.engine(testPlan(w))
	if err := e.ws.make(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, something is left from the first
		paths, _, err := e.standIns()
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(paths["f0"])
		if err != nil || info.Size() != 64<<20 || paths["d0"] != "/dev/disk/by-id/d0" {
			t.Errorf("paths %v, error %v", paths, err)
		}
	}
	_, remove, err := e.standIns()
	if err != nil {
		t.Fatal(err)
	}
	remove()
	if _, err := os.Stat(filepath.Join(e.ws.root(), "preflight")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestFilesystemOfThisMachine(t *testing.T) {
	got, err := StatFilesystem("/proc")
	if err != nil || got.Kind != "0x9fa0" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := StatFilesystem(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("no error for what is missing")
	}
	kinds := map[string]bool{"ext4": true, "xfs": true, "zfs": true, "tmpfs": false, "overlay": false, "ramfs": false}
	for kind, want := range kinds {
		if got := (Filesystem{Kind: kind}).keepsFiles(); got != want {
			t.Errorf("%s keeps files: %t", kind, got)
		}
	}
}
