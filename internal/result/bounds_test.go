// SPDX-License-Identifier: Apache-2.0

package result

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestBoundClean(t *testing.T) {
	tests := map[string]struct {
		tag, in, want string
	}{
		"as it is":         {"", "tank/ds 100% µs – ok", "tank/ds 100% µs – ok"},
		"control":          {"", "a\x1b[31mb\nc\x00", "a�[31mb�c�"},
		"lines":            {"64,lines", "a\n\tb\r", "a\n\tb�"},
		"not UTF-8":        {"", "a\xffb", "a�b"},
		"direction marks":  {"", "a\u202eb", "a�b"},
		"cut at the end":   {"4", "abcdef", "abcd"},
		"cut at the start": {"4,tail", "abcdef", "cdef"},
		"cut at a rune":    {"4", "abcµ", "abc"},
		"tail at a rune":   {"4,tail", "aµbcd", "bcd"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := parseBound(tt.tag)
			got := b.clean(tt.in)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if err := b.check(got); err != nil {
				t.Errorf("cleaned string: %v", err)
			}
		})
	}
}

func TestWalkRefuses(t *testing.T) {
	type inner struct {
		Number float64 `json:"number"`
		Text   string  `json:"text" bound:"3"`
	}
	type outer struct {
		Count int               `json:"count"`
		Inner []inner           `json:"inner"`
		Next  *inner            `json:"next"`
		Map   map[string]string `json:"map" bound:"3"`
		When  time.Time         `json:"when"`
		Many  []int64           `json:"many"`
		Maybe int               `json:"maybe" bound:"unknown"`
	}
	tests := map[string]struct {
		in   outer
		want string
	}{
		"good":      {outer{Count: 1, Inner: []inner{{1, "abc"}}, Next: &inner{}, Map: map[string]string{"a": "b"}}, ""},
		"unknown":   {outer{Maybe: -1}, ""},
		"negative":  {outer{Count: -1}, "count: -1 is negative"},
		"too low":   {outer{Maybe: -2}, "maybe: -2 is negative"},
		"below":     {outer{Inner: []inner{{}, {Number: -0.5}}}, "inner[1].number: -0.5 is no finite number from 0"},
		"infinite":  {outer{Next: &inner{Number: math.Inf(1)}}, "next.number: +Inf is no finite number from 0"},
		"NaN":       {outer{Next: &inner{Number: math.NaN()}}, "next.number: NaN is no finite number from 0"},
		"long":      {outer{Next: &inner{Text: "abcd"}}, "next.text: is longer than 3 bytes"},
		"not UTF-8": {outer{Next: &inner{Text: "\xff"}}, "next.text: is not valid UTF-8"},
		"control":   {outer{Next: &inner{Text: "\x1b"}}, "next.text: holds the character U+001B"},
		"value":     {outer{Map: map[string]string{"a": "bcde"}}, "map[a]: is longer than 3 bytes"},
		"key":       {outer{Map: map[string]string{"\n": ""}}, "map: a key holds the character U+000A"},
		"year":      {outer{When: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "when: the year 10000 is not possible"},
		"many":      {outer{Many: make([]int64, maxElements+1)}, "many: more than 2048 elements"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := (walker{}).walk("", reflect.ValueOf(&tt.in), bound{}); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestWalkKnowsEveryKind fails when a document gets a field that the walker cannot bound.
func TestWalkKnowsEveryKind(t *testing.T) {
	for name, v := range map[string]any{
		"trial": &Trial{Failure: &Failure{}, Excluded: []Attempt{{Bandwidths: make([]Bandwidth, 1)}},
			Samples: []Sample{{Read: &Operation{}, Write: &Operation{}, Argv: []string{""}}},
			Pool:    PoolFacts{Ashift: []int{12}}},
		"progress": &Progress{Node: &NodeFacts{}, Current: &CurrentTrial{}, Failure: &Failure{}, Preflight: &Preflight{
			Devices: make([]DeviceReport, 1), Checks: make([]Check, 1), Estimate: &Estimate{Pools: make([]PoolEstimate, 1)},
		}},
		"ownership": &Ownership{Datasets: []string{""}, Devices: make([]OwnedDevice, 1)},
	} {
		for _, repair := range []bool{false, true} {
			if err := (walker{repair: repair}).walk("", reflect.ValueOf(v), bound{}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestRepairTurnsTimesIntoUTC(t *testing.T) {
	zone := time.FixedZone("somewhere", 3600)
	v := struct {
		When time.Time `json:"when"`
	}{time.Date(2026, 1, 1, 1, 0, 0, 0, zone)}
	if err := (walker{repair: true}).walk("", reflect.ValueOf(&v), bound{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("2026-01-01T00:00:00Z", v.When.Format(time.RFC3339)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBoundOfTag(t *testing.T) {
	if diff := cmp.Diff(bound{bytes: 2048, lines: true, tail: true}, parseBound("2048,lines,tail"),
		cmp.AllowUnexported(bound{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := len(parseBound("").clean(strings.Repeat("a", 1000))); got != maxStringBytes {
		t.Errorf("without a tag %d bytes are kept, want %d", got, maxStringBytes)
	}
}
