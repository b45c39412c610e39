// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgv(t *testing.T) {
	want := []string{"fio", "--output=/out/fio.json", "--output-format=json+", "--eta=always", "--eta-interval=2s",
		"/out/job.fio"}
	if diff := cmp.Diff(want, Argv("/out/job.fio", "/out/fio.json")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
