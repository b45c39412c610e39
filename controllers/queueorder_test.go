// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	compare "cmp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestTurns(t *testing.T) {
	made := func(namespace, name string, minutesAgo int) *v1alpha1.ZfsBenchmark {
		return MakeBenchmark(namespace, name).UID(namespace + name).Created(minutesAgo).Obj()
	}
	many := []*v1alpha1.ZfsBenchmark{made("a", "1", 9), made("a", "2", 8), made("b", "1", 7), made("c", "1", 6),
		made("a", "3", 5)}
	tests := map[string]struct {
		waiting []*v1alpha1.ZfsBenchmark
		served  []string
		want    []string
	}{
		"none served, by creation":    {many, nil, []string{"a/1", "a/2", "b/1", "c/1", "a/3"}},
		"one served":                  {many, []string{"a"}, []string{"b/1", "c/1", "a/1", "a/2", "a/3"}},
		"the least recent comes next": {many, []string{"b", "c", "a"}, []string{"b/1", "c/1", "a/1", "a/2", "a/3"}},
		"never served comes first":    {many, []string{"c", "b"}, []string{"a/1", "a/2", "a/3", "c/1", "b/1"}},
		"served long ago": {
			[]*v1alpha1.ZfsBenchmark{made("a", "1", 9), made("b", "1", 1)}, []string{"z", "b", "a"}, []string{"b/1", "a/1"},
		},
		"made in the same second": {
			[]*v1alpha1.ZfsBenchmark{made("a", "run-10", 3), made("a", "run-2", 3), made("a", "run-1", 3)}, nil,
			[]string{"a/run-1", "a/run-2", "a/run-10"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, b := range slices.SortedFunc(slices.Values(tt.waiting), turns(tt.served)) {
				got = append(got, b.Namespace+"/"+b.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNaturally(t *testing.T) {
	// Each comes before the next one.
	sorted := []string{
		"", "0", "00", "01", "1", "2", "10", "18446744073709551616", "18446744073709551617", "a", "a-1", "a-1-b", "a-2",
		"a-02-a", "a-10", "a1", "a1.2", "a1.10", "b",
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got, want := naturally(a, b), compare.Compare(i, j); got != want {
				t.Errorf("naturally(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}
