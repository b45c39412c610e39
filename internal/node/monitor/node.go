// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Kernel reads what the kernel shows in procfs and sysfs. The zero value reads this machine's; set the fields to read a
// copy.
type Kernel struct {
	// Proc and Sys are the mount points of procfs and sysfs. Default: /proc and /sys.
	Proc, Sys string
	// HostRoot is the host's root directory as this process can reach it. Default: /proc/1/root, which in a container
	// needs hostPID.
	HostRoot string
}

func (n Kernel) proc(elements ...string) string { return join(n.Proc, "/proc", elements) }

func (n Kernel) sys(elements ...string) string { return join(n.Sys, "/sys", elements) }

func (n Kernel) host(elements ...string) string { return join(n.HostRoot, "/proc/1/root", elements) }

func join(root, byDefault string, elements []string) string {
	if root == "" {
		root = byDefault
	}
	return filepath.Join(append([]string{root}, elements...)...)
}

// parser reads a file of the kernel.
type parser[T any] = func(io.Reader) (T, error)

// parseFile opens a file for a parser; its error names the file.
func parseFile[T any](path string, parse parser[T]) (T, error) {
	var none T
	f, err := os.Open(path)
	if err != nil {
		return none, fmt.Errorf("monitor: %w", err)
	}
	defer func() { _ = f.Close() }()
	v, err := parse(f)
	if err != nil {
		return none, fmt.Errorf("monitor: read %s: %w", path, err)
	}
	return v, nil
}
