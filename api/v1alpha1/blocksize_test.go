// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "testing"

func TestParseBlockSize(t *testing.T) {
	tests := map[string]struct {
		in   string
		want int64 // 0: refused
	}{
		"bytes":            {in: "512", want: 512},
		"k":                {in: "4k", want: 4096},
		"K":                {in: "128K", want: 131072},
		"m":                {in: "1m", want: 1 << 20},
		"M":                {in: "16M", want: 16 << 20},
		"empty":            {in: ""},
		"only a unit":      {in: "k"},
		"zero":             {in: "0"},
		"negative":         {in: "-4k"},
		"plus":             {in: "+4k"},
		"IEC, 1000 to fio": {in: "4Ki"},
		"fraction":         {in: "1.5k"},
		"other unit":       {in: "1G"},
		"space":            {in: "4 k"},
		"overflow":         {in: "9223372036854775807k"},
		"longer than 63b":  {in: "99999999999999999999"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseBlockSize(tt.in)
			if (err != nil) != (tt.want == 0) || got != tt.want {
				t.Errorf("ParseBlockSize(%q) = %d, %v; want %d", tt.in, got, err, tt.want)
			}
		})
	}
}
