// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/storage/filesystem"
)

// node is a machine whose /proc has these files.
func node(t *testing.T, files map[string]string, answers ...hostexectest.Answer) (Host, *hostexectest.Recorder) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	recorder := hostexectest.New(t, answers...)
	return Host{host: recorder.Runner("host"), proc: dir}, recorder
}

var notFound = &hostexec.NotFoundError{Args: []string{"tool"}, Err: errors.New("no such file")}

const someFilesystems = "nodev\tsysfs\nnodev\ttmpfs\n\text3\n\text2\n\text4\nnodev\tzfs\n"

func TestFind(t *testing.T) {
	tests := map[string]struct {
		kind    v1alpha1.FilesystemType
		answers []hostexectest.Answer
		version string
		// lacks is a part of the error's text; empty for none.
		lacks string
	}{
		"known to the kernel": {
			kind: "ext4", answers: []hostexectest.Answer{{Match: "host mke2fs -V",
				Stderr: "mke2fs 1.47.2 (1-Jan-2025)\n\tUsing EXT2FS Library version 1.47.2\n"}}, version: "1.47.2",
		},
		"a module": {
			kind: "btrfs", answers: []hostexectest.Answer{{Match: "host mkfs.btrfs --version",
				Stdout: "mkfs.btrfs, part of btrfs-progs v6.14\n"}, {Match: "host modprobe --dry-run --quiet fs-btrfs"}},
			version: "6.14",
		},
		"no module": {
			kind: "xfs", answers: []hostexectest.Answer{{Match: "host mkfs.xfs -V", Stdout: "mkfs.xfs version 6.13.0\n"},
				{Match: "host modprobe --dry-run --quiet fs-xfs", Code: 1}},
			version: "6.13.0", lacks: "the node has no xfs in its kernel",
		},
		"no modprobe": {
			kind: "f2fs", answers: []hostexectest.Answer{{Match: "host mkfs.f2fs -V", Stdout: "mkfs.f2fs 1.16.0 (2023-04-11)\n"},
				{Match: "host modprobe", Err: notFound}},
			version: "1.16.0", lacks: "cannot say whether there is a module",
		},
		"no tool": {
			kind: "ext4", answers: []hostexectest.Answer{{Match: "host mke2fs -V", Err: notFound}},
			lacks: "the node has no mke2fs",
		},
		"neither": {
			kind: "bcachefs", answers: []hostexectest.Answer{{Match: "host bcachefs version", Err: notFound},
				{Match: "host modprobe", Code: 1}}, lacks: "the node has no bcachefs",
		},
		"a tool that fails": {
			kind: "ext4", answers: []hostexectest.Answer{{Match: "host mke2fs -V", Code: 1}}, version: "present",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n, _ := node(t, map[string]string{"filesystems": someFilesystems}, tt.answers...)
			f, known := filesystem.Of(tt.kind)
			if !known {
				t.Fatalf("%s is not known", tt.kind)
			}
			got, err := n.Find(t.Context(), f)
			var lack *LackError
			if got != tt.version || errors.As(err, &lack) != (tt.lacks != "") ||
				err != nil && !strings.Contains(err.Error(), tt.lacks) {
				t.Errorf("version %q, error %v; want %q, %q", got, err, tt.version, tt.lacks)
			}
		})
	}
}

func TestFilesystemsThatCannotBeRead(t *testing.T) {
	for name, content := range map[string]string{"an odd line": "nodev a b\n", "an empty line": "\n\n"} {
		t.Run(name, func(t *testing.T) {
			if got, err := parseFilesystems(strings.NewReader(content)); err == nil {
				t.Errorf("read as %v", got)
			}
		})
	}
	n, _ := node(t, nil, hostexectest.Answer{Match: "host mke2fs -V"})
	f, _ := filesystem.Of("ext4")
	if _, err := n.Find(t.Context(), f); err == nil {
		t.Error("an unreadable list of filesystems is no error")
	}
}

func TestMounted(t *testing.T) {
	dir := t.TempDir()
	line := "512 29 254:33 / " + dir + " rw,nosuid,nodev,noexec,relatime - ext4 /dev/vdc1 rw,data=journal\n"
	other := "29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
	tests := map[string]struct {
		mountinfo string
		want      State
	}{
		"nothing": {other, State{}},
		"a filesystem": {other + line,
			State{Source: "/dev/vdc1", Options: "rw,nosuid,nodev,noexec,relatime,rw,data=journal"}},
		"one on the other": {line + strings.ReplaceAll(line, "vdc1", "vdd1"),
			State{Source: "/dev/vdd1", Options: "rw,nosuid,nodev,noexec,relatime,rw,data=journal"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			n, _ := node(t, map[string]string{"self/mountinfo": tt.mountinfo})
			got, err := n.Mounted(dir)
			if (got.Source != "") != (got.SizeBytes > 0) {
				t.Errorf("size %d", got.SizeBytes)
			}
			got.SizeBytes, got.UsedBytes, got.AvailableBytes = 0, 0, 0
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
			if source, err := n.Source(dir); source != tt.want.Source || err != nil {
				t.Errorf("source %q, error %v", source, err)
			}
		})
	}
	n, _ := node(t, nil)
	if _, err := n.Mounted(dir); err == nil {
		t.Error("mounts that cannot be read are no error")
	}
}

func TestMake(t *testing.T) {
	argv := []string{"mkfs.xfs", "-K", "/dev/x"}
	n, recorder := node(t, nil, hostexectest.Answer{Match: "host mkfs.xfs"})
	if err := n.Make(t.Context(), argv); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"host mkfs.xfs -K /dev/x"}, recorder.Transcript()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestIdle(t *testing.T) {
	n, _ := node(t, map[string]string{"a": ""})
	if err := n.Idle(n.path("a")); err != nil {
		t.Error(err)
	}
	if err := n.Idle(n.path("b")); err != nil {
		t.Errorf("what is not there is in use: %v", err)
	}
	if err := n.Idle(n.path("a", "b")); err == nil {
		t.Error("what cannot be opened is idle")
	}
}
