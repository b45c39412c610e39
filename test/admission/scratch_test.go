// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/internal/spec/validate/validatetest"
)

// TestScratchDirectories asks about every directory that a BenchmarkDevicePolicy is tested with: the API accepts a
// policy exactly if the Jobs that follow from it are admitted.
func TestScratchDirectories(t *testing.T) {
	manager, c := apiserver(t).as(t, managerUser), managerConfig(t)
	for name, tt := range validatetest.Policies() {
		directory := scratchDirectory(t, tt)
		if directory == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			run := newRun(t, "scratch")
			run.Plan.Scratch.Directory = directory
			err := manager.Create(t.Context(), run.RunJob(c.Runner), client.DryRunAll)
			if tt.Field != "spec.scratch.directory" {
				check(t, err, "")
			} else if err == nil {
				t.Errorf("admitted %s", directory)
			}
		})
	}
}

// scratchDirectory is the scratch directory of a case, empty if the case is about something else.
func scratchDirectory(t *testing.T, c validatetest.Case) string {
	t.Helper()
	var patch struct {
		Spec struct{ Scratch struct{ Directory string } }
	}
	if err := yaml.Unmarshal([]byte(c.Patch), &patch); err != nil {
		t.Fatal(err)
	}
	return patch.Spec.Scratch.Directory
}
