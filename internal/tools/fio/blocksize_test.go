// SPDX-License-Identifier: Apache-2.0

package fio

import (
	"errors"
	"testing"
)

func TestBlockBytes(t *testing.T) {
	tests := map[string]int64{
		"": 4096, "512": 512, "4k": 4096, "4K": 4096, "1m": 1 << 20, "1M": 1 << 20, "1024M": 1 << 30,
		"0": -1, "4Ki": -1, "16Mi": -1, "4kb": -1, "4 k": -1, "1G": -1, "1025M": -1, "9999999999": -1, "99999999999": -1,
		"-1": -1, "4k\n": -1,
	}
	for in, want := range tests {
		got, err := BlockBytes(in)
		var field *FieldError
		if want < 0 {
			if !errors.As(err, &field) {
				t.Errorf("%q: got %d, %v, want a FieldError", in, got, err)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", in, got, err, want)
		}
	}
}
