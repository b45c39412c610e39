// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A variable with a directory makes this test binary play a pod or the holder of an image: in a mount namespace of its
// own it mounts something there.
const (
	podVariable   = "ZFSBENCH_TEST_POD"
	imageVariable = "ZFSBENCH_TEST_IMAGE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(podVariable); dir != "" {
		hold(mountVolume, dir)
	}
	if root := os.Getenv(imageVariable); root != "" {
		hold(mountImage, root)
	}
	os.Exit(m.Run())
}

// hold mounts something at a directory that nobody else sees, says so, and ends the process at the end of its input.
func hold(mount func(dir string) error, dir string) {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = mount(dir)
	}
	if err != nil {
		fmt.Println("holder:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(0)
}

// mountVolume is what a pod does with its volume.
func mountVolume(dir string) error {
	return errors.Join(
		unix.Mount("held", dir, "tmpfs", unix.MS_NOATIME, "mode=0755,size=1m"),
		os.WriteFile(filepath.Join(dir, "file"), []byte("theirs"), 0o600),
	)
}

// mountImage makes a directory with an image's files the root, as a container's is.
func mountImage(root string) error {
	program, err := os.Executable()
	return errors.Join(
		err,
		unix.Mount("image", root, "tmpfs", 0, "mode=0755,size=1m"),
		os.WriteFile(filepath.Join(root, "file"), []byte("theirs"), 0o600),
		os.Mkdir(filepath.Join(root, "mounted"), 0o755),
		os.WriteFile(filepath.Join(root, "holder"), nil, 0o600),
		unix.Mount(program, filepath.Join(root, "holder"), "", unix.MS_BIND, ""),
		unix.Mount("more", filepath.Join(root, "mounted"), "tmpfs", 0, "mode=0755,size=1m"),
		os.WriteFile(filepath.Join(root, "mounted", "token"), []byte("secret"), 0o600),
		os.Chdir(root),
		unix.PivotRoot(".", "."),
		unix.Unmount(".", unix.MNT_DETACH),
	)
}

// startHolder starts a copy of this test binary that plays what a variable says until the end of the test, and returns
// the process when it has mounted what it holds.
func startHolder(t *testing.T, variable, dir string, argv ...string) (pid int) {
	t.Helper()
	pid, _ = startStoppableHolder(t, variable, dir, argv...)
	return pid
}

// startStoppableHolder also returns what ends it before that.
func startStoppableHolder(t *testing.T, variable, dir string, argv ...string) (pid int, stop func()) {
	t.Helper()
	itsInput, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	output, itsOutput, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Env: append(os.Environ(), variable+"="+dir), Files: []*os.File{itsInput, itsOutput, itsOutput},
		Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS},
	})
	if err != nil {
		t.Skipf("no mount namespaces here: %v", err)
	}
	_, _ = itsInput.Close(), itsOutput.Close()
	stop = sync.OnceFunc(func() {
		_ = input.Close()
		_, _ = process.Wait()
	})
	t.Cleanup(stop)
	if line, _ := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Skipf("nothing can be mounted here: %s", line)
	}
	return process.Pid, stop
}
