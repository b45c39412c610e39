// SPDX-License-Identifier: Apache-2.0

package toolreport

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is wrong names the tool, and is found again under what a caller puts around it.
func TestErrors(t *testing.T) {
	const tool = Tool("iozone")
	tests := map[string]struct {
		err  error
		want string
	}{
		"missing":   {tool.Missing(), "iozone wrote no report"},
		"malformed": {tool.Malformed(io.ErrUnexpectedEOF), "iozone report: unexpected EOF"},
		"of a text": {tool.Malformedf("%d rates: %w", 5, io.ErrUnexpectedEOF), "iozone report: 5 rates: unexpected EOF"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var format *FormatError
			if isFormat := errors.As(tt.err, &format); isFormat != errors.Is(tt.err, io.ErrUnexpectedEOF) {
				t.Errorf("%v is a FormatError: %t", tt.err, isFormat)
			}
		})
	}
}

func TestRate(t *testing.T) {
	tests := map[string]struct {
		unit, want float64
		ok         bool
	}{
		"391437":   {1024, 391437 * 1024, true},
		"0.000001": {1e6, 1, true},
		"4736.9":   {1, 4736.9, true},
		"NaN":      {1, 0, false},
		"Inf":      {1, 0, false},
		"-4.9":     {1, 0, false},
		"0":        {1024, 0, false},
		"1e300":    {1, 0, false},
		"1e15":     {2, 0, false},
		"4,9":      {1, 0, false},
		"":         {1, 0, false},
	}
	for text, tt := range tests {
		if got, ok := Rate(text, tt.unit); ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q: %v, %t", text, got, ok)
		}
	}
}
