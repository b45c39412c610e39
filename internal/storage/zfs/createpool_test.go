// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
	"zfsbench.io/operator/internal/storage/zfs/layout"
)

func somePool(change func(*CreatePool)) CreatePool {
	pool := CreatePool{
		Name: "zb1", Comment: "0123", Layout: []string{"mirror", "/p/a", "/p/b"},
		UserProperties: map[string]string{OwnerProperty: "uid-1"},
	}
	change(&pool)
	return pool
}

func TestCreatePool(t *testing.T) {
	twelve := int32(12)
	const always = "-m none -o cachefile=none -o failmode=continue -o comment=0123 "
	tests := map[string]struct {
		pool CreatePool
		want string
	}{
		"least": {
			pool: somePool(func(*CreatePool) {}),
			want: "host zpool create " + always + "-O io.zfsbench:owner=uid-1 zb1 mirror /p/a /p/b",
		},
		"everything": {
			pool: somePool(func(p *CreatePool) {
				p.Ashift = &twelve
				p.Properties = map[string]string{"feature@async_destroy": "disabled", "autotrim": "on"}
				p.FSProperties = map[string]string{"recordsize": "16K", "compression": "zstd-3"}
				p.DryRun = true
			}),
			want: "host zpool create -n " + always + "-o ashift=12 -o autotrim=on -o feature@async_destroy=disabled " +
				"-O compression=zstd-3 -O recordsize=16K -O io.zfsbench:owner=uid-1 zb1 mirror /p/a /p/b",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, hostexectest.Answer{Match: "host zpool create"})
			if err := New(rec.Runner("host")).CreatePool(t.Context(), test.pool); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{test.want}, rec.Transcript()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCreatePoolRefuses(t *testing.T) {
	property := func(name string) func(*CreatePool) {
		return func(p *CreatePool) { p.Properties = map[string]string{name: "x"} }
	}
	dataset := func(name string) func(*CreatePool) {
		return func(p *CreatePool) { p.FSProperties = map[string]string{name: "x"} }
	}
	tests := map[string]struct {
		change func(*CreatePool)
		want   error
	}{
		"option as name":  {func(p *CreatePool) { p.Name = "-f" }, &NameError{Name: "-f", Kind: "pool"}},
		"dataset as name": {func(p *CreatePool) { p.Name = "a/b" }, &NameError{Name: "a/b", Kind: "pool"}},
		"no comment": {func(p *CreatePool) {
			p.Comment = ""
		}, &PropertyError{Name: "comment", Cause: "must have 1 to 32 bytes"}},
		"long comment": {func(p *CreatePool) {
			p.Comment = strings.Repeat("x", 33)
		}, &PropertyError{Name: "comment", Cause: "must have 1 to 32 bytes"}},
		"no owner": {func(p *CreatePool) {
			p.UserProperties = nil
		}, &PropertyError{Name: OwnerProperty, Cause: "is missing"}},
		"cachefile": {property("cachefile"),
			&PropertyError{Name: "cachefile", Cause: "may only be set by the runner"}},
		"failmode": {property("failmode"),
			&PropertyError{Name: "failmode", Cause: "may only be set by the runner"}},
		"assignment in a name": {property("a=b"), &PropertyError{Name: "a=b", Cause: "is not a valid property name"}},
		"mountpoint": {dataset("mountpoint"),
			&PropertyError{Name: "mountpoint", Cause: "may only be set by the runner"}},
		"owner by the user": {dataset(OwnerProperty),
			&PropertyError{Name: OwnerProperty, Cause: "may only be set by the runner"}},
		"newline": {
			func(p *CreatePool) { p.FSProperties = map[string]string{"compression": "lz4\n"} },
			&PropertyError{Name: "compression", Cause: "has a value with a control character"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := New(hostexectest.New(t).Runner("host")).CreatePool(t.Context(), somePool(test.change))
			if diff := cmp.Diff(test.want, errors.Unwrap(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCreatePoolKeepsTheToolsMessage(t *testing.T) {
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zpool create", Code: 1,
		Stderr: "/p/a is part of active pool 'x'\n"})
	err := New(rec.Runner("host")).CreatePool(t.Context(), somePool(func(*CreatePool) {}))
	var exit *hostexec.ExitError
	if !errors.As(err, &exit) || exit.Stderr != "/p/a is part of active pool 'x'" {
		t.Errorf("error %v", err)
	}
}

// TestAddVdev: an OpenZFS that wants a word for another ashift gets it, an older one does not.
func TestAddVdev(t *testing.T) {
	add := layout.Addition{Pool: "zbfix", Ashift: 13, Vdev: []string{"log", "mirror", "/p/b", "/p/c"}}
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zpool add"})
	if err := New(rec.Runner("host")).AddVdev(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"host zpool add -o ashift=13 zbfix log mirror /p/b /p/c"}, rec.Transcript()); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	const refused = "cannot add to 'zbfix': adding devices with different physical sector sizes is not allowed"
	rec = hostexectest.New(t, hostexectest.Answer{Match: "host zpool add -o", Code: 1, Stderr: refused},
		hostexectest.Answer{Match: "host zpool add --allow-ashift-mismatch -o ashift=13 zbfix log mirror"})
	if err := New(rec.Runner("host")).AddVdev(t.Context(), add); err != nil {
		t.Error(err)
	}
	rec = hostexectest.New(t, hostexectest.Answer{Match: "host zpool add -o", Code: 1, Stderr: "no such device"},
		hostexectest.Answer{Match: "host zpool add --allow", Code: 2, Stderr: "invalid option"})
	if err := New(rec.Runner("host")).AddVdev(t.Context(), add); err == nil ||
		!strings.Contains(err.Error(), "no such device") {
		t.Errorf("error %v, want what zpool said of the vdev", err)
	}
}
