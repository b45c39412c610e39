// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePools(t *testing.T) {
	tests := map[string]struct {
		in   string
		want []Pool
	}{
		"none": {},
		"captured": {
			in: fixture(t, "zpool-list"),
			want: []Pool{{Name: "zbfix", GUID: "7056262603242998282", Health: "ONLINE",
				Comment: "0123456789abcdef0123456789abcdef"}},
		},
		"no comment": {in: "a\t1\tDEGRADED\t-\n", want: []Pool{{Name: "a", GUID: "1", Health: "DEGRADED"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParsePools(strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParsePoolsRefuses(t *testing.T) {
	for _, in := range []string{"a\t1\tONLINE\n", "\t1\tONLINE\t-\n", "no pools available\n"} {
		_, err := ParsePools(strings.NewReader(in))
		var parse *ParseError
		if !errors.As(err, &parse) {
			t.Errorf("ParsePools(%q) = %v, want *ParseError", in, err)
		}
	}
}
