// SPDX-License-Identifier: Apache-2.0

package hostexectest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec"
)

func TestRecorder(t *testing.T) {
	broken := errors.New("broken")
	rec := New(t,
		Answer{Match: "host zpool list", Once: true, Stdout: "first\n"},
		Answer{Match: "host zpool list", Stdout: "later\n"},
		Answer{Match: "host zpool destroy", Code: 1, Stderr: "busy\n"},
		Answer{Match: "local fio", Err: broken},
		Answer{Match: "local cat", Do: func(context.Context, hostexec.Cmd) (hostexec.Result, error) {
			return hostexec.Result{Stdout: []byte("done")}, nil
		}},
	)
	host, local := rec.Runner("host"), rec.Runner("local")
	run := func(r hostexec.Runner, cmd hostexec.Cmd) string {
		got, err := r.Run(t.Context(), cmd)
		return string(got.Stdout) + "|" + errText(err)
	}
	var streamed bytes.Buffer
	got := []string{
		run(host, hostexec.Cmd{Args: []string{"zpool", "list", "-Hp"}}),
		run(host, hostexec.Cmd{Args: []string{"zpool", "list", "-Hp"}, Stdout: &streamed}),
		run(host, hostexec.Cmd{Args: []string{"zpool", "destroy", "p"}}),
		run(local, hostexec.Cmd{Args: []string{"fio", "job"}}),
		run(local, hostexec.Cmd{Args: []string{"cat"}, Stdin: strings.NewReader("in"), Env: []string{"A=1"}}),
	}
	want := []string{"first\n|", "|", "|zpool destroy p: exit code 1: busy", "|broken", "done|"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if streamed.String() != "later\n" {
		t.Errorf("streamed %q", streamed.String())
	}
	wantCalls := []Call{
		{Line: "host zpool list -Hp"}, {Line: "host zpool list -Hp"}, {Line: "host zpool destroy p"}, {Line: "local fio job"},
		{Line: "local cat", Stdin: "in", Env: []string{"A=1"}},
	}
	if diff := cmp.Diff(wantCalls, rec.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestRecorderWithoutAnswerFailsTheTest(t *testing.T) {
	spy := &spyTB{TB: t}
	_, err := New(spy).Runner("host").Run(t.Context(), hostexec.Cmd{Args: []string{"zpool", "destroy", "p"}})
	var notFound *hostexec.NotFoundError
	if !errors.As(err, &notFound) || !spy.failed {
		t.Errorf("error %v, failed %v", err, spy.failed)
	}
}

type spyTB struct {
	testing.TB
	failed bool
}

func (s *spyTB) Errorf(string, ...any) { s.failed = true }

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
