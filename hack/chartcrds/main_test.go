// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

const generated = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.23.0
  name: widgets.example.org
spec:
  description: renders {{ .Name }} and {{- end }}, or "}}" alone
`

func TestWrap(t *testing.T) {
	kept := strings.Replace(generated, "  annotations:\n", "  annotations:\n    helm.sh/resource-policy: keep\n", 1)
	tests := map[string]struct {
		install, keep bool
		want          string
	}{
		"installed and kept":        {true, true, "\n" + kept},
		"installed, goes with Helm": {true, false, "\n" + generated},
		"somebody else's":           {false, true, "\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			wrapped, err := wrap([]byte(generated))
			if err != nil {
				t.Fatal(err)
			}
			got := render(t, wrapped, map[string]any{"install": tt.install, "keep": tt.keep})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("rendered (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrapNeedsAnnotations(t *testing.T) {
	if _, err := wrap([]byte("kind: CustomResourceDefinition\nmetadata:\n  name: a\n")); err == nil {
		t.Error("a file that controller-gen did not write was accepted")
	}
}

// TestRunRemovesStale: a kind that was renamed must not live on in the chart.
func TestRunRemovesStale(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "crds")
	write(t, filepath.Join(from, "new.yaml"), generated)
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(to, "old.yaml"), generated)
	if err := run(from, to); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(to)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "new.yaml" {
		t.Errorf("got %v, want new.yaml alone", entries)
	}
}

func TestRunWithoutInput(t *testing.T) {
	to := t.TempDir()
	write(t, filepath.Join(to, "old.yaml"), generated)
	if err := run(t.TempDir(), to); err == nil {
		t.Error("an empty input directory was accepted")
	}
	if _, err := os.Stat(filepath.Join(to, "old.yaml")); err != nil {
		t.Errorf("the output was touched although there was no input: %v", err)
	}
}

func render(t *testing.T, text []byte, crds map[string]any) string {
	t.Helper()
	parsed, err := template.New("crd").Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, map[string]any{"Values": map[string]any{"crds": crds}}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
