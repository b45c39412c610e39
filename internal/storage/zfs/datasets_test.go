// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

func TestDatasets(t *testing.T) {
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zfs list -Hp -r -t all -o name zbfix",
		Stdout: fixture(t, "zfs-list")})
	got, err := New(rec.Runner("host")).Datasets(t.Context(), "zbfix")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"zbfix", "zbfix/fs", "zbfix/fs@s1", "zbfix/fs#b1", "zbfix/vol"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("datasets (-want +got):\n%s", diff)
	}
}

func TestCreateFilesystem(t *testing.T) {
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zfs create"})
	client := New(rec.Runner("host"))
	if err := client.CreateFilesystem(t.Context(), "p/fs",
		map[string]string{"sync": "always", "recordsize": "1M"}); err != nil {
		t.Fatal(err)
	}
	var property *PropertyError
	if err := client.CreateFilesystem(t.Context(), "p/fs", map[string]string{"mountpoint": "/etc"}); !errors.As(err,
		&property) {
		t.Errorf("error %v, want *PropertyError", err)
	}
	var name *NameError
	for _, bad := range []string{"", "-o", "p/../q", "p//q", "p/fs@s", "p/-o"} {
		if err := client.CreateFilesystem(t.Context(), bad, nil); !errors.As(err, &name) {
			t.Errorf("name %q: error %v, want *NameError", bad, err)
		}
	}
	want := []string{"host zfs create -o mountpoint=legacy -o recordsize=1M -o sync=always p/fs"}
	if diff := cmp.Diff(want, rec.Transcript()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestCreateVolume(t *testing.T) {
	root := tree(t, map[string]string{"dev/zd0": ""})
	link := func(context.Context, hostexec.Cmd) (hostexec.Result, error) {
		if err := os.MkdirAll(filepath.Join(root, "dev/zvol/p"), 0o755); err != nil {
			return hostexec.Result{}, err
		}
		return hostexec.Result{}, os.Symlink("../../zd0", filepath.Join(root, "dev/zvol/p/v"))
	}
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zfs create", Do: link})
	got, err := New(rec.Runner("host")).WithRoot(root).CreateVolume(t.Context(), Volume{
		Name: "p/v", SizeBytes: 1 << 30, Sparse: true, Properties: map[string]string{"volblocksize": "8K"},
	})
	if err != nil || got != filepath.Join(root, "dev/zd0") {
		t.Errorf("device %q, error %v", got, err)
	}
	want := []string{"host zfs create -V 1073741824 -s -o volmode=dev -o volblocksize=8K p/v"}
	if diff := cmp.Diff(want, rec.Transcript()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestCreateVolumeWithoutDevice(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		rec := hostexectest.New(t, hostexectest.Answer{Match: "host zfs create"})
		_, err := New(rec.Runner("host")).WithRoot(root).CreateVolume(t.Context(), Volume{Name: "p/v", SizeBytes: 1 << 30})
		if err == nil || err.Error() != "create volume p/v: no device /dev/zvol/p/v after 1m0s" {
			t.Errorf("error %v", err)
		}
	})
}

func TestDestroyDataset(t *testing.T) {
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zfs destroy"})
	client := New(rec.Runner("host"))
	if err := client.DestroyDataset(t.Context(), "p/fs"); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"p", "-r", "p/fs@snapshot", "p/../q", "p/fs -r", ""} {
		var name *NameError
		if err := client.DestroyDataset(t.Context(), bad); !errors.As(err, &name) {
			t.Errorf("%q: error %v", bad, err)
		}
	}
	if diff := cmp.Diff([]string{"host zfs destroy p/fs"}, rec.Transcript()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}
