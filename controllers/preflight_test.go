// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/result"
)

func TestPreflightMarkdown(t *testing.T) {
	found := func(passed bool) *result.Preflight {
		return &result.Preflight{
			Passed: passed,
			Devices: []result.DeviceReport{
				{Name: "d0", Path: testDisk, Serial: "s0", SizeBytes: 1 << 30, Usable: true},
				{Name: "d1", Path: "/dev/disk/by-id/x", Refusal: "It has an ext4 signature | `rm`\n<b>."},
			},
			Problems: []string{"fio is missing."},
		}
	}
	tests := map[string]struct {
		dryRun bool
		found  *result.Preflight
		want   string
	}{
		"none yet":                  {true, nil, ""},
		"passed before real trials": {false, found(true), ""},
		"not passed": {false, found(false), `# Preflight

## storage-0

The preflight did not pass: nothing was written to any device.

| Device | Path | Serial | Size (bytes) | Usable | Cause |
| --- | --- | --- | ---: | --- | --- |
| d0 | /dev/disk/by-id/virtio-zfsbench-d0 | s0 | 1073741824 | yes |  |
| d1 | /dev/disk/by-id/x |  |  | no | It has an ext4 signature \| 'rm' &lt;b&gt;. |

- fio is missing.
`},
		"dry run of files": {true, &result.Preflight{Passed: true}, `# Preflight

## storage-0

The preflight passed: nothing was written to any device.
`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := MakeRun().Planned(1).Reported(result.StateComplete).With(func(n *nodeRun) {
				n.progress.Preflight, n.run.Plan.DryRun = tt.found, tt.dryRun
			}).Obj()
			s := &scope{runs: []*nodeRun{run}}
			if diff := cmp.Diff(tt.want, s.preflightMarkdown()); diff != "" {
				t.Errorf("page (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPreflightMarkdownIsBounded(t *testing.T) {
	run := MakeRun().Planned(1).Reported(result.StateFailed).With(func(n *nodeRun) {
		n.progress.Preflight = &result.Preflight{Problems: []string{strings.Repeat("é", maxPreflight)}}
	}).Obj()
	if got := (&scope{runs: []*nodeRun{run}}).preflightMarkdown(); len(got) > maxPreflight+100 || !strings.HasSuffix(got, "did not fit.\n") {
		t.Errorf("the page has %d bytes and ends with %q", len(got), got[len(got)-20:])
	}
}
