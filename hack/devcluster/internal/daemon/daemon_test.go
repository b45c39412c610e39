package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func newSet(t *testing.T) Set {
	t.Helper()
	return Set{RecordDir: t.TempDir(), LogDir: t.TempDir()}
}

func TestStartStop(t *testing.T) {
	set := newSet(t)
	spec := Spec{Name: "sleeper", Args: []string{"/bin/sleep", "600"}}
	if started, err := set.Ensure(spec); err != nil || !started {
		t.Fatalf("first Ensure: %v, %v", started, err)
	}
	record, running, err := set.Running("sleeper")
	if err != nil || !running {
		t.Fatalf("Running: %v, %v", running, err)
	}
	if session, err := syscall.Getpgid(record.PID); err != nil || session != record.PID {
		t.Errorf("the daemon is in process group %d (%v), not its own", session, err)
	}
	if started, err := set.Ensure(spec); err != nil || started {
		t.Errorf("second Ensure started it again: %v, %v", started, err)
	}
	if err := set.Stop(t.Context(), "sleeper", syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, running, err := set.Running("sleeper"); err != nil || running {
		t.Errorf("after Stop: running %v, %v", running, err)
	}
	if _, err := os.Stat(set.recordPath("sleeper")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the record stays: %v", err)
	}
	if err := set.Stop(t.Context(), "sleeper", syscall.SIGTERM); err != nil {
		t.Errorf("second Stop: %v", err)
	}
}

// A process that merely got the recorded number, now or before the machine was booted, is not ours.
func TestRecycledNumber(t *testing.T) {
	own, err := newRecord(Spec{Name: "self"}, os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	started, booted := own, own
	started.StartTime++
	booted.BootID = "another boot"
	tests := map[string]struct {
		record Record
		want   bool
	}{
		"same":            {own, true},
		"started later":   {started, false},
		"an earlier boot": {booted, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set := newSet(t)
			if err := set.write(test.record); err != nil {
				t.Fatal(err)
			}
			_, running, err := set.Running("self")
			if err != nil || running != test.want {
				t.Errorf("Running: %v, %v, want %v", running, err, test.want)
			}
			if test.want {
				return
			}
			// Were it taken for ours this test would end here.
			if err := set.Stop(t.Context(), "self", syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestLogs(t *testing.T) {
	set := newSet(t)
	if _, err := set.Ensure(Spec{Name: "failing", Args: []string{"/bin/ls", "/nowhere"}}); err != nil {
		t.Fatal(err)
	}
	if err := set.Stop(t.Context(), "failing", syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(set.LogDir, "failing.log"))
	if err != nil || !strings.Contains(string(log), "/nowhere") {
		t.Errorf("log %q, %v", log, err)
	}
}

func TestParseStat(t *testing.T) {
	tests := map[string]struct {
		stat      string
		state     byte
		startTime uint64
		wantErr   bool
	}{
		"plain": {stat: "1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 42 100 200", state: 'S',
			startTime: 42},
		"name with paren": {stat: "7 (a) b (c)) Z 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 100 200", state: 'Z',
			startTime: 99},
		"short":   {stat: "7 (a) S 0 1", wantErr: true},
		"no name": {stat: "7 a S 0 1", wantErr: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state, startTime, err := parseStat(test.stat)
			if (err != nil) != test.wantErr {
				t.Fatalf("error %v, want one: %v", err, test.wantErr)
			}
			if state != test.state || startTime != test.startTime {
				t.Errorf("got %c, %d", state, startTime)
			}
		})
	}
}
