// SPDX-License-Identifier: Apache-2.0

package toolreporttest

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/toolreport"
)

// Reader is the reader of a tool's reports on workloads of type W.
type Reader[W any] struct {
	Parse func(io.Reader, W) (result.Sample, error)
	// Fixtures begins the names of the captured reports below testdata, with the tool's version, and Extension ends them.
	Fixtures, Extension string
	// Captured are the workloads that they were captured of, by what is between.
	Captured map[string]W
}

// Fixture is a captured report.
func (r Reader[W]) Fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + r.Fixtures + name + r.Extension)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Hostile is a text that is not a valid report of one of the captured workloads, and a part of the expected error.
type Hostile = struct{ Text, Workload, Want string }

// Refuses checks that hostile texts are refused with an error of the package toolreport.
func (r Reader[W]) Refuses(t *testing.T, texts map[string]Hostile) {
	t.Helper()
	for name, tt := range texts {
		t.Run(name, func(t *testing.T) {
			_, err := r.Parse(strings.NewReader(tt.Text), r.Captured[tt.Workload])
			var missing *toolreport.MissingError
			var format *toolreport.FormatError
			if err == nil || !strings.Contains(err.Error(), tt.Want) || !errors.As(err, &missing) && !errors.As(err, &format) {
				t.Errorf("error %v, want %q", err, tt.Want)
			}
		})
	}
}

// RefusesRates checks that a good report is refused once one of its rates is replaced by an impossible one.
func (r Reader[W]) RefusesRates(t *testing.T, workload, rate, want string) {
	t.Helper()
	good := r.Fixture(t, workload)
	texts := map[string]Hostile{}
	for what, hostile := range map[string]string{
		"a rate of words": "NaN", "no rate": "0.000", "a negative rate": "-4.9", "a huge rate": "1e300",
		"a rate in hexadecimal": "0x1p4000", "an infinite rate": "+Inf",
	} {
		texts[what] = Hostile{strings.Replace(good, rate, hostile, 1), workload, want}
	}
	r.Refuses(t, texts)
}

// Fuzz checks that what is made of any text can be a part of a result, or is an error.
func (r Reader[W]) Fuzz(f *testing.F) {
	for name := range r.Captured {
		f.Add(r.Fixture(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range r.Captured {
			s, err := r.Parse(strings.NewReader(text), w)
			if err != nil {
				continue
			}
			for _, p := range s.Phases {
				if err := p.Check(); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
			}
		}
	})
}
