// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLocalRun(t *testing.T) {
	tests := map[string]struct {
		cmd        Cmd
		wantOut    string
		wantStderr string
		wantErr    error
	}{
		"prints": {cmd: Cmd{Args: []string{"printf", "%s", "a b"}}, wantOut: "a b"},
		"stdin":  {cmd: Cmd{Args: []string{"cat"}, Stdin: strings.NewReader("in")}, wantOut: "in"},
		"environment is fixed": {
			cmd:     Cmd{Args: []string{"env"}, Env: []string{"X=1"}},
			wantOut: "LC_ALL=C\nHOME=/\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nX=1\n",
		},
		"no shell expands": {cmd: Cmd{Args: []string{"printf", "%s", "$HOME;*"}}, wantOut: "$HOME;*"},
		"exit code and stderr": {
			cmd:        Cmd{Args: []string{"sh", "-c", "echo out; echo one >&2; echo two >&2; exit 3"}},
			wantOut:    "out\n",
			wantStderr: "one\ntwo\n",
			wantErr: &ExitError{
				Args: []string{"sh", "-c", "echo out; echo one >&2; echo two >&2; exit 3"}, Code: 3, Stderr: "one\ntwo",
			},
		},
		"signal": {
			cmd:     Cmd{Args: []string{"sh", "-c", "kill -9 $$"}},
			wantErr: &ExitError{Args: []string{"sh", "-c", "kill -9 $$"}, Code: -1, Signal: "killed"},
		},
		"stderr alone is no failure": {cmd: Cmd{Args: []string{"sh", "-c", "echo warn >&2"}}, wantStderr: "warn\n"},
		"stdout at the limit":        {cmd: Cmd{Args: []string{"true"}}},
		"too much output": {
			cmd:     Cmd{Args: []string{"head", "-c", strconv.Itoa(OutputLimitBytes + 1), "/dev/zero"}},
			wantOut: strings.Repeat("\x00", OutputLimitBytes),
			wantErr: &OutputLimitError{Args: []string{"head", "-c", strconv.Itoa(OutputLimitBytes + 1), "/dev/zero"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Local().Run(t.Context(), test.cmd)
			if diff := cmp.Diff(test.wantErr, err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if string(got.Stdout) != test.wantOut || string(got.Stderr) != test.wantStderr {
				t.Errorf("got stdout %.200q, stderr %.200q", got.Stdout, got.Stderr)
			}
		})
	}
}

func TestLocalRunNotFound(t *testing.T) {
	for _, args := range [][]string{nil, {""}, {"no-such-program"}, {"./relative"}, {"/no/such/program"}} {
		_, err := Local().Run(t.Context(), Cmd{Args: args})
		var notFound *NotFoundError
		if !errors.As(err, &notFound) {
			t.Errorf("Run(%q) = %v, want *NotFoundError", args, err)
		}
	}
}

func TestLocalRunStreams(t *testing.T) {
	var out bytes.Buffer
	got, err := Local().Run(t.Context(),
		Cmd{Args: []string{"head", "-c", strconv.Itoa(OutputLimitBytes + 1), "/dev/zero"}, Stdout: &out})
	if err != nil || out.Len() != OutputLimitBytes+1 || len(got.Stdout) != 0 {
		t.Errorf("streamed %d bytes, collected %d, error %v", out.Len(), len(got.Stdout), err)
	}
}

func TestLocalRunCPUTime(t *testing.T) {
	got, err := Local().Run(t.Context(),
		Cmd{Args: []string{"sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"}})
	if err != nil || got.CPUTime <= 0 {
		t.Errorf("CPU time %v, error %v", got.CPUTime, err)
	}
}

func TestLocalRunContextEndedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	marker := filepath.Join(t.TempDir(), "marker")
	_, err := Local().Run(ctx, Cmd{Args: []string{"touch", marker}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(marker); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command ran: %v", err)
	}
}

// lineWriter hands the first write to a channel, so that a test knows when the command is under way.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) {
	select {
	case w <- string(p):
	default:
	}
	return len(p), nil
}

func TestLocalRunKillsTheGroup(t *testing.T) {
	tests := map[string]struct {
		script     string
		grace      time.Duration
		wantSignal string
	}{
		"ends on SIGTERM": {script: "sleep 1000 & echo $!; wait", grace: time.Minute, wantSignal: "terminated"},
		"SIGTERM is ignored": {script: "trap '' TERM; sleep 1000 & echo $!; wait", grace: 50 * time.Millisecond,
			wantSignal: "killed"},
		"the child ignores it": {script: "(trap '' TERM; echo $(sh -c 'echo $PPID'); while :; do sleep 0.05; done)& wait",
			grace: 50 * time.Millisecond, wantSignal: "terminated"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := make(lineWriter, 1)
			failed := make(chan error, 1)
			go func() {
				_, err := Local().Run(ctx, Cmd{Args: []string{"sh", "-c", test.script}, Stdout: out, Grace: test.grace})
				failed <- err
			}()
			child, err := strconv.Atoi(strings.TrimSpace(<-out))
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			var exit *ExitError
			if err := <-failed; !errors.As(err, &exit) || exit.Signal != test.wantSignal || !errors.Is(err, context.Canceled) {
				t.Errorf("error %v, want signal %s and the context's error", err, test.wantSignal)
			}
			waitGone(t, child)
		})
	}
}

// waitGone waits until a process no longer runs; an orphan may stay a zombie for as long as its new parent likes.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d is still there", pid)
}
