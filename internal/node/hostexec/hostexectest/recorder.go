// SPDX-License-Identifier: Apache-2.0

package hostexectest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"zfsbench.io/operator/internal/node/hostexec"
)

// Answer is the answer to a matching command.
type Answer struct {
	// Match is a prefix of the command as in the transcript: the runner's name, then the arguments, joined by spaces.
	// "host zpool create" matches every zpool create of the runner named host. The first matching answer is used.
	Match string
	// Once removes the answer after its first use, so that the next answer with the same Match follows.
	Once           bool
	Stdout, Stderr string
	// Code is the exit code; other than 0 it makes a *hostexec.ExitError.
	Code int
	// Err is returned instead of an exit code.
	Err error
	// Do, if set, is called and determines the result alone.
	Do func(ctx context.Context, cmd hostexec.Cmd) (hostexec.Result, error)
}

// Call is one command that was run.
type Call struct {
	// Line is the runner's name and the arguments, joined by spaces.
	Line string
	// Stdin is all of the command's input.
	Stdin string
	Env   []string
}

// Recorder answers commands from a script. A command without an answer fails the test.
type Recorder struct {
	tb      testing.TB
	mu      sync.Mutex
	answers []Answer
	calls   []Call
}

// New returns a recorder with these answers.
func New(tb testing.TB, answers ...Answer) *Recorder {
	return &Recorder{tb: tb, answers: slices.Clone(answers)}
}

// Runner returns a runner whose commands are recorded under a name, so that one transcript shows the order among
// several runners.
func (r *Recorder) Runner(name string) hostexec.Runner { return runner{r, name} }

// Prepend puts answers before all others.
func (r *Recorder) Prepend(answers ...Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers = append(slices.Clone(answers), r.answers...)
}

// Calls returns what was run so far, in order.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Transcript returns the lines of the calls, in order.
func (r *Recorder) Transcript() []string {
	var lines []string
	for _, call := range r.Calls() {
		lines = append(lines, call.Line)
	}
	return lines
}

type runner struct {
	recorder *Recorder
	name     string
}

// Run records the command and answers it.
func (r runner) Run(ctx context.Context, cmd hostexec.Cmd) (hostexec.Result, error) {
	call := Call{Line: r.name + " " + strings.Join(cmd.Args, " "), Env: cmd.Env}
	if cmd.Stdin != nil {
		input, err := io.ReadAll(cmd.Stdin)
		if err != nil {
			return hostexec.Result{}, fmt.Errorf("read stdin of %s: %w", call.Line, err)
		}
		call.Stdin = string(input)
	}
	answer, found := r.recorder.take(call)
	if !found {
		r.recorder.tb.Errorf("no answer for command: %s", call.Line)
		return hostexec.Result{}, &hostexec.NotFoundError{Args: cmd.Args, Err: fmt.Errorf("no scripted answer")}
	}
	if answer.Do != nil {
		return answer.Do(ctx, cmd)
	}
	return answer.give(cmd)
}

// take records a call and finds its answer.
func (r *Recorder) take(call Call) (Answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
	for i, answer := range r.answers {
		if !strings.HasPrefix(call.Line, answer.Match) {
			continue
		}
		if answer.Once {
			r.answers = slices.Delete(r.answers, i, i+1)
		}
		return answer, true
	}
	return Answer{}, false
}

func (a Answer) give(cmd hostexec.Cmd) (hostexec.Result, error) {
	result := hostexec.Result{Stdout: []byte(a.Stdout), Stderr: []byte(a.Stderr)}
	if cmd.Stdout != nil {
		if _, err := io.WriteString(cmd.Stdout, a.Stdout); err != nil {
			return hostexec.Result{}, err
		}
		result.Stdout = nil
	}
	if a.Err != nil {
		return result, a.Err
	}
	if a.Code != 0 {
		return result, &hostexec.ExitError{Args: cmd.Args, Code: a.Code, Stderr: strings.TrimSpace(a.Stderr)}
	}
	return result, nil
}
