package debian

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMirror(t *testing.T) {
	tests := map[string]struct {
		codename string
		files    map[string]string // path below the root: fixture, or content when it has no such file
		env      string
		want     string
		wantErr  error
	}{
		"deb822": {
			codename: "bookworm",
			files:    map[string]string{"etc/apt/sources.list.d/debian.sources": "testdata/bookworm.sources"},
			want:     "http://mirror.example.org/debian",
		},
		"one-line, another's repository first": {
			codename: "bookworm",
			files:    map[string]string{"etc/apt/sources.list": "testdata/oneline.list"},
			want:     "http://ftp.example.org/debian",
		},
		"mirror list": {
			codename: "trixie",
			files: map[string]string{
				"etc/apt/sources.list.d/debian.sources": "testdata/cloud.sources",
				"etc/apt/mirrors/debian.list": "# nearest\nhttp://near.example.org/debian/\n" +
					"http://far.example.org/debian\n",
			},
			want: "http://near.example.org/debian",
		},
		"the environment wins": {
			codename: "bookworm",
			files:    map[string]string{"etc/apt/sources.list": "testdata/oneline.list"},
			env:      "http://own.example.org/debian/",
			want:     "http://own.example.org/debian",
		},
		"only another's repositories": {
			codename: "bookworm",
			files:    map[string]string{"etc/apt/sources.list": "deb https://apt.example.com/vendor bookworm main\n"},
			wantErr:  ErrNoMirror,
		},
		"no configuration": {codename: "bookworm", wantErr: ErrNoMirror},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, test.files)
			writeTree(t, root, map[string]string{"etc/os-release": "ID=debian\nVERSION_CODENAME=" + test.codename + "\n"})
			got, err := Mirror(root, func(string) string { return test.env })
			if !errors.Is(err, test.wantErr) {
				t.Fatalf("error: got %v, want %v", err, test.wantErr)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Mirror (-want +got):\n%s", diff)
			}
		})
	}
}

func writeTree(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		if fixture, err := os.ReadFile(content); err == nil {
			content = string(fixture)
		}
		target := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTreeArgs(t *testing.T) {
	tests := map[string]struct {
		tree Tree
		want []string
	}{
		"packages": {
			tree: Tree{Components: []string{"main", "contrib"}, Packages: []string{"a", "b"},
				Excludes: []string{"/usr/share/doc/*"}},
			want: []string{
				"mmdebstrap", "--mode=root", "--variant=apt",
				`--aptopt=APT::Install-Recommends "false"`, `--aptopt=Acquire::Retries "3"`,
				"--dpkgopt=force-unsafe-io", "--dpkgopt=path-exclude=/usr/share/doc/*", "--include=a,b",
				"trixie", "TARGET", "deb http://mirror.example.org/debian trixie main contrib",
			},
		},
		"minimal": {
			tree: Tree{Variant: "minbase", Components: []string{"main"}},
			want: []string{
				"mmdebstrap", "--mode=root", "--variant=minbase",
				`--aptopt=APT::Install-Recommends "false"`, `--aptopt=Acquire::Retries "3"`,
				"--dpkgopt=force-unsafe-io",
				"trixie", "TARGET", "deb http://mirror.example.org/debian trixie main",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.tree.args("http://mirror.example.org/debian", "TARGET")); diff != "" {
				t.Errorf("args (-want +got):\n%s", diff)
			}
		})
	}
}
