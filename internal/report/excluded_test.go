// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"zfsbench.io/operator/internal/result"
)

// Excluded attempts are told of, and change no figure.
func TestExcludedAttempts(t *testing.T) {
	without := build(t, capturedInput(t))
	in := capturedInput(t)
	at := in.Nodes[0].Trials[0].Started
	in.Nodes[0].Trials[0].Excluded = []result.Attempt{
		{Started: at, Failure: result.Failure{Reason: "PoolBusy", Message: "A scrub."},
			Bandwidths: []result.Bandwidth{{Workload: "mixed", ReadBytesPerSecond: 3 << 20, WriteBytesPerSecond: 1 << 20}}},
		{Started: at, Failure: result.Failure{Reason: "WorkloadFailed", Message: "It failed."}},
	}
	with := build(t, in)
	for _, want := range []string{
		", 2 attempts excluded and run again", "\n## Excluded\n",
		"- storage-0, trial 0 (variant default, repetition 1), attempt 1: PoolBusy: A scrub. It had measured: mixed read 3 " +
			"MiB/s, mixed wrote 1 MiB/s.\n",
		"- storage-0, trial 0 (variant default, repetition 1), attempt 2: WorkloadFailed: It failed.\n",
	} {
		if !strings.Contains(string(with.Markdown), want) {
			t.Errorf("summary.md does not say %q:\n%s", want, with.Markdown)
		}
	}
	started := at.Format("2006-01-02T15:04:05Z")
	for _, want := range []string{
		"\r\ndemo,two-mirrors,storage-0,default,1,false,0,1,PoolBusy,,mixed,,," + started + ",read,,,,3145728,,",
		"\r\ndemo,two-mirrors,storage-0,default,1,false,0,2,WorkloadFailed,,,,," + started + ",,,,,,,",
		"\r\ndemo,two-mirrors,storage-0,default,1,false,0,3,,,seq-write,",
	} {
		if !strings.Contains(string(with.CSV), want) {
			t.Errorf("results.csv has no line that begins with %q", want)
		}
	}
	if got, want := len(in.Nodes[0].Trials), 4; got != want || with.Summary != without.Summary ||
		len(with.Results) != len(without.Results) {
		t.Errorf("summary %+v, without %+v", with.Summary, without.Summary)
	}
}
