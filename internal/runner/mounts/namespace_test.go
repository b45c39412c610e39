// SPDX-License-Identifier: Apache-2.0

package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/hostexec"
)

// mountingMode makes the test binary enter a mount namespace and mount something at a directory.
const mountingMode = "test-mounting"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == mountingMode {
		if err := mountPrivately(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// mountPrivately mounts a tmpfs and prints how many mounts of it this process sees, and the process's name.
func mountPrivately(dir string) error {
	if err := MakePrivate(); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
		return err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	name, err := os.ReadFile("/proc/self/comm")
	fmt.Print(strings.Count(string(mounts), " "+dir+" "), os.Getenv(privateMountsVariable), " ",
		strings.TrimSpace(string(name)))
	return err
}

func TestPrivateMountsAreSeenByNobodyElse(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this test makes a mount namespace: run it as root")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, err := hostexec.Local().Run(t.Context(), hostexec.Cmd{Args: []string{self, mountingMode, dir}})
	if err != nil || string(out.Stdout) != "1 "+filepath.Base(self)[:min(15, len(filepath.Base(self)))] {
		t.Errorf("there: %q, error %v", out.Stdout, err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || strings.Contains(string(mounts), dir) {
		t.Errorf("it is mounted here as well, error %v", err)
	}
}
