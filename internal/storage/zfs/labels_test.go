// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

const (
	fixturePartition = "/dev/disk/by-partuuid/10000000-0000-4000-8000-00000000000"
	fixtureComment   = "0123456789abcdef0123456789abcdef"
)

func mirrorLabel(state int) Label {
	return Label{
		Pool: "zbfix", PoolGUID: fixtureGUID, Comment: fixtureComment, State: state, Children: 2, TopID: 0, Ashift: 12,
		Paths: []string{fixturePartition + "0", fixturePartition + "1"},
	}
}

func logLabel() Label {
	return Label{
		Pool: "zbfix", PoolGUID: fixtureGUID, Comment: fixtureComment, Children: 2, TopID: 1, Ashift: 12,
		Paths: []string{fixturePartition + "2"},
	}
}

func TestLabels(t *testing.T) {
	mixed := fixture(t, "zdb-label-destroyed") + fixture(t, "zdb-label-mirror") + "failed to unpack label 3\n"
	tests := map[string]struct {
		out  string
		code int
		want []Label
	}{
		"mirror":    {out: fixture(t, "zdb-label-mirror"), want: []Label{mirrorLabel(0)}},
		"log":       {out: fixture(t, "zdb-label-log"), want: []Label{logLabel()}},
		"spare":     {out: fixture(t, "zdb-label-spare"), want: []Label{{State: 3, TopID: -1}}},
		"destroyed": {out: fixture(t, "zdb-label-destroyed"), want: []Label{mirrorLabel(2)}},
		"none":      {out: fixture(t, "zdb-label-none"), code: 2},
		"different": {out: mixed, code: 1, want: []Label{mirrorLabel(2), mirrorLabel(0)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, hostexectest.Answer{Match: "host zdb -l /dev/x", Stdout: test.out, Code: test.code})
			got, err := New(rec.Runner("host")).Labels(t.Context(), "/dev/x")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLabelsRefusesToGuess(t *testing.T) {
	tests := map[string]struct {
		out  string
		code int
	}{
		"cannot open": {out: fixture(t, "zdb-label-missing"), code: 1},
		"cannot read": {out: "failed to read label 0\nfailed to read label 1\nfailed to read label 2\nfailed to " +
			"read label 3\n", code: 2},
		"cannot read one": {out: "failed to unpack label 0\nfailed to unpack label 1\nfailed to unpack label 2\n" +
			"failed to read label 3\n", code: 2},
		"nothing":              {},
		"success, but nothing": {out: fixture(t, "zdb-label-none")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, hostexectest.Answer{Match: "host zdb", Stdout: test.out, Code: test.code})
			_, err := New(rec.Runner("host")).Labels(t.Context(), "/dev/x")
			var label *LabelError
			if !errors.As(err, &label) {
				t.Errorf("error %v, want *LabelError", err)
			}
		})
	}
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zdb", Code: 134, Stdout: fixture(t, "zdb-label-none")})
	if _, err := New(rec.Runner("host")).Labels(t.Context(), "/dev/x"); err == nil {
		t.Error("zdb crashed, and the device counts as one without labels")
	}
}
