package cluster

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

func TestCheckZero(t *testing.T) {
	tests := map[string]struct {
		write   map[int64]string // offset: content
		wantErr bool
	}{
		"hole":          {},
		"written zeros": {write: map[int64]string{1 << 20: "\x00\x00\x00"}},
		"first byte":    {write: map[int64]string{0: "x"}, wantErr: true},
		"last byte":     {write: map[int64]string{8<<20 - 1: "x"}, wantErr: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "disk")
			if err := makeDiskFile(path, 8<<20); err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for offset, content := range test.write {
				if _, err := f.WriteAt([]byte(content), offset); err != nil {
					t.Fatal(err)
				}
			}
			if err := checkZero(path); (err != nil) != test.wantErr {
				t.Errorf("got %v, want an error: %v", err, test.wantErr)
			}
		})
	}
}

func TestMakeDiskFileKeepsContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := makeDiskFile(path, 1<<20); err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(path); string(content) != "data" {
		t.Errorf("content is now %q", content)
	}
}

func TestArchiveReferences(t *testing.T) {
	tests := map[string]struct{ tag, want string }{
		"own name":     {"localhost/zfsbench/runner:dev", "localhost/zfsbench/runner:dev"},
		"short name":   {"thing:1", "docker.io/library/thing:1"},
		"without host": {"some/thing:1", "docker.io/some/thing:1"},
	}
	for testName, test := range tests {
		t.Run(testName, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "archive")
			tag, err := name.NewTag(test.tag)
			if err != nil {
				t.Fatal(err)
			}
			if err := tarball.WriteToFile(path, tag, empty.Image); err != nil {
				t.Fatal(err)
			}
			got, err := archiveReferences(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.want}, got); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := archiveReferences("/nowhere"); err == nil {
		t.Error("an archive that is not there has names")
	}
}
