// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/runner/workspace"
)

func TestStandInsHaveTheRightSizeAndGo(t *testing.T) {
	ws, err := workspace.New(t.TempDir(), "0c7c9a41")
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.Make(); err != nil {
		t.Fatal(err)
	}
	devices := []plan.Device{{Name: "d0", Path: "/dev/disk/by-id/d0"}, {Name: "f0", FileSizeBytes: 64 << 20}}
	c := &Checks{Plan: plan.Plan{Devices: devices}, Workspace: ws}
	for range 2 { // the second time, something is left from the first
		paths, _, err := c.standIns()
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(paths["f0"])
		if err != nil || info.Size() != 64<<20 || paths["d0"] != "/dev/disk/by-id/d0" {
			t.Errorf("paths %v, error %v", paths, err)
		}
	}
	_, remove, err := c.standIns()
	if err != nil {
		t.Fatal(err)
	}
	remove()
	if _, err := os.Stat(filepath.Join(ws.Root(), "preflight")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestFilesystemOfThisMachine(t *testing.T) {
	got, err := StatFilesystem("/proc")
	if err != nil || got.Kind != "0x9fa0" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := StatFilesystem(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("no error for what is missing")
	}
	kinds := map[string]bool{"ext4": true, "xfs": true, "zfs": true, "tmpfs": false, "overlay": false, "ramfs": false}
	for kind, want := range kinds {
		if got := (Filesystem{Kind: kind}).keepsFiles(); got != want {
			t.Errorf("%s keeps files: %t", kind, got)
		}
	}
}

// Progress has to fit into its transport, whatever the matrix.
func TestEstimateOfTheLargestMatrix(t *testing.T) {
	p := plan.Plan{Devices: []plan.Device{{Name: "f0", FileSizeBytes: 64 << 20}}}
	pool := v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: []string{"f0"}}}}
	for i := range 1024 {
		p.Variants = append(p.Variants, plan.Variant{Name: fmt.Sprintf("%0253d", i), Pool: pool})
	}
	estimate := (&Checks{Plan: p}).estimate()
	if all := len(estimate.Pools) + estimate.MorePools; all != len(p.Variants) {
		t.Errorf("the estimate knows of %d pools, want %d", all, len(p.Variants))
	}
	progress := result.Progress{
		Version: result.Version, PlanDigest: "sha256:" + strings.Repeat("0", 64), State: result.StatePreflight,
		Preflight: &result.Preflight{Passed: true, Estimate: estimate},
		Node:      &result.NodeFacts{ModuleParameters: map[string]string{}},
	}
	for i := range 400 { // OpenZFS 2.3 has 330
		progress.Node.ModuleParameters[fmt.Sprintf("zfs.zfs_some_parameter_with_a_name_%d", i)] = "18446744073709551615"
	}
	if _, err := result.EncodeProgress(progress); err != nil {
		t.Error(err)
	}
}

func TestJudgeOpenZFS(t *testing.T) {
	tests := map[string]struct {
		userland, module, maxRecord string
		outcome                     string
		bytes                       int64
	}{
		"together":        {"2.3.9-0+deb13u1", "2.3.9-0+deb13u1", "16777216", result.OutcomePassed, 16 << 20},
		"a fix apart":     {"2.3.9-1", "2.3.2-1", "", result.OutcomePassed, 0},
		"a release apart": {"2.3.9-1", "2.2.9-1", "x", result.OutcomeFailed, 0},
		"no version":      {"2.3.9-1", "unknown", "1048576", result.OutcomeWarning, 1 << 20},
	}
	for name, tt := range tests {
		got := compareOpenZFS(result.NodeFacts{
			OpenZFSUserland: tt.userland, OpenZFSModule: tt.module,
			ModuleParameters: map[string]string{"zfs.zfs_max_recordsize": tt.maxRecord},
		})
		if got.Check.Outcome != tt.outcome || got.maxRecordBytes != tt.bytes {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
