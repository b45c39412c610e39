// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// rootVariable makes this test binary play the holder of an image: its root becomes a directory with the image's files, as a container's does. It says so, and waits for the end of its input.
const rootVariable = "ZFSBENCH_TEST_ROOT"

func beHolder(root string) {
	err := errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("image", root, "tmpfs", 0, "mode=0755,size=1m"),
		os.WriteFile(filepath.Join(root, "file"), []byte("theirs"), 0o600),
		os.Mkdir(filepath.Join(root, "mounted"), 0o755),
		unix.Mount("more", filepath.Join(root, "mounted"), "tmpfs", 0, "mode=0755,size=1m"),
		os.WriteFile(filepath.Join(root, "mounted", "token"), []byte("secret"), 0o600),
		os.Chdir(root),
		unix.PivotRoot(".", "."),
		unix.Unmount(".", unix.MNT_DETACH),
	)
	if err != nil {
		fmt.Println("holder:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(0)
}

// startImage plays the holder of the image of a number, and returns the program that it runs.
func startImage(t *testing.T, number string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "holder")
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(program, os.O_WRONLY|os.O_CREATE, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	itsInput, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	output, itsOutput, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(program, []string{program, "hold", number}, &os.ProcAttr{
		Env: append(os.Environ(), rootVariable+"="+t.TempDir()), Files: []*os.File{itsInput, itsOutput, itsOutput}, Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS},
	})
	if err != nil {
		t.Skipf("no mount namespaces here: %v", err)
	}
	_, _ = itsInput.Close(), itsOutput.Close()
	t.Cleanup(func() {
		_ = input.Close()
		_, _ = process.Wait()
	})
	if line, _ := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Skipf("nothing can be mounted here: %s", line)
	}
	return program
}

// TestImages: the files of an image appear read-only, without what else its container has mounted, and only those of the number.
func TestImages(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	images := NewImages(startImage(t, "1"), t.TempDir())
	var none *NoHolderError
	if _, err := images.Attach(0); !errors.As(err, &none) {
		t.Errorf("image 0, which nobody holds: %v, want %T", err, none)
	}
	root, err := images.Attach(1)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("mounts cannot be taken over here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	})
	if text, err := os.ReadFile(filepath.Join(root, "file")); err != nil || string(text) != "theirs" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(root, "mounted", "token")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is mounted in the container is there: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "new"), nil, 0o600); !errors.Is(err, unix.EROFS) {
		t.Errorf("it can be written to: %v", err)
	}
	options := mountOptions(t, root)
	for _, want := range []string{"ro", "nosuid", "nodev"} {
		if !strings.Contains(options, want) {
			t.Errorf("mounted with %s, want %s", options, want)
		}
	}
	if again, err := images.Attach(1); err != nil || again != root {
		t.Errorf("asked again: %q, %v", again, err)
	}
}

func TestImagesWithoutHolder(t *testing.T) {
	if _, err := NewImages("/nowhere/holder", t.TempDir()).Attach(0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
