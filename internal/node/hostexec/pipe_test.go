// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func shell(script string) Cmd {
	return Cmd{Args: []string{"sh", "-c", script}, Grace: 100 * time.Millisecond}
}

// All that the first command writes reaches the second one, and is counted.
func TestPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "got")
	bytes, err := Pipe(t.Context(), Local(), shell("head -c 5000000 /dev/zero"), shell("cat > "+file))
	info, statErr := os.Stat(file)
	if err != nil || statErr != nil || bytes != 5000000 || info.Size() != 5000000 {
		t.Errorf("%d bytes, %v; %v, %v", bytes, err, info, statErr)
	}
}

// Whichever of the two fails, both end, and the error says so.
func TestPipeFails(t *testing.T) {
	tests := map[string]struct {
		from, to Cmd
		want     string
	}{
		"the first":                  {shell("echo a; echo broken >&2; exit 3"), shell("cat"), "broken"},
		"the second, which reads":    {shell("yes"), shell("head -c 10 > /dev/null; echo full >&2; exit 4"), "full"},
		"the second, which does not": {shell("yes"), shell("echo no >&2; exit 5"), "no"},
		"no such first":              {Cmd{Args: []string{"no-such-program"}}, shell("cat"), "no-such-program"},
		"no such second":             {shell("yes"), Cmd{Args: []string{"no-such-program"}}, "no-such-program"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := Pipe(ctx, Local(), tt.from, tt.to); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if ctx.Err() != nil {
				t.Error("they did not end by themselves")
			}
		})
	}
}

// A process that has left its group and holds the pipe does not hold up the caller.
func TestPipeThatSomebodyHolds(t *testing.T) {
	begin := time.Now()
	if _, err := Pipe(t.Context(), Local(), shell("setsid sleep 15 2> /dev/null & echo a"),
		shell("head -c 1 > /dev/null")); err == nil || time.Since(begin) > 10*time.Second {
		t.Errorf("error %v after %s", err, time.Since(begin))
	}
}

func TestPipeWhoseTimeIsUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Pipe(ctx, Local(), shell("yes"), shell("cat > /dev/null")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
	}
}
