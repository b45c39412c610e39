package debian

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSources(t *testing.T) {
	const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"
	tests := map[string]struct {
		file  string
		parse func(io.Reader) ([]Repository, error)
		want  []Repository
	}{
		"deb822 with other repositories": {
			file: "testdata/bookworm.sources", parse: ParseDeb822,
			want: []Repository{
				{URIs: []string{"http://mirror.example.org/debian"}, Suites: []string{"bookworm", "bookworm-updates"},
					Components: []string{"main"}, SignedBy: keyring},
				{URIs: []string{"http://mirror.example.org/debian-security"}, Suites: []string{"bookworm-security"},
					Components: []string{"main"}, SignedBy: keyring},
				{URIs: []string{"https://packages.example.com/node_20.x"}, Suites: []string{"nodistro"},
					Components: []string{"main"}, SignedBy: "/usr/share/keyrings/other.gpg"},
			},
		},
		"deb822 of a cloud image": {
			file: "testdata/cloud.sources", parse: ParseDeb822,
			want: []Repository{
				{URIs: []string{"mirror+file:///etc/apt/mirrors/debian.list"},
					Suites: []string{"trixie", "trixie-updates", "trixie-backports"}, Components: []string{"main"}},
				{URIs: []string{"mirror+file:///etc/apt/mirrors/debian-security.list"}, Suites: []string{"trixie-security"},
					Components: []string{"main"}},
			},
		},
		"one-line": {
			file: "testdata/oneline.list", parse: ParseOneLine,
			want: []Repository{
				{URIs: []string{"https://apt.example.com/"}, Suites: []string{"bookworm"}, Components: []string{"main"},
					SignedBy: "/usr/share/keyrings/vendor.gpg"},
				{URIs: []string{"http://ftp.example.org/debian/"}, Suites: []string{"bookworm"},
					Components: []string{"main", "non-free-firmware"}},
				{URIs: []string{"http://security.example.org/debian-security"}, Suites: []string{"bookworm-security"},
					Components: []string{"main"}},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(test.file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, err := test.parse(f)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("repositories (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseSourcesRefuses(t *testing.T) {
	if _, err := ParseDeb822(strings.NewReader("Types deb\n")); err == nil {
		t.Error("ParseDeb822 took a line without a colon")
	}
	if _, err := ParseOneLine(strings.NewReader("deb http://mirror.example.org/debian\n")); err == nil {
		t.Error("ParseOneLine took a repository without a suite")
	}
}
