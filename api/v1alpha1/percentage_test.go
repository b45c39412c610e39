// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"
	"testing"
)

func TestFraction(t *testing.T) {
	tests := map[Percentage]float64{
		"3%":      0.03,
		"2.5%":    0.025,
		"50%":     0.5,
		"0.001%":  0.00001,
		"0.5%":    0.005,
		"99.999%": 0.99999,
		"10.0%":   0.1,

		"":         0,
		"%":        0,
		"0%":       0,
		"0.000%":   0,
		"100%":     0,
		"100.0%":   0,
		"250%":     0,
		"-1%":      0,
		"+1%":      0,
		"03%":      0,
		"3":        0,
		"0.03":     0,
		".5%":      0,
		"1.%":      0,
		"1.2345%":  0,
		"1e1%":     0,
		"Inf%":     0,
		"NaN%":     0,
		"3 %":      0,
		"3%\n":     0,
		"3%%":      0,
		"1.5.5%":   0,
		"\u0663%":  0,
		"3%\x00":   0,
		"3%,3%":    0,
		"3\n3%":    0,
		"0x3%":     0,
		"1_0%":     0,
		"000.001%": 0,
	}
	tests[Percentage(strings.Repeat("9", 64<<10)+"%")] = 0
	for in, want := range tests {
		got, err := in.Fraction()
		if (err != nil) != (want == 0) || got != want {
			t.Errorf("Fraction of %.20q = %v, %v; want %v", in, got, err, want)
		}
	}
}
