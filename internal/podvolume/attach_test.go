// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// holderVariable makes this test binary play a pod: in its own mount namespace it mounts a tmpfs at the directory, says so, and waits for the end of its input.
const holderVariable = "ZFSBENCH_TEST_HOLDER"

func TestMain(m *testing.M) {
	if root := os.Getenv(rootVariable); root != "" {
		beHolder(root)
	}
	dir := os.Getenv(holderVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	err := errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("held", dir, "tmpfs", unix.MS_NOATIME, "mode=0755,size=1m"),
		os.WriteFile(filepath.Join(dir, "file"), []byte("theirs"), 0o600),
	)
	if err != nil {
		fmt.Println("holder:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(0)
}

// startHolder returns the process that has something mounted at inside, which this process does not see.
func startHolder(t *testing.T, inside string) int {
	t.Helper()
	itsInput, input, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	output, itsOutput, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess("/proc/self/exe", []string{"holder"}, &os.ProcAttr{
		Env: append(os.Environ(), holderVariable+"="+inside), Files: []*os.File{itsInput, itsOutput, itsOutput},
		Sys: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS},
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
	return process.Pid
}

func TestAttach(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	inside, dir := t.TempDir(), t.TempDir()
	pid := startHolder(t, inside)
	holder, self := mustPin(t, pid), mustPin(t, os.Getpid())
	if !hasMount(holder, inside) || hasMount(self, inside) {
		t.Fatalf("the mount at %s is not the holder's alone", inside)
	}
	if err := attach(holder, inside, dir, closed); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
			t.Skipf("mounts cannot be taken over here: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	text, err := os.ReadFile(filepath.Join(dir, "file"))
	if err != nil || string(text) != "theirs" {
		t.Errorf("read %q, %v; want what the holder wrote", text, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "answer"), []byte("ours"), 0o600); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(procOf(pid), "root", inside, "answer")); err != nil || string(text) != "ours" {
		t.Errorf("the holder reads %q, %v; want what was written here", text, err)
	}
	options := mountOptions(t, dir)
	for _, want := range []string{"nosuid", "nodev", "noexec", "noatime"} {
		if !strings.Contains(options, want) {
			t.Errorf("mounted with %s, want %s", options, want)
		}
	}
}

func TestAttachNothing(t *testing.T) {
	var none *NoPodError
	if err := (Node{}).Attach("00000000-0000-4000-8000-000000000000", "/zfsbench-volume", t.TempDir()); !errors.As(err, &none) {
		t.Errorf("Attach = %v, want %T", err, none)
	}
	if _, err := (Node{}).Device("00000000-0000-4000-8000-000000000000", "/dev/zfsbench-volume"); !errors.As(err, &none) {
		t.Errorf("Device = %v, want %T", err, none)
	}
}

func TestIsOfPod(t *testing.T) {
	const uid = "5b0f0c6e-1111-4222-8333-444455556666"
	tests := map[string]struct {
		cgroup, uid string
		want        bool
	}{
		"systemd":     {"0::/../../kubepods-besteffort.slice/kubepods-besteffort-pod5b0f0c6e_1111_4222_8333_444455556666.slice/cri-containerd-77.scope\n", uid, true},
		"cgroupfs":    {"0::/kubepods/besteffort/pod5b0f0c6e-1111-4222-8333-444455556666/77\n", uid, true},
		"version 1":   {"12:cpu:/system.slice\n3:memory:/kubepods/pod5b0f0c6e-1111-4222-8333-444455556666/77\n", uid, true},
		"another pod": {"0::/kubepods/besteffort/pod5b0f0c6e-1111-4222-8333-444455556667/77\n", uid, false},
		"the host":    {"0::/init.scope\n", uid, false},
		"no UID":      {"0::/kubepods/besteffort/pod5b0f0c6e-1111-4222-8333-444455556666/77\n", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := isOfPod(tt.cgroup, tt.uid); got != tt.want {
				t.Errorf("isOfPod = %v, want %v", got, tt.want)
			}
		})
	}
}

func mountOptions(t *testing.T, dir string) string {
	t.Helper()
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if fields := strings.Fields(scanner.Text()); len(fields) > 5 && fields[4] == dir {
			return fields[5]
		}
	}
	t.Fatalf("nothing is mounted at %s", dir)
	return ""
}
