// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

func TestSendReceive(t *testing.T) {
	online := map[string]string{"proc/spl/kstat/zfs/zbfix/state": fixture(t, "kstat-state")}
	whole := Send{Dataset: "zbfix/bench", Snapshot: "a-1", Into: "zbfix/received-a",
		Properties: map[string]string{"compression": "lz4", "recordsize": "16K", "dedup": "on"}}
	part := whole
	part.Snapshot, part.Since = "b-1", "a-1"
	suspendedPool := map[string]string{"proc/spl/kstat/zfs/zbfix/state": "SUSPENDED\n"}
	tests := map[string]struct {
		send   Send
		kernel map[string]string
		want   []string
		err    error
	}{
		"whole": {send: whole, kernel: online, want: []string{
			"host zfs receive -u -o mountpoint=legacy -o compression=lz4 -o dedup=on zbfix/received-a",
			"host zfs send zbfix/bench@a-1",
		}},
		"what has changed": {send: part, kernel: online,
			want: []string{"host zfs receive -u zbfix/received-a", "host zfs send -i @a-1 zbfix/bench@b-1"}},
		"a pool that is suspended": {send: whole, kernel: suspendedPool, err: &SuspendedError{Pool: "zbfix"}},
		"a snapshot with an option": {send: Send{Dataset: "zbfix/bench", Snapshot: "-R", Into: "zbfix/x"}, kernel: online,
			err: &NameError{Name: "-R", Kind: "snapshot"}},
		"into an option": {send: Send{Dataset: "zbfix/bench", Snapshot: "a", Into: "-F"}, kernel: online,
			err: &NameError{Name: "-F", Kind: "dataset"}},
		"since an option": {send: Send{Dataset: "zbfix/bench", Snapshot: "a", Into: "zbfix/x", Since: "-R"}, kernel: online,
			err: &NameError{Name: "-R", Kind: "snapshot"}},
		"a property that is ours": {
			send: Send{Dataset: "zbfix/bench", Snapshot: "a", Into: "zbfix/x",
				Properties: map[string]string{"mountpoint": "/"}},
			kernel: online,
			err:    &PropertyError{Name: "mountpoint", Cause: "may only be set by the runner"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rec := hostexectest.New(t, hostexectest.Answer{Match: "host zfs receive"}, hostexectest.Answer{
				Match: "host zfs send", Do: func(_ context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
					_, err := io.WriteString(cmd.Stdout, "a stream")
					return hostexec.Result{}, err
				},
			})
			bytes, err := New(rec.Runner("host")).WithRoot(tree(t, tt.kernel)).SendReceive(t.Context(), tt.send)
			if tt.err == nil && (err != nil || bytes != 8) {
				t.Errorf("%d bytes, %v", bytes, err)
			}
			if tt.err != nil && (err == nil || !errorIs(err, tt.err)) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			// Which of the two is started first does not matter.
			got := rec.Transcript()
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
		})
	}
}

// errorIs finds an error of the same type and content.
func errorIs(err, want error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if cmp.Equal(err, want, cmp.Comparer(func(a, b error) bool { return a.Error() == b.Error() })) {
			return true
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			return slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return errorIs(e, want) })
		}
	}
	return false
}
