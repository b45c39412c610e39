// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/tree"
)

// What the runner starts in a sandbox is what this program understands, and its report is what the runner reads.
func TestTreeCommand(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report.json")
	run := func(w v1alpha1.TreeWorkload) error {
		cmd := command()
		cmd.SetArgs(tree.Argv(w, filepath.Join(dir, "files"), report, 7, false)[1:])
		return cmd.ExecuteContext(t.Context())
	}
	read := func() error {
		file, err := os.Open(report)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		s, err := tree.Parse(file)
		if err == nil && len(s.Phases) != 2 {
			t.Errorf("phases: %+v", s.Phases)
		}
		return err
	}
	w := v1alpha1.TreeWorkload{Directories: 2, Phases: []v1alpha1.TreePhase{"create", "stat"}, Fsync: true}
	if err := run(w); err != nil {
		t.Fatal(err)
	}
	if err := read(); err != nil {
		t.Error(err)
	}
	// A second time the tree is in its way, which is in the report.
	if err := run(w); err != nil {
		t.Fatal(err)
	}
	if err := read(); err == nil || !strings.Contains(err.Error(), "file exists") {
		t.Errorf("error %v", err)
	}
}
