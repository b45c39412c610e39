// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

func TestParseImportable(t *testing.T) {
	exported := ImportablePool{
		Name: "zbfix", GUID: "7056262603242998282", State: "ONLINE", Comment: "0123456789abcdef0123456789abcdef",
		Paths: []string{"/dev/vdc1", "/dev/vdd1", "/dev/vdf1", "/dev/vde1"},
	}
	destroyed := exported
	destroyed.Destroyed = true
	missing := ImportablePool{
		Name: "zbcapa", GUID: "9552706732376975093", State: "DEGRADED",
		Paths: []string{"/root/zbfix2/v/f1", "/root/zbfix2/v/f2"},
	}
	tests := map[string]struct {
		in   string
		want []ImportablePool
	}{
		"none":                {},
		"exported":            {in: fixture(t, "zpool-import"), want: []ImportablePool{exported}},
		"destroyed":           {in: fixture(t, "zpool-import-destroyed"), want: []ImportablePool{destroyed}},
		"a device is missing": {in: fixture(t, "zpool-import-missing"), want: []ImportablePool{missing}},
		"several pools, either spacing": {in: fixture(t, "zpool-import") + "\n" + fixture(t, "zpool-import-missing"),
			want: []ImportablePool{exported, missing}},
		"destroyed and a device is missing": {
			in: fixture(t, "zpool-import-destroyed-missing"),
			want: []ImportablePool{{Name: "zbcapa", GUID: "9552706732376975093", State: "DEGRADED", Destroyed: true,
				Paths: []string{"/root/zbfix2/v/f1"}}},
		},
		"a comment that looks like a key": {
			in: "   pool: a\n     id: 1\n  state: ONLINE\ncomment: pool: b /dev/x\n config:\n\n\ta  ONLINE\n",
			want: []ImportablePool{{Name: "a", GUID: "1", State: "ONLINE", Comment: "pool: b /dev/x",
				Paths: []string{"/dev/x"}}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParseImportable(strings.NewReader(test.in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseImportableRefuses(t *testing.T) {
	for _, in := range []string{"something else\n", "   pool: a\n  state: ONLINE\n", "   pool: a\n     id: 1\n"} {
		_, err := ParseImportable(strings.NewReader(in))
		var parse *ParseError
		if !errors.As(err, &parse) {
			t.Errorf("ParseImportable(%q) = %v, want *ParseError", in, err)
		}
	}
}

func TestImportable(t *testing.T) {
	rec := hostexectest.New(t,
		hostexectest.Answer{Match: "host zpool import -D -d /dev/a -d /dev/b", Stdout: fixture(t, "zpool-import-destroyed")},
		hostexectest.Answer{Match: "host zpool import", Stderr: "no pools available to import\n"},
	)
	client := New(rec.Runner("host"))
	if got, err := client.Importable(t.Context(),
		ImportScan{Dirs: []string{"/dev/a", "/dev/b"}, Destroyed: true}); err != nil || len(got) != 1 {
		t.Errorf("got %v, error %v", got, err)
	}
	if got, err := client.Importable(t.Context(), ImportScan{}); err != nil || len(got) != 0 {
		t.Errorf("got %v, error %v", got, err)
	}
	var name *NameError
	if _, err := client.Importable(t.Context(), ImportScan{Dirs: []string{"-f"}}); !errors.As(err, &name) {
		t.Errorf("error %v, want *NameError", err)
	}
	want := []string{"ZPOOL_VDEV_NAME_PATH=1", "ZPOOL_VDEV_NAME_FOLLOW_LINKS=1"}
	for _, call := range rec.Calls() {
		if diff := cmp.Diff(want, call.Env); diff != "" {
			t.Errorf("environment of %s (-want +got):\n%s", call.Line, diff)
		}
	}
}
