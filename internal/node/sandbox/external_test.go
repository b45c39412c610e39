// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/dbench"
	"zfsbench.io/operator/internal/tools/fsmark"
)

// TestRealExternalTools proves that filter and limits leave fs_mark and dbench all they need, up to the most that the
// API takes of threads and clients.
func TestRealExternalTools(t *testing.T) {
	marks := v1alpha1.FsmarkWorkload{Files: 10, FileSize: resource.NewQuantity(4096, resource.BinarySI), Threads: 64,
		Directories: 64, Subdirectories: 256, Sync: v1alpha1.FsmarkSyncNone}
	clients := v1alpha1.DbenchWorkload{Clients: 20, Runtime: &metav1.Duration{Duration: 2 * time.Second}}
	tests := map[string]struct {
		argv   []string
		limits Limits
		parse  func(printed string) (result.Sample, error)
	}{
		"fs_mark": {
			fsmark.Argv(marks, TargetDir, OutputDir+"/fsmark.log"),
			Limits{Tasks: fsmark.Tasks(marks), DataBytes: fsmark.DataBytes(marks)},
			func(printed string) (result.Sample, error) { return fsmark.Parse(strings.NewReader(printed), marks) },
		},
		"dbench": {
			dbench.Argv(clients, TargetDir), Limits{Tasks: dbench.Tasks(clients)},
			func(printed string) (result.Sample, error) { return dbench.Parse(strings.NewReader(printed), clients) },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			needRoot(t)
			cmd := shell(t, "")
			var stdout, stderr bytes.Buffer
			cmd.Argv, cmd.Limits, cmd.Stdout, cmd.Stderr = tt.argv, tt.limits, &stdout, &stderr
			ended, err := Run(t.Context(), cmd)
			if err != nil {
				t.Fatalf("%v (these tests need fs_mark and dbench: apt-get install fsmark dbench)\n%s", err, &stderr)
			}
			s, err := tt.parse(stdout.String())
			if err != nil || ended.ExitCode != 0 || s.Phases[0].Bytes == 0 {
				t.Errorf("%+v, error %v\n%s%s", ended, err, &stdout, &stderr)
			}
		})
	}
}
