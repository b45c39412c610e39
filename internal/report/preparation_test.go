// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/result"
)

// summary.md tells once what the disks were, results.json of each trial.
func TestPreparation(t *testing.T) {
	disks := []plan.Device{{Name: "d0", Path: "/dev/disk/by-id/d0"}, {Name: "d1", Path: "/dev/disk/by-id/d1"}}
	both := []result.PreparedDisk{{Name: "d0", Discarded: true}, {Name: "d1", Discarded: true}}
	one := []result.PreparedDisk{{Name: "d0", Discarded: true}, {Name: "d1"}}
	tests := map[string]struct {
		devices     []plan.Device
		preparation v1alpha1.DevicePreparation
		prepared    []result.PreparedDisk
		freshPool   v1alpha1.FreshPool
		want        []string
	}{
		"files": {devices: []plan.Device{{Name: "f0", FileSizeBytes: 1}}, preparation: v1alpha1.DevicePreparationDiscard},
		"none":  {devices: disks, want: []string{"- Disks: not prepared, so a trial may inherit what another wrote"}},
		"discarded": {devices: disks, preparation: v1alpha1.DevicePreparationDiscard, prepared: both,
			want: []string{"- Disks: discarded before each trial"}},
		"once": {
			devices: disks, preparation: v1alpha1.DevicePreparationDiscard, prepared: both,
			freshPool: v1alpha1.FreshPoolPerVariant,
			want:      []string{"- Disks: discarded before each variant's first repetition"},
		},
		"one cannot": {
			devices: disks, preparation: v1alpha1.DevicePreparationDiscard, prepared: one,
			want: []string{"- Disks: discarded before each trial, but for those that do not support it: d1 of storage-0"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := comparedInput(t)
			in.Nodes[0].Plan.Devices, in.Nodes[0].Plan.DevicePreparation = test.devices, test.preparation
			if test.freshPool != "" {
				in.Benchmark.Spec.Repetitions = &v1alpha1.RepetitionsSpec{Min: 3, Order: v1alpha1.OrderSequential,
					FreshPool: test.freshPool}
			}
			for i := range in.Nodes[0].Trials {
				in.Nodes[0].Trials[i].PreparedDisks = test.prepared
			}
			reports := build(t, in)
			lines := slices.DeleteFunc(strings.Split(string(reports.Markdown), "\n"),
				func(line string) bool { return !strings.HasPrefix(line, "- Disks:") })
			if diff := cmp.Diff(test.want, slices.Concat(lines)); diff != "" {
				t.Errorf("summary.md (-want +got):\n%s", diff)
			}
			var document model.Report
			if err := json.Unmarshal(reports.JSON, &document); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.prepared, document.Nodes[0].Trials[0].PreparedDisks); diff != "" {
				t.Errorf("results.json (-want +got):\n%s", diff)
			}
		})
	}
}
