// SPDX-License-Identifier: Apache-2.0

// Package podvolume finds on the node what a pod has mounted, or the files of the image of one of its containers, and makes the same mount appear where this process can use it: not another mount of what is below it, but the one that the pod has.
package podvolume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/mountinfo"
	"zfsbench.io/operator/internal/sandbox"
)

// Node is the node that this process runs on, in the host's process namespace.
type Node struct{}

// NoPodError says that no process of a pod has the volume.
type NoPodError struct{ PodUID, Inside string }

func (e *NoPodError) Error() string {
	return fmt.Sprintf("no process of pod %s on this node has %s: does the runner see the host's processes?", e.PodUID, e.Inside)
}

// Attach makes what a pod has mounted at inside appear at dir, in this process's own mount namespace, closed to programs, devices and set-user-ID files, and gives its root to the tools' user. It needs Linux 5.2.
func (Node) Attach(podUID, inside, dir string) error {
	pid, err := findProcess(podUID, func(pid int) bool { return hasMount(pid, inside) })
	if err != nil {
		return err
	}
	if pid == 0 {
		return &NoPodError{PodUID: podUID, Inside: inside}
	}
	if err := attach(pid, inside, dir, closed); err != nil {
		return err
	}
	if err := os.Chown(dir, sandbox.User, sandbox.User); err != nil {
		return errors.Join(fmt.Errorf("give the volume of pod %s to the tools' user: %w", podUID, err), unix.Unmount(dir, unix.MNT_DETACH))
	}
	return nil
}

// Device is the block device that a pod has at inside, as this process can open it.
func (Node) Device(podUID, inside string) (string, error) {
	var found unix.Stat_t
	pid, err := findProcess(podUID, func(pid int) bool {
		var stat unix.Stat_t
		if err := unix.Stat(filepath.Join(procOf(pid), "root", inside), &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFBLK {
			return false
		}
		found = stat
		return true
	})
	if err != nil {
		return "", err
	}
	if pid == 0 {
		return "", &NoPodError{PodUID: podUID, Inside: inside}
	}
	link := fmt.Sprintf("/dev/block/%d:%d", unix.Major(found.Rdev), unix.Minor(found.Rdev))
	device, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", fmt.Errorf("find the device of pod %s: %w", podUID, err)
	}
	return device, nil
}

func procOf(pid int) string { return filepath.Join("/proc", strconv.Itoa(pid)) }

// findProcess is a process of a pod that has what is looked for, or 0. Processes come and go meanwhile.
func findProcess(podUID string, has func(pid int) bool) (int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, fmt.Errorf("look for the processes of pod %s: %w", podUID, err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(procOf(pid), "cgroup"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("look for the processes of pod %s: %w", podUID, err)
		}
		if isOfPod(string(text), podUID) && has(pid) {
			return pid, nil
		}
	}
	return 0, nil
}

// isOfPod says whether a process's cgroup is one of the pod's. systemd's names of slices have no hyphens.
func isOfPod(cgroup, podUID string) bool {
	return podUID != "" && (strings.Contains(cgroup, "pod"+podUID) || strings.Contains(cgroup, "pod"+strings.ReplaceAll(podUID, "-", "_")))
}

// hasMount says whether a process has something mounted at a path.
func hasMount(pid int, path string) bool {
	file, err := os.Open(filepath.Join(procOf(pid), "mountinfo"))
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // only read from
	mounts, err := mountinfo.Parse(file)
	return err == nil && slices.ContainsFunc(mounts, func(m mountinfo.Mount) bool { return m.Point == path })
}
