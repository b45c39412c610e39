// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "testing"

func TestRelativeSizeParts(t *testing.T) {
	tests := map[RelativeSize]struct {
		factor float64
		of     string
		ok     bool
	}{
		"4xRAM": {4, "RAM", true}, "1.5xARC": {1.5, "ARC", true}, "0.5xARC": {0.5, "ARC", true},
		"99.9xRAM": {99.9, "RAM", true}, "50%Pool": {0.5, "Pool", true}, "1%Pool": {0.01, "Pool", true},
		"": {}, "0xRAM": {}, "0.0xRAM": {}, "100xRAM": {}, "4x": {}, "4xDisk": {}, "4xPool": {}, "50%RAM": {}, "0%Pool": {},
		"100%Pool": {}, "4xRAM\n": {}, "4 xRAM": {}, "-1xARC": {}, "1e9xRAM": {},
	}
	for size, want := range tests {
		factor, of, ok := size.Parts()
		if factor != want.factor || of != want.of || ok != want.ok {
			t.Errorf("%q: %v, %q, %t; want %+v", size, factor, of, ok, want)
		}
	}
}
