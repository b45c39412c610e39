// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

const fixtureGUID = "7056262603242998282"

func TestLifecycle(t *testing.T) {
	const list = "host zpool list -Hp -o name,guid,health,comment"
	online := map[string]string{"proc/spl/kstat/zfs/zbfix/state": fixture(t, "kstat-state")}
	stuck := map[string]string{"proc/spl/kstat/zfs/zbfix/state": "SUSPENDED\n"}
	tests := map[string]struct {
		kernel map[string]string
		listed string
		run    func(ctx context.Context, c *Client) error
		want   []string
		err    error
	}{
		"sync": {kernel: online, run: func(ctx context.Context, c *Client) error {
			return c.Sync(ctx, "zbfix")
		}, want: []string{"host zpool sync zbfix"}},
		"sync a stuck pool": {kernel: stuck, run: func(ctx context.Context, c *Client) error {
			return c.Sync(ctx, "zbfix")
		}, err: &SuspendedError{Pool: "zbfix"}},
		"sync an absent pool": {run: func(ctx context.Context, c *Client) error {
			return c.Sync(ctx, "zbfix")
		}, err: &NoPoolError{Pool: "zbfix"}},
		"wait until freed": {kernel: online, run: func(ctx context.Context, c *Client) error {
			return c.WaitFreed(ctx, "zbfix")
		}, want: []string{"host zpool wait -t free zbfix"}},
		"wait, stuck": {kernel: stuck, run: func(ctx context.Context, c *Client) error {
			return c.WaitFreed(ctx, "zbfix")
		}, err: &SuspendedError{Pool: "zbfix"}},
		"trim": {kernel: online, run: func(ctx context.Context, c *Client) error {
			return c.Trim(ctx, "zbfix")
		}, want: []string{"host zpool trim -w zbfix"}},
		"trim a stuck pool": {kernel: stuck, run: func(ctx context.Context, c *Client) error {
			return c.Trim(ctx, "zbfix")
		}, err: &SuspendedError{Pool: "zbfix"}},
		"export": {
			kernel: online, listed: fixture(t, "zpool-list"),
			run:  func(ctx context.Context, c *Client) error { return c.Export(ctx, "zbfix", fixtureGUID) },
			want: []string{list, "host zpool export zbfix"},
		},
		"export what is gone": {
			run:  func(ctx context.Context, c *Client) error { return c.Export(ctx, "zbfix", fixtureGUID) },
			want: []string{list},
		},
		"export another pool of the name": {
			kernel: online, listed: fixture(t, "zpool-list"),
			run:  func(ctx context.Context, c *Client) error { return c.Export(ctx, "zbfix", "1") },
			want: []string{list},
			err:  &WrongPoolError{Name: "zbfix", GUID: "1", GotName: "zbfix", GotGUID: fixtureGUID},
		},
		"export without a GUID": {
			kernel: online, listed: fixture(t, "zpool-list"),
			run:  func(ctx context.Context, c *Client) error { return c.Export(ctx, "zbfix", "") },
			want: []string{list},
			err:  &WrongPoolError{Name: "zbfix", GotName: "zbfix", GotGUID: fixtureGUID},
		},
		"export a stuck pool whose state 2.1 hides": {
			kernel: online, listed: strings.ReplaceAll(fixture(t, "zpool-list"), "ONLINE", "SUSPENDED"),
			run:  func(ctx context.Context, c *Client) error { return c.Export(ctx, "zbfix", fixtureGUID) },
			want: []string{list},
			err:  &SuspendedError{Pool: "zbfix"},
		},
		"export a stuck pool": {
			kernel: stuck, listed: fixture(t, "zpool-list"),
			run:  func(ctx context.Context, c *Client) error { return c.Export(ctx, "zbfix", fixtureGUID) },
			want: []string{list},
			err:  &SuspendedError{Pool: "zbfix"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, hostexectest.Answer{Match: list, Stdout: test.listed},
				hostexectest.Answer{Match: "host zpool"})
			err := test.run(t.Context(), New(rec.Runner("host")).WithRoot(tree(t, test.kernel)))
			if diff := cmp.Diff(test.err, errors.Unwrap(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, rec.Transcript()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExportDoesNotGuessWhenPoolsCannotBeListed(t *testing.T) {
	rec := hostexectest.New(t, hostexectest.Answer{Match: "host zpool list", Code: 1, Stderr: "no module"})
	err := New(rec.Runner("host")).Export(t.Context(), "zbfix", fixtureGUID)
	var exit *hostexec.ExitError
	if !errors.As(err, &exit) || len(rec.Calls()) != 1 {
		t.Errorf("error %v after %q", err, rec.Transcript())
	}
}

func TestImport(t *testing.T) {
	const scan = "host zpool import -d /p/a -d /p/b"
	dirs := []string{"/p/a", "/p/b"}
	tests := map[string]struct {
		how  Import
		want []string
		err  error
	}{
		"found": {
			how:  Import{GUID: fixtureGUID, Name: "zbfix", Dirs: dirs},
			want: []string{scan, "host zpool import -o cachefile=none -N -d /p/a -d /p/b " + fixtureGUID},
		},
		"only to look": {
			how:  Import{GUID: fixtureGUID, Name: "zbfix", Dirs: dirs, ReadOnly: true},
			want: []string{scan, "host zpool import -o cachefile=none -N -o readonly=on -d /p/a -d /p/b " + fixtureGUID},
		},
		"as somebody would": {
			how:  Import{GUID: fixtureGUID, Name: "zbfix", Dirs: dirs, Mount: true},
			want: []string{scan, "host zpool import -o cachefile=none -d /p/a -d /p/b " + fixtureGUID},
		},
		"another name": {
			how: Import{GUID: fixtureGUID, Name: "mine", Dirs: dirs}, want: []string{scan},
			err: &WrongPoolError{Name: "mine", GUID: fixtureGUID, GotName: "zbfix", GotGUID: fixtureGUID},
		},
		"another GUID": {how: Import{GUID: "1", Name: "zbfix", Dirs: dirs}, want: []string{scan},
			err: &NotImportableError{Name: "zbfix", GUID: "1"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t,
				hostexectest.Answer{Match: scan, Stdout: fixture(t, "zpool-import")},
				hostexectest.Answer{Match: "host zpool import -o"},
			)
			err := New(rec.Runner("host")).Import(t.Context(), test.how)
			if diff := cmp.Diff(test.err, errors.Unwrap(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, rec.Transcript()); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
	if err := New(hostexectest.New(t).Runner("host")).Import(t.Context(), Import{GUID: "1", Name: "a"}); err == nil {
		t.Error("an import without devices would search everywhere")
	}
}
