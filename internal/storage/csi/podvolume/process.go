// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// process is the directory of a process in /proc, kept open. Once the process has ended, the directory is empty, even
// if another process has the same number by then.
type process struct{ *os.File }

// pin opens a process by its number. The caller closes it.
func pin(pid int) (process, error) {
	dir, err := os.OpenFile(procOf(pid), unix.O_PATH|unix.O_DIRECTORY, 0)
	return process{dir}, err
}

// path is the path of a file of the process.
func (p process) path(name string) string {
	return filepath.Join("/proc/self/fd", strconv.FormatUint(uint64(p.Fd()), 10), name)
}

// runs says whether the process executes this file. A process that has ended executes none, and neither do kernel
// threads.
func (p process) runs(file unix.Stat_t) bool {
	var exe unix.Stat_t
	return unix.Stat(p.path("exe"), &exe) == nil && exe.Dev == file.Dev && exe.Ino == file.Ino
}

// lives says that the process has not ended: a zombie has no namespaces any more.
func (p process) lives() bool {
	_, err := os.Readlink(p.path("ns/mnt"))
	return err == nil
}

func procOf(pid int) string { return filepath.Join("/proc", strconv.Itoa(pid)) }

// findProcess returns the first process on this node that matches, or nil. Processes may start and end meanwhile. The
// caller closes it.
func findProcess(is func(process) (bool, error)) (*process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("look for processes: %w", err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		p, err := pin(pid)
		if err != nil {
			continue // it has ended
		}
		wanted, err := is(p)
		if wanted {
			return &p, nil
		}
		_ = p.Close() // nothing is written to it
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ESRCH) {
			return nil, fmt.Errorf("look at process %d: %w", pid, err)
		}
	}
	return nil, nil //nolint:nilnil // no match is not an error
}
