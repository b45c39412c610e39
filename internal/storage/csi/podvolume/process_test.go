// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func mustPin(t *testing.T, pid int) process {
	t.Helper()
	p, err := pin(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// A process that has ended between being found and being used has no files any more, whoever has its number then: above
// all, no other's are taken for its.
func TestProcessThatHasEnded(t *testing.T) {
	child, err := os.StartProcess("/proc/self/exe", []string{"ends", "-test.run=^$"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	p := mustPin(t, child.Pid)
	if _, err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(p.path("cmdline")); !errors.Is(err, unix.ESRCH) && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("cmdline: %v", err)
	}
	if err := attach(p, "/", t.TempDir(), readOnly); !errors.Is(err, unix.ESRCH) && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("attach: %v", err)
	}
}
