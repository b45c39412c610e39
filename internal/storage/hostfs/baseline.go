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
	// proc is /proc and sys is /sys; tests use other directories.
	proc, sys string
}

// New returns this machine. The tools run with host; mounts are visible only to this process.
func New(host hostexec.Runner) Host { return Host{host: host, proc: "/proc", sys: "/sys"} }

func (n Host) path(elements ...string) string {
	return filepath.Join(append([]string{n.proc}, elements...)...)
}

// LackError says what the node lacks.
type LackError struct {
	Lacks string
	// Err is the error that showed the lack; nil if it adds nothing.
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

// wrap adds the operation to an error.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
