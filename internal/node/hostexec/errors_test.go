// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestErrorMessages(t *testing.T) {
	tests := map[string]struct {
		err  error
		want string
	}{
		"exit": {
			err:  &ExitError{Args: []string{"zpool", "create", "p"}, Code: 1, Stderr: "cannot create 'p':\nno such device"},
			want: "zpool create p: exit code 1: cannot create 'p':; no such device",
		},
		"signal and context": {
			err:  &ExitError{Args: []string{"fio"}, Code: -1, Signal: "terminated", Err: context.Canceled},
			want: "fio: ended by signal: terminated: context canceled",
		},
		"not found": {err: &NotFoundError{Args: []string{"zpool", "list"}, Err: errors.New("no")},
			want: "zpool cannot be started: no"},
		"limit": {err: &OutputLimitError{Args: []string{"cat", "x"}}, want: "cat x: printed more than 4194304 bytes"},
		"unkillable": {err: &UnkillableError{Args: []string{"zpool", "sync"}, PID: 7, Err: context.DeadlineExceeded},
			want: "zpool sync: process 7 cannot be killed, it waits in the kernel: context deadline exceeded"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestTail(t *testing.T) {
	long := strings.Repeat("0123456789\n", 1000)
	tests := map[string]struct{ in, want string }{
		"empty":                  {},
		"trimmed":                {in: "\n a \n", want: "a"},
		"cut at a line":          {in: long, want: strings.TrimSpace(strings.Repeat("0123456789\n", 186))},
		"one long line":          {in: strings.Repeat("x", 3000), want: strings.Repeat("x", 2048)},
		"broken UTF-8 when long": {in: strings.Repeat("x", 3000) + "\xff", want: strings.Repeat("x", 2047) + "?"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tail([]byte(test.in)); got != test.want {
				t.Errorf("got %d bytes %.40q, want %d bytes %.40q", len(got), got, len(test.want), test.want)
			}
		})
	}
}
