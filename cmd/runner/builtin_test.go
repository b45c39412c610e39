// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/corpus"
	"zfsbench.io/operator/internal/tools/fill"
	"zfsbench.io/operator/internal/tools/streams"
	"zfsbench.io/operator/internal/tools/tree"
	"zfsbench.io/operator/internal/tools/treecopy"
)

// What the runner starts in a sandbox is what this program understands, and its report is what the runner reads.
func TestBuiltinTools(t *testing.T) {
	tests := map[string]struct {
		argv   func(directory, report string) []string
		phases int
		// again is what a second run says of what the first has left; empty for one that goes on with it.
		again string
	}{
		tree.Subcommand: {func(directory, report string) []string {
			return tree.Argv(v1alpha1.TreeWorkload{Directories: 2, Phases: []v1alpha1.TreePhase{"create", "stat"}, Fsync: true},
				directory, report, 7, false)
		}, 2, "file exists"},
		streams.Subcommand: {func(directory, report string) []string {
			return streams.Argv(v1alpha1.StreamsWorkload{Counts: []int32{1, 2}, Size: resource.MustParse("64Ki")}, directory,
				report, 7, false)
		}, 4, "file exists"},
		corpus.Subcommand: {func(directory, report string) []string {
			return corpus.Argv(v1alpha1.CorpusWorkload{Parts: []v1alpha1.CorpusPart{{Content: "Text",
				Size: resource.MustParse("64Ki")}, {Content: "Zeros", Size: resource.MustParse("2Mi"), Copies: 2}}}, directory, "",
				report)
		}, 1, "file exists"},
		fill.Subcommand: {func(directory, report string) []string {
			return fill.Argv(fill.Round{Bytes: 64 << 10}, directory, report, 7)
		}, 1, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			argv := tt.argv(filepath.Join(dir, "files"), filepath.Join(dir, "report.json"))
			s, err := runBuiltin(t, name, argv, filepath.Join(dir, "report.json"))
			if err != nil || len(s.Phases) != tt.phases {
				t.Errorf("phases %+v, %v", s.Phases, err)
			}
			// Why it fails is in the report.
			if _, err := runBuiltin(t, name, argv, filepath.Join(dir, "report.json")); tt.again != "" && err == nil ||
				err != nil && !strings.Contains(err.Error(), tt.again) {
				t.Errorf("error %v, want %q", err, tt.again)
			}
		})
	}
}

// runBuiltin runs one of the runner's own tools in this process, and reads its report.
func runBuiltin(t *testing.T, tool string, argv []string, report string) (result.Sample, error) {
	t.Helper()
	cmd := command()
	cmd.SetArgs(argv[1:])
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(report)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	return builtin.Parse(tool, file)
}

// A tree is laid out for a copy where the copy looks for it.
func TestCopyCommand(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "report.json")
	w := v1alpha1.CopyWorkload{Tool: v1alpha1.CopyCp, Directories: 2}
	if _, err := runBuiltin(t, tree.Subcommand, treecopy.LayoutArgv(w, filepath.Join(dir, "w"), report, 7),
		report); err != nil {
		t.Fatal(err)
	}
	s, err := runBuiltin(t, string(w.Tool), treecopy.Argv(w, filepath.Join(dir, "w"), report), report)
	if err != nil || len(s.Phases) != 1 || s.Phases[0].IOs != 3+300 || !strings.HasPrefix(s.ToolVersion, "cp-") ||
		s.Tool != "cp" {
		t.Errorf("%+v, %v", s, err)
	}
}
