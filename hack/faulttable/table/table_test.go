// SPDX-License-Identifier: Apache-2.0

package table

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func cases() []Case {
	var all []Case
	for _, subject := range []string{"pool", "array", "operation"} {
		for _, point := range []string{"early", "late"} {
			for _, kind := range []string{"runner killed", "power failure", "API server down"} {
				all = append(all, Case{Subject: subject, Point: "in " + subject + " " + point, Kind: kind})
			}
		}
	}
	return all
}

func TestDraw(t *testing.T) {
	all := cases()
	first := all[0]
	for seed := range uint64(50) {
		order := Draw(all, first, seed)
		if len(order) != len(all) || order[0] != first {
			t.Fatalf("seed %d: %d cases, the first is %v", seed, len(order), order[0])
		}
		subjects, kinds := map[string]int{}, map[string]int{}
		for _, c := range order[:3] {
			subjects[c.Subject]++
			kinds[c.Kind]++
		}
		if len(subjects) != 3 || len(kinds) != 3 {
			t.Errorf("seed %d: the first three are %v", seed, order[:3])
		}
		for _, c := range all {
			if !slices.Contains(order, c) {
				t.Errorf("seed %d: %v is missing", seed, c)
			}
		}
		if diff := cmp.Diff(order, Draw(all, first, seed)); diff != "" {
			t.Errorf("seed %d: drawn in two orders:\n%s", seed, diff)
		}
	}
	if cmp.Equal(Draw(all, first, 1), Draw(all, first, 2)) {
		t.Error("the seed changes nothing")
	}
}

func TestRowsOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	if rows, err := ReadFile(file); err != nil || len(rows) > 0 {
		t.Fatalf("a file that does not exist: %v, %v", rows, err)
	}
	var want []Row
	for i, c := range cases()[:2] {
		want = append(want, Row{
			Case: c, Name: c.Name(), Outcome: "Complete", Losses: i, Seconds: 61.5,
			Code: Code{Commit: "abc", Digest: "d"}, Cases: 18, Time: time.Unix(1, 0).UTC(),
		})
		if err := Append(file, want[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := ReadFile(file)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, rows (-want +got):\n%s", err, diff)
	}
}

func TestSummarize(t *testing.T) {
	row := func(name, digest, commit string, losses int) Row {
		return Row{Name: name, Losses: losses, Seconds: 60, Code: Code{Digest: digest, Commit: commit}, Cases: 3}
	}
	tests := map[string]struct {
		rows     []Row
		want     string
		complete bool
	}{
		"two commits with the same code": {
			[]Row{row("a", "d", "1", 0), row("b", "d", "1", 0), row("c", "d", "2", 0)},
			"fault table: 3 cases (all), 0 losses", true,
		},
		"some are missing": {[]Row{row("a", "d", "1", 0)}, "fault table: 1 cases (of 3), 0 losses", false},
		"other code does not count": {
			[]Row{row("a", "d", "1", 0), row("b", "e", "2", 1)}, "fault table: 1 cases (of 3), 0 losses", false,
		},
		"uncommitted code neither": {[]Row{row("a", "", "1", 1)}, "fault table: 0 cases (of 0), 0 losses", false},
		"a loss": {
			[]Row{row("a", "d", "1", 0), row("a", "d", "1", 1)}, "a: LOSS\nfault table: 1 cases (of 3), 1 losses", false,
		},
		"a loss that went away is named": {
			[]Row{row("a", "d", "1", 1), row("a", "d", "1", 0), row("b", "d", "1", 0), row("c", "d", "1", 0)},
			"a: passed after an earlier loss\nfault table: 3 cases (all), 0 losses", true,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Summarize(tt.rows, "d")
			if got.String() != tt.want || got.IsComplete() != tt.complete {
				t.Errorf("complete %t: %s\nwant %t: %s", got.IsComplete(), got, tt.complete, tt.want)
			}
		})
	}
	if s := Summarize([]Row{row("a", "", "1", 0)}, ""); s.Ran != 0 {
		t.Errorf("rows without a digest are counted: %+v", s)
	}
}

func ExampleSummary_String() {
	fmt.Println(Summary{Ran: 2, Cases: 2})
	// Output: fault table: 2 cases (all), 0 losses
}
