package kubebin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

func TestReadVersion(t *testing.T) {
	tests := map[string]struct {
		goMod   string
		want    Version
		wantErr bool
	}{
		"release": {goMod: "module m\n\nrequire k8s.io/kubernetes v1.36.3\n", want: Version{1, 36, 3}},
		"in a block": {goMod: "module m\n\nrequire (\n\tk8s.io/api v0.30.1 // indirect\n\tk8s.io/kubernetes v1.30.14\n)\n",
			want: Version{1, 30, 14}},
		"candidate":    {goMod: "module m\n\nrequire k8s.io/kubernetes v1.37.0-rc.1\n", want: Version{1, 37, 0}},
		"not there":    {goMod: "module m\n", wantErr: true},
		"not a go.mod": {goMod: "{", wantErr: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "go.mod")
			if err := os.WriteFile(path, []byte(test.goMod), 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := ReadVersion(path)
			if (err != nil) != test.wantErr {
				t.Fatalf("error %v, want one: %v", err, test.wantErr)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("version (-want +got):\n%s", diff)
			}
		})
	}
}

// The pinned module must replace every staging module by the release that belongs to its Kubernetes version.
func TestPinnedModule(t *testing.T) {
	version, err := ReadVersion("../../kubernetes/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("../../kubernetes/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Replace) < 25 {
		t.Errorf("only %d staging modules are replaced", len(file.Replace))
	}
	want := strings.Replace(version.String(), "v1.", "v0.", 1)
	for _, replace := range file.Replace {
		if replace.New.Path != replace.Old.Path || replace.New.Version != want {
			t.Errorf("%s is replaced by %s, want its own %s", replace.Old.Path, replace.New, want)
		}
	}
}
