// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/internal/report"
)

// kubectlStub answers the two questions of the documented commands.
const kubectlStub = `#!/bin/sh
case "$*" in
*"get zfsbenchmark "*) echo 11111111-2222-3333-4444-555555555555 ;;
*"get configmaps -l zfsbench.io/benchmark-uid=11111111-2222-3333-4444-555555555555 -o json"*) cat "$CONFIGMAPS" ;;
*) exit 1 ;;
esac
`

// saveCommands are the commands of results.md that save the results.
func saveCommands(t *testing.T) string {
	t.Helper()
	_, text, _ := strings.Cut(read(t, "docs/results.md"), "### Save the results\n")
	_, text, found := strings.Cut(text, "\n\n    ")
	text, _, _ = strings.Cut(text, "\n\n")
	if !found || !strings.Contains(text, "jq") {
		t.Fatalf("results.md has no commands that save results: %s", text)
	}
	return text
}

// saveResults runs the documented commands on ConfigMaps and returns the directory with the documents.
func saveResults(t *testing.T, maps corev1.ConfigMapList) (dir, output string, err error) {
	t.Helper()
	dir = t.TempDir()
	data, err := json.Marshal(maps)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(kubectlStub), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "configmaps"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "bash", "-c", saveCommands(t))
	command.Dir = dir
	command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "CONFIGMAPS="+filepath.Join(dir, "configmaps"))
	said, err := command.CombinedOutput()
	return filepath.Join(dir, "NAME"), string(said), err
}

// TestSavedResultsAreWhole: the commands put together documents that are split over more than ten ConfigMaps, whose
// names do not sort in the order of the pieces.
func TestSavedResultsAreWhole(t *testing.T) {
	want := report.Output{
		Comparable: []byte(`{"a":1}`),
		Markdown:   bytes.Repeat([]byte("| summary × |\n"), 30_000),
		CSV:        bytes.Repeat([]byte("a,b,c\n"), 20_000),
		JSON:       bytes.Repeat([]byte(`{"long":"line"}`), 200_000),
	}
	var maps corev1.ConfigMapList
	for _, chunk := range report.Chunks("NAME-results", want) {
		maps.Items = append(maps.Items, corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: chunk.Name}, Data: chunk.Data})
	}
	if len(maps.Items) < 12 {
		t.Fatalf("the report is in %d ConfigMaps only", len(maps.Items))
	}
	last := maps.Items[len(maps.Items)-2:]
	maps.Items = append(append([]corev1.ConfigMap{maps.Items[0]}, last...), maps.Items[1:len(maps.Items)-2]...)
	dir, output, err := saveResults(t, maps)
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for name, document := range map[string][]byte{
		"comparable.json": want.Comparable, "summary.md": want.Markdown, "results.csv": want.CSV, "results.json": want.JSON,
	} {
		if got := read(t, relative(t, filepath.Join(dir, name))); got != string(document) {
			t.Errorf("%s has %d bytes, and should have %d", name, len(got), len(document))
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 4 {
		t.Errorf("%d files are left, 4 are documents", len(left))
	}
}

// TestNothingToSaveIsAnError: without results, the commands say so by their exit code.
func TestNothingToSaveIsAnError(t *testing.T) {
	if _, output, err := saveResults(t, corev1.ConfigMapList{Items: []corev1.ConfigMap{}}); err == nil {
		t.Errorf("the commands succeed without results: %s", output)
	}
}

// relative is a path as read wants it, below the top of the repository.
func relative(t *testing.T, path string) string {
	t.Helper()
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatal(err)
	}
	return below
}
