// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/result"
)

// factsAnswers answer everything that PoolFacts asks about the captured pool, except for the labels.
func factsAnswers(t *testing.T) []hostexectest.Answer {
	return []hostexectest.Answer{
		{Match: "host zpool get -Hp -o property,value all zbfix", Stdout: fixture(t, "zpool-get")},
		{Match: "host zfs get -Hp -o property,value all zbfix/fs", Stdout: fixture(t, "zfs-get")},
		{Match: "host zpool list -vHP zbfix", Stdout: fixture(t, "zpool-list-vdevs")},
	}
}

func factsClient(t *testing.T, rec *hostexectest.Recorder) *Client {
	return New(rec.Runner("host")).
		WithRoot(tree(t, map[string]string{"proc/spl/kstat/zfs/zbfix/state": fixture(t, "kstat-state")}))
}

func TestPoolFacts(t *testing.T) {
	rec := hostexectest.New(t, append(factsAnswers(t),
		hostexectest.Answer{Match: "host zdb -l " + fixturePartition + "0", Stdout: fixture(t, "zdb-label-mirror")},
		hostexectest.Answer{Match: "host zdb -l " + fixturePartition + "2", Stdout: fixture(t, "zdb-label-log")},
	)...)
	got, err := factsClient(t, rec).PoolFacts(t.Context(), "zbfix", "zbfix/fs")
	if err != nil {
		t.Fatal(err)
	}
	want := result.PoolFacts{
		Health: "ONLINE", Ashift: []int{12, 12}, SizeBytes: 1006632960, AllocatedBytes: 9220096, FragmentationPercent: 2,
		DedupRatio: 1, CompressRatio: 1,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(result.PoolFacts{}, "PoolProperties",
		"DatasetProperties")); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	chosen := map[string]string{
		"autotrim": got.PoolProperties["autotrim"], "bootfs": got.PoolProperties["bootfs"],
		"recordsize": got.DatasetProperties["recordsize"],
		"owner":      got.DatasetProperties[OwnerProperty],
	}
	wantChosen := map[string]string{"autotrim": "off", "bootfs": "", "recordsize": "16384",
		"owner": "01234567-89ab-cdef-0123-456789abcdef"}
	if diff := cmp.Diff(wantChosen, chosen); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	var zdb []string
	for _, line := range rec.Transcript() {
		if rest, found := strings.CutPrefix(line, "host zdb -l "+fixturePartition); found {
			zdb = append(zdb, rest)
		}
	}
	if diff := cmp.Diff([]string{"0", "2"}, zdb); diff != "" {
		t.Errorf("one device of each vdev is read (-want +got):\n%s", diff)
	}
}

func TestPoolFactsTriesTheNextDevice(t *testing.T) {
	rec := hostexectest.New(t, append(factsAnswers(t),
		hostexectest.Answer{Match: "host zdb -l " + fixturePartition + "0", Stdout: fixture(t, "zdb-label-missing"), Code: 1},
		hostexectest.Answer{Match: "host zdb -l " + fixturePartition + "1", Stdout: fixture(t, "zdb-label-mirror")},
		hostexectest.Answer{Match: "host zdb -l " + fixturePartition + "2", Stdout: fixture(t, "zdb-label-log")},
	)...)
	got, err := factsClient(t, rec).PoolFacts(t.Context(), "zbfix", "zbfix/fs")
	if err != nil || cmp.Diff([]int{12, 12}, got.Ashift) != "" {
		t.Errorf("ashift %v, error %v", got.Ashift, err)
	}
}

func TestPoolFactsWithoutLabels(t *testing.T) {
	rec := hostexectest.New(t, append(factsAnswers(t),
		hostexectest.Answer{Match: "host zdb -l " + fixturePartition + "2", Stdout: fixture(t, "zdb-label-log")},
		hostexectest.Answer{Match: "host zdb -l", Stdout: fixture(t, "zdb-label-missing"), Code: 1},
	)...)
	got, err := factsClient(t, rec).PoolFacts(t.Context(), "zbfix", "zbfix/fs")
	var label *LabelError
	if !errors.As(err, &label) || got.Health != "ONLINE" || got.Ashift != nil {
		t.Errorf("facts %+v, error %v", got, err)
	}
}

func TestPoolFactsOfASuspendedPool(t *testing.T) {
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zpool get",
		Stdout: strings.ReplaceAll(fixture(t, "zpool-get"), "ONLINE", "SUSPENDED")})
	_, err := factsClient(t, rec).PoolFacts(t.Context(), "zbfix", "zbfix/fs")
	var suspended *SuspendedError
	if !errors.As(err, &suspended) {
		t.Errorf("error %v, want *SuspendedError", err)
	}
}

func TestFactsFrom(t *testing.T) {
	pool := map[string]string{"health": "DEGRADED", "size": "2", "allocated": "1", "capacity": "50", "dedupratio": "1.25",
		"fragmentation": ""}
	got, err := factsFrom(pool, map[string]string{"compressratio": "2.10"})
	want := result.PoolFacts{
		Health: "DEGRADED", SizeBytes: 2, AllocatedBytes: 1, CapacityPercent: 50, DedupRatio: 1.25, CompressRatio: 2.1,
		FragmentationPercent: -1,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(result.PoolFacts{}, "PoolProperties",
		"DatasetProperties")); diff != "" || err != nil {
		t.Errorf("error %v, facts (-want +got):\n%s", err, diff)
	}
	var parse *ParseError
	if _, err := factsFrom(map[string]string{}, map[string]string{}); !errors.As(err, &parse) {
		t.Errorf("error %v, want *ParseError", err)
	}
}

func TestCheckState(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  error
	}{
		"online": {files: map[string]string{"proc/spl/kstat/zfs/p/state": fixture(t, "kstat-state")}},
		"suspended": {files: map[string]string{"proc/spl/kstat/zfs/p/state": "SUSPENDED\n"},
			want: &SuspendedError{Pool: "p"}},
		"not there":  {want: &NoPoolError{Pool: "p"}},
		"other pool": {files: map[string]string{"proc/spl/kstat/zfs/q/state": "ONLINE\n"}, want: &NoPoolError{Pool: "p"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := New(hostexectest.New(t).Runner("host")).WithRoot(tree(t, test.files)).CheckState("p")
			if diff := cmp.Diff(test.want, err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
