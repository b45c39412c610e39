// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/mountinfo"
	"zfsbench.io/operator/internal/node/sandbox"
)

// Attacher attaches mounts of pods on this node. Its process must be in the host's process namespace.
type Attacher struct{}

// NoPodError says that no process of a pod has the volume.
type NoPodError struct{ PodUID, Inside string }

func (e *NoPodError) Error() string {
	return fmt.Sprintf("no process of pod %s on this node has %s: does the runner see the host's processes?",
		e.PodUID, e.Inside)
}

// Attach makes the mount that a pod has at inside appear at dir, in this process's own mount namespace, with nosuid,
// nodev and noexec. It writes nothing, and needs Linux 5.2. The caller closes the result.
func (Attacher) Attach(podUID, inside, dir string) (Held, error) {
	p, err := findProcess(ofPod(podUID, func(p process) bool { return hasMount(p, inside) }))
	if err != nil {
		return nil, fmt.Errorf("pod %s: %w", podUID, err)
	}
	if p == nil {
		return nil, &NoPodError{PodUID: podUID, Inside: inside}
	}
	if err := attach(*p, inside, dir, closed); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return &heldMount{podUID: podUID, process: *p}, nil
}

// CheckEmpty returns an error unless a directory is empty, except for the lost+found of a new filesystem. It writes
// nothing.
func (Attacher) CheckEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look whether the volume is empty: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() != "lost+found" || !entry.IsDir() {
			return &NotEmptyError{Name: entry.Name()}
		}
	}
	return nil
}

// NotEmptyError says that a filesystem is not empty.
type NotEmptyError struct{ Name string }

func (e *NotEmptyError) Error() string {
	return fmt.Sprintf("its filesystem is not empty: it contains %q", e.Name)
}

// Give makes the tools' user the owner of the root of the filesystem mounted at a directory.
func (Attacher) Give(dir string) error {
	if err := os.Chown(dir, sandbox.User, sandbox.User); err != nil {
		return fmt.Errorf("give the volume to the tools' user: %w", err)
	}
	return nil
}

// Device opens the block device that a pod has at inside, for this process. The caller closes the result.
func (Attacher) Device(podUID, inside string) (string, Held, error) {
	var found unix.Stat_t
	p, err := findProcess(ofPod(podUID, func(p process) bool {
		var stat unix.Stat_t
		if err := unix.Stat(filepath.Join(p.path("root"), inside), &stat); err != nil ||
			stat.Mode&unix.S_IFMT != unix.S_IFBLK {
			return false
		}
		found = stat
		return true
	}))
	if err != nil {
		return "", nil, fmt.Errorf("pod %s: %w", podUID, err)
	}
	if p == nil {
		return "", nil, &NoPodError{PodUID: podUID, Inside: inside}
	}
	link := fmt.Sprintf("/dev/block/%d:%d", unix.Major(found.Rdev), unix.Minor(found.Rdev))
	device, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("find the device of pod %s: %w", podUID, err), p.Close())
	}
	held, err := holdDevice(device, podUID, inside, *p)
	if err != nil {
		return "", nil, errors.Join(err, p.Close())
	}
	return device, held, nil
}

// ofPod says whether a process belongs to a pod and has what has looks for.
func ofPod(podUID string, has func(process) bool) func(process) (bool, error) {
	return func(p process) (bool, error) {
		cgroup, err := cgroupOf(p)
		return err == nil && isOfPod(cgroup, podUID) && has(p), err
	}
}

func cgroupOf(p process) (string, error) {
	text, err := os.ReadFile(p.path("cgroup"))
	return string(text), err
}

// isOfPod says whether a process's cgroup belongs to the pod. systemd's slice names have no hyphens.
func isOfPod(cgroup, podUID string) bool {
	return podUID != "" && (strings.Contains(cgroup, "pod"+podUID) ||
		strings.Contains(cgroup, "pod"+strings.ReplaceAll(podUID, "-", "_")))
}

// hasMount says whether a process has something mounted at a path.
func hasMount(p process, path string) bool {
	file, err := os.Open(p.path("mountinfo"))
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // only read from
	mounts, err := mountinfo.Parse(file)
	return err == nil && slices.ContainsFunc(mounts, func(m mountinfo.Mount) bool { return m.Point == path })
}
