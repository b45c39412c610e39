// Package daemon starts processes that outlive the command that started them, and finds and stops them
// later without ever touching a process that merely got the same number.
package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"zfsbench.io/operator/hack/devcluster/internal/netns"
)

// pollInterval is how often a stopping process is looked at, stopTimeout for how long.
const (
	pollInterval = 20 * time.Millisecond
	stopTimeout  = time.Minute
)

// Set is a directory of process records and logs.
type Set struct {
	RecordDir, LogDir string
}

// Spec says what to start.
type Spec struct {
	Name string
	Args []string // Args[0] is an absolute path, inside Chroot when that is set
	// Namespace is the network namespace to run in; the machine's own when empty.
	Namespace netns.Namespace
	// Prepare runs before the start on the thread that starts the process, in a mount namespace of the
	// process's own when it is set.
	Prepare func() error
	Chroot  string
}

// Record identifies a process for as long as the machine stays up.
type Record struct {
	Name      string   `json:"name"`
	PID       int      `json:"pid"`
	StartTime uint64   `json:"startTime"` // clock ticks since boot, proc(5)
	BootID    string   `json:"bootID"`
	Args      []string `json:"args"`
}

// LogPath is the file that receives the daemon's stdout and stderr.
func (s Set) LogPath(name string) string { return filepath.Join(s.LogDir, name+".log") }

// Running returns the record of the daemon if it runs.
func (s Set) Running(name string) (Record, bool, error) {
	record, err := s.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("look for %s: %w", name, err)
	}
	alive, err := record.alive()
	return record, alive, err
}

// Ensure starts the daemon unless it runs. It reports whether it was started.
func (s Set) Ensure(spec Spec) (bool, error) {
	_, running, err := s.Running(spec.Name)
	if err != nil || running {
		return false, err
	}
	if err := s.start(spec); err != nil {
		return false, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	return true, nil
}

func (s Set) start(spec Spec) error {
	log, err := os.OpenFile(s.LogPath(spec.Name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(spec.Args[0], spec.Args[1:]...)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	// A session of its own: an interrupt at the terminal does not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Chroot: spec.Chroot}
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}
	if err := startOnThread(cmd, spec); err != nil {
		return err
	}
	record, err := newRecord(spec, cmd.Process.Pid)
	if err == nil {
		err = s.write(record)
	}
	if err != nil {
		// Without a record nobody could ever stop it.
		return errors.Join(err, cmd.Process.Kill())
	}
	// Reap it should it end while this process still runs, so that it is not seen as alive.
	go func() { _ = cmd.Wait() }()
	return nil
}

// startOnThread starts cmd from a thread in the wanted namespaces, which the process inherits.
func startOnThread(cmd *exec.Cmd, spec Spec) error {
	return netns.OnThread(func() error {
		if spec.Prepare != nil {
			if err := PrivateMounts(); err != nil {
				return err
			}
			if err := spec.Prepare(); err != nil {
				return err
			}
		}
		if spec.Namespace != "" {
			if err := spec.Namespace.Enter(); err != nil {
				return err
			}
		}
		return cmd.Start()
	})
}

// Stop sends the daemon a signal, waits until it has ended and removes its record. A daemon that does not run is no
// error.
func (s Set) Stop(ctx context.Context, name string, signal syscall.Signal) error {
	record, running, err := s.Running(name)
	if err != nil {
		return err
	}
	if running {
		if err := record.stop(ctx, signal); err != nil {
			return fmt.Errorf("stop %s: %w", name, err)
		}
	}
	if err := os.Remove(s.recordPath(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("stop %s: %w", name, err)
	}
	return nil
}

func (s Set) recordPath(name string) string { return filepath.Join(s.RecordDir, name+".json") }

func (s Set) read(name string) (Record, error) {
	content, err := os.ReadFile(s.recordPath(name))
	if err != nil {
		return Record{}, err
	}
	var record Record
	err = json.Unmarshal(content, &record)
	return record, err
}

func (s Set) write(record Record) error {
	content, err := json.Marshal(record)
	if err != nil {
		return err
	}
	tmp := s.recordPath(record.Name) + ".tmp"
	if err := os.WriteFile(tmp, content, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, s.recordPath(record.Name))
}
