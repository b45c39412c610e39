// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAttach(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	inside, dir := t.TempDir(), t.TempDir()
	pid := startHolder(t, podVariable, inside, "/proc/self/exe")
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
	if text, err := os.ReadFile(filepath.Join(procOf(pid), "root", inside, "answer")); err != nil ||
		string(text) != "ours" {
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
	if _, err := (Attacher{}).Attach("00000000-0000-4000-8000-000000000000", "/zfsbench-volume",
		t.TempDir()); !errors.As(err, &none) {
		t.Errorf("Attach = %v, want %T", err, none)
	}
	if _, _, err := (Attacher{}).Device("00000000-0000-4000-8000-000000000000", "/dev/zfsbench-volume"); !errors.As(err,
		&none) {
		t.Errorf("Device = %v, want %T", err, none)
	}
}

func TestIsOfPod(t *testing.T) {
	const uid = "5b0f0c6e-1111-4222-8333-444455556666"
	tests := map[string]struct {
		cgroup, uid string
		want        bool
	}{
		"systemd": {
			"0::/../../kubepods-besteffort.slice/kubepods-besteffort-pod5b0f0c6e_1111_4222_8333_444455556666.slice/" +
				"cri-containerd-77.scope\n", uid, true,
		},
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
