// SPDX-License-Identifier: Apache-2.0

package script

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

var sample = v1alpha1.ScriptWorkload{Image: "tools:1", Metrics: []v1alpha1.ScriptMetric{
	{Name: "load", Unit: v1alpha1.ScriptSeconds}, {Name: "rows", Unit: v1alpha1.ScriptPerSecond},
	{Name: "moved", Unit: v1alpha1.ScriptBytesPerSecond},
}}

func TestParse(t *testing.T) {
	want := result.Sample{Tool: "script", ToolVersion: "tools:1", Phases: []result.Phase{
		{Name: "load", SelfReported: true, Operation: result.Operation{
			IOs: 1, RuntimeNanoseconds: 2_500_000_000, IOPS: 0.4,
			Latency: result.Latency{Count: 1, MinNanoseconds: 2_500_000_000, MaxNanoseconds: 2_500_000_000,
				MeanNanoseconds: 2.5e9},
		}},
		{Name: "rows", SelfReported: true, Operation: result.Operation{IOs: 48211, RuntimeNanoseconds: 1e9, IOPS: 48211.4}},
		{Name: "moved", SelfReported: true, Mixed: true,
			Operation: result.Operation{Bytes: 1 << 30, RuntimeNanoseconds: 1e9, BandwidthBytesPerSecond: 1 << 30}},
	}}
	for name, printed := range map[string]string{
		"alone":           `{"load": 2.5, "rows": 48211.4, "moved": 1073741824}`,
		"after other":     "loading\n{\"load\": 1}\n  {\"moved\":1.073741824e9,\"rows\":48211.4,\"load\":2.5}  \n\n",
		"windows' breaks": "loading\r\n{\"load\": 2.5, \"rows\": 48211.4, \"moved\": 1073741824}\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(printed, sample)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			for _, p := range got.Phases {
				if err := p.Check(); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
			}
			if got.BytesMoved() != 0 || got.BytesWritten() != 0 || got.BytesRead() != 0 {
				t.Error("what a script tells counts as bytes that have moved")
			}
			if !IsDuration(got, &got.Phases[0].Operation) || IsDuration(got, &got.Phases[1].Operation) ||
				IsDuration(got, &got.Phases[2].Operation) {
				t.Error("only load is a time")
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		printed string
		// missing is what was not printed at all.
		missing bool
		want    string
	}{
		"nothing": {"", true,
			"script wrote no report: the last line on standard output must be a JSON object"},
		"words":                  {"done in 2.5 s\n", true, "wrote no report"},
		"a result, then words":   {`{"load": 2.5, "rows": 1, "moved": 1}` + "\nbye\n", true, "wrote no report"},
		"half an object":         {`{"load": 2.5, "rows":`, false, "script report: "},
		"two objects":            {`{"load": 2.5, "rows": 1, "moved": 1} {}`, false, "something comes after the object"},
		"a text":                 {`{"load": "2.5", "rows": 1, "moved": 1}`, false, `"load" is not a number`},
		"a list":                 {`{"load": [2.5], "rows": 1, "moved": 1}`, false, `"load" is not a number`},
		"null":                   {`{"load": null, "rows": 1, "moved": 1}`, false, `"load" is not a number`},
		"NaN":                    {`{"load": NaN, "rows": 1, "moved": 1}`, false, "script report: "},
		"a number beyond floats": {`{"load": 1e999, "rows": 1, "moved": 1}`, false, "script report: "},
		"zero":                   {`{"load": 0, "rows": 1, "moved": 1}`, false, "load is 0, and must be from 1e-06 to 1e+08"},
		"negative": {`{"load": 1, "rows": -1, "moved": 1}`, false,
			"rows is -1, and must be from 1e-06 to 1e+12"},
		"too long a time":  {`{"load": 1e9, "rows": 1, "moved": 1}`, false, "load is 1e+09, and must be"},
		"one is not there": {`{"load": 1, "rows": 1}`, false, "script report: it has no moved"},
		"one more":         {`{"load": 1, "rows": 1, "moved": 1, "more": 1}`, false, `"more" is not one of its metrics`},
		"one twice":        {`{"load": 1, "load": 2, "rows": 1, "moved": 1}`, false, `"load" occurs twice`},
		"endless": {`{"load": 1,` + strings.Repeat(" ", 17<<10) + `"rows": 1, "moved": 1}`, false,
			"more than 16384"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(tt.printed, sample)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%+v, error %v, want %q", got, err, tt.want)
			}
			var missing *toolreport.MissingError
			if errors.As(err, &missing) != tt.missing {
				t.Errorf("%v: missing %t, want %t", err, !tt.missing, tt.missing)
			}
		})
	}
}

// FuzzParse: whatever a script prints, it is refused, or what a document may hold.
func FuzzParse(f *testing.F) {
	f.Add("loading\n{\"load\": 2.5, \"rows\": 48211.4, \"moved\": 1073741824}\n")
	f.Add(`{"load": 1e-6, "rows": 1e12, "moved": 1e12}`)
	f.Add("{")
	f.Fuzz(func(t *testing.T, printed string) {
		s, err := Parse(printed, sample)
		if err != nil {
			return
		}
		for _, p := range s.Phases {
			if err := p.Check(); err != nil || p.Rate() <= 0 {
				t.Errorf("%q: %s: %v, %v", printed, p.Name, p.Rate(), err)
			}
		}
	})
}
