// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"bytes"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// A report of mixed blocks is read like any other: its I/O are as many as the shares let expect.
func TestParseMixedBlocks(t *testing.T) {
	report, err := ParseOutput(bytes.NewReader(fixture(t, "fio-3.33-bssplit.json")))
	if err != nil || len(report.Jobs) != 1 {
		t.Fatal(report, err)
	}
	w := report.Jobs[0].Write
	const mean = 0.6*4096 + 0.3*16384 + 0.1*65536
	if got := float64(w.Bytes) / float64(w.IOs); w.Bytes != 8<<20 || got < 0.5*mean || got > 1.5*mean {
		t.Errorf("%d bytes in %d I/O, %v each; want about %v", w.Bytes, w.IOs, got, mean)
	}
}

func TestJobFileRefusesBlocks(t *testing.T) {
	for name, shares := range map[string][]v1alpha1.FioBlockShare{
		"injected":   {{BS: "4k/50:8k", Percent: 50}, {BS: "8k", Percent: 50}},
		"recordsize": {{BS: v1alpha1.BSRecordsize, Percent: 50}, {BS: "8k", Percent: 50}},
		"no percent": {{BS: "4k", Percent: -1}, {BS: "8k", Percent: 101}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := JobFile(v1alpha1.FioWorkload{RW: v1alpha1.FioRead, Size: resource.MustParse("1Mi"), BSSplit: shares},
				directory)
			var wrong *FieldError
			if !errors.As(err, &wrong) {
				t.Errorf("JobFile = %v, want a *FieldError", err)
			}
		})
	}
	_, err := JobFile(v1alpha1.FioWorkload{RW: v1alpha1.FioRead, Size: resource.MustParse("1Mi"),
		BS: v1alpha1.BSRecordsize}, directory)
	var wrong *FieldError
	if !errors.As(err, &wrong) || wrong.Field != "bs" {
		t.Errorf("a recordsize that nobody replaced: %v", err)
	}
}
