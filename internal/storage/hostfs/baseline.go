// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"fmt"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
)

// Host is the machine that this process runs on: its tools, filesystems and mounts.
type Host struct {
	host hostexec.Runner
	// proc is /proc and sys /sys; tests have their own.
	proc, sys string
}

// New returns this machine. The tools run with host; what is mounted is for this process alone.
func New(host hostexec.Runner) Host { return Host{host: host, proc: "/proc", sys: "/sys"} }

func (n Host) path(elements ...string) string {
	return filepath.Join(append([]string{n.proc}, elements...)...)
}

// LackError says what the node does not have.
type LackError struct {
	Lacks string
	// Err is the error that showed it; nil if there is nothing to add.
	Err error
}

func (e *LackError) Error() string {
	text := "the node has no " + e.Lacks
	if e.Err != nil {
		text += ": " + strings.TrimSpace(e.Err.Error())
	}
	return text
}

func (e *LackError) Unwrap() error { return e.Err }

// wrap names the operation.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
