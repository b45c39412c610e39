// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBlockFile moves data through a buffer smaller than the data. What only a block device can do is tested on one;
// see node_test.go.
func TestBlockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "disk")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	want := bytes.Repeat([]byte("0123456789abcdef"), 1000)
	disk := &blockFile{fd: int(file.Fd()), path: path, buffer: make([]byte, 4096)}
	if n, err := disk.WriteAt(want, 512); n != len(want) || err != nil {
		t.Fatalf("wrote %d, error %v", n, err)
	}
	got := make([]byte, len(want))
	if n, err := disk.ReadAt(got, 512); n != len(want) || err != nil || !bytes.Equal(want, got) {
		t.Errorf("read %d, error %v, equal %v", n, err, bytes.Equal(want, got))
	}
	if _, err := disk.ReadAt(got, 1024); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want an unexpected end", err)
	}
	if _, err := disk.Number(); !errors.Is(err, errNotBlock) {
		t.Errorf("error %v, want errNotBlock", err)
	}
	if _, err := disk.SizeBytes(); !errors.Is(err, unix.ENOTTY) {
		t.Errorf("error %v, want ENOTTY", err)
	}
	if err := disk.Lock(); err != nil {
		t.Errorf("lock: %v", err)
	}
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	if err := (&blockFile{fd: int(other.Fd()), path: path}).Lock(); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("second lock: error %v, want EWOULDBLOCK", err)
	}
}

func TestLinuxNumber(t *testing.T) {
	if _, err := (linux{}).Number(t.TempDir()); !errors.Is(err, errNotBlock) {
		t.Errorf("directory: error %v, want errNotBlock", err)
	}
	if _, err := (linux{}).Number("/dev/null"); !errors.Is(err, errNotBlock) {
		t.Errorf("character device: error %v, want errNotBlock", err)
	}
	if _, err := (linux{}).Number("/no/such/file"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want ErrNotExist", err)
	}
	if _, err := (linux{}).Open("/no/such/file", exclusiveWrite); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want ErrNotExist", err)
	}
}

// TestNumberBelow follows links as a process does that has another root directory.
func TestNumberBelow(t *testing.T) {
	root := t.TempDir()
	for path, target := range map[string]string{"null": "/dev/null", "out": "../../../../../file", "loop": "/loop",
		"device": "/dev/x"} {
		if err := os.Symlink(target, filepath.Join(root, path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(root, "dev"), 0o755),
		os.WriteFile(filepath.Join(root, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	tests := map[string]error{
		"/file": errNotBlock, "/out": errNotBlock, "/null": os.ErrNotExist, "/device": os.ErrNotExist, "/loop": unix.ELOOP,
		"/file/x": unix.ENOTDIR,
	}
	for path, want := range tests {
		if _, err := (linux{}).NumberBelow(root, path); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
}

func TestLoopWithoutADevice(t *testing.T) {
	for path, want := range map[string]error{"/no/such/loop": os.ErrNotExist, "/dev/null": errNotBlock} {
		if _, err := (linux{}).Loop(path); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", path, err, want)
		}
	}
}

// TestSharesFiles: in doubt a thread has descriptors of its own.
func TestSharesFiles(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	if (linux{}).SharesFiles(own, "x") || (linux{}).SharesFiles("x", own) {
		t.Error("nothing is known of what is no process")
	}
}
