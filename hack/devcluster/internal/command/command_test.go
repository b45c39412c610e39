package command

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRun(t *testing.T) {
	var log bytes.Buffer
	out, err := Run(t.Context(), Spec{Args: []string{"cat"}, Stdin: strings.NewReader("text"), Log: &log})
	if err != nil || out != "text" || log.String() != "text" {
		t.Errorf("got %q, log %q, %v", out, log.String(), err)
	}
}

func TestRunFails(t *testing.T) {
	tests := map[string]struct {
		args     []string
		exitCode int
		stderr   string
	}{
		"exit code":      {[]string{"ls", "/nowhere"}, 2, "/nowhere"},
		"does not exist": {[]string{"no-such-program"}, -1, ""},
		"long complaint": {[]string{"sh", "-c", "yes complaint | head -n 10000 >&2; echo the end >&2; exit 3"}, 3, "the end"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Run(t.Context(), Spec{Args: test.args})
			var failed *Error
			if !errors.As(err, &failed) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if failed.ExitCode != test.exitCode || !strings.Contains(failed.Stderr, test.stderr) ||
				len(failed.Stderr) > stderrTail {
				t.Errorf("got exit code %d, stderr of %d bytes ending in %q",
					failed.ExitCode, len(failed.Stderr), tail(failed.Stderr))
			}
		})
	}
	if _, err := Run(t.Context(), Spec{}); err == nil {
		t.Error("nothing could be run")
	}
}

func tail(s string) string { return s[max(0, len(s)-80):] }

// An interrupted program takes its children with it.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := Run(ctx, Spec{Args: []string{"sh", "-c", "sleep 600 & sleep 600"}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
	if took := time.Since(begin); took > killGrace/2 {
		t.Errorf("it took %v", took)
	}
}
