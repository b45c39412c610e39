package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func newRecord(spec Spec, pid int) (Record, error) {
	bootID, err := readBootID()
	if err != nil {
		return Record{}, err
	}
	_, startTime, err := processState(pid)
	if err != nil {
		return Record{}, err
	}
	return Record{Name: spec.Name, PID: pid, StartTime: startTime, BootID: bootID, Args: spec.Args}, nil
}

// alive reports whether the very process of the record runs; a zombie does not.
func (r Record) alive() (bool, error) {
	bootID, err := readBootID()
	if err != nil {
		return false, err
	}
	if bootID != r.BootID {
		return false, nil
	}
	state, startTime, err := processState(r.PID)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return startTime == r.StartTime && state != 'Z' && state != 'X', nil
}

// stop signals the process through a pidfd that was checked to be the recorded one, and waits for its end.
func (r Record) stop(ctx context.Context, signal syscall.Signal) error {
	fd, err := unix.PidfdOpen(r.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open process %d: %w", r.PID, err)
	}
	defer unix.Close(fd)
	// The number may have been given to another process before the pidfd was opened.
	if alive, err := r.alive(); err != nil || !alive {
		return err
	}
	if err := unix.PidfdSendSignal(fd, signal, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("signal process %d: %w", r.PID, err)
	}
	return r.waitGone(ctx)
}

func (r Record) waitGone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	for {
		alive, err := r.alive()
		if err != nil || !alive {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("process %d does not end: %w", r.PID, ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// processState returns the state letter and start time of a process. Format: proc_pid_stat(5).
func processState(pid int) (state byte, startTime uint64, err error) {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	return parseStat(string(content))
}

func parseStat(stat string) (state byte, startTime uint64, err error) {
	// The second field, the program's name in parentheses, may itself hold spaces and parentheses.
	end := strings.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, 0, fmt.Errorf("parse process state %q: no program name", stat)
	}
	fields := strings.Fields(stat[end+1:])
	const startTimeField = 22 - 3 // fields start at the third
	if len(fields) <= startTimeField {
		return 0, 0, fmt.Errorf("parse process state %q: too short", stat)
	}
	startTime, err = strconv.ParseUint(fields[startTimeField], 10, 64)
	return fields[0][0], startTime, err
}

func readBootID() (string, error) {
	content, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(content)), err
}
