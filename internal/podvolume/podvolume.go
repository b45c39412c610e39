// SPDX-License-Identifier: Apache-2.0

// Package podvolume finds on the node what a pod has mounted, or the files of the image of one of its containers, and makes the same mount appear where this process can use it: not another mount of what is below it, but the one that the pod has.
package podvolume

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	p, err := findProcess(ofPod(podUID, func(p process) bool { return hasMount(p, inside) }))
	if err != nil {
		return fmt.Errorf("pod %s: %w", podUID, err)
	}
	if p == nil {
		return &NoPodError{PodUID: podUID, Inside: inside}
	}
	defer func() { _ = p.Close() }() // nothing is written to it
	if err := attach(*p, inside, dir, closed); err != nil {
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
	p, err := findProcess(ofPod(podUID, func(p process) bool {
		var stat unix.Stat_t
		if err := unix.Stat(filepath.Join(p.path("root"), inside), &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFBLK {
			return false
		}
		found = stat
		return true
	}))
	if err != nil {
		return "", fmt.Errorf("pod %s: %w", podUID, err)
	}
	if p == nil {
		return "", &NoPodError{PodUID: podUID, Inside: inside}
	}
	_ = p.Close() // nothing is written to it
	link := fmt.Sprintf("/dev/block/%d:%d", unix.Major(found.Rdev), unix.Minor(found.Rdev))
	device, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", fmt.Errorf("find the device of pod %s: %w", podUID, err)
	}
	return device, nil
}

// ofPod says whether a process is one of a pod that has what is looked for.
func ofPod(podUID string, has func(process) bool) func(process) (bool, error) {
	return func(p process) (bool, error) {
		text, err := os.ReadFile(p.path("cgroup"))
		return err == nil && isOfPod(string(text), podUID) && has(p), err
	}
}

// isOfPod says whether a process's cgroup is one of the pod's. systemd's names of slices have no hyphens.
func isOfPod(cgroup, podUID string) bool {
	return podUID != "" && (strings.Contains(cgroup, "pod"+podUID) || strings.Contains(cgroup, "pod"+strings.ReplaceAll(podUID, "-", "_")))
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
