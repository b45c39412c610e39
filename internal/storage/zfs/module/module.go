// SPDX-License-Identifier: Apache-2.0

package module

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// modules are the modules of OpenZFS, in the order in which a parameter is looked for.
var modules = []string{"zfs", "spl"}

// namePattern is the form of a parameter's name; the name becomes part of a path.
var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// Parameters are read and set in sysfs and procfs. The zero value is the current machine, also in a container: neither
// directory is specific to a namespace.
type Parameters struct {
	// Sys and Proc are the mount points of sysfs and procfs. Default: the host's sysfs, which in a container needs
	// hostPID, because the container's own is read-only; and /proc.
	Sys, Proc string
}

// UnknownError is returned for a parameter that neither module has.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("the OpenZFS modules on this node have no parameter %s", e.Name)
}

// Check returns nil if a parameter can be read and set. It opens the parameter for writing and writes nothing.
func (p Parameters) Check(name string) error {
	if _, err := p.Get(name); err != nil {
		return err
	}
	path, err := p.path(name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("module parameter %s cannot be set: %w", name, err)
	}
	return f.Close()
}

// Get returns the value of a parameter. The error may be an *UnknownError.
func (p Parameters) Get(name string) (string, error) {
	path, err := p.path(name)
	if err != nil {
		return "", err
	}
	value, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read module parameter %s: %w", name, err)
	}
	return chosen(strings.TrimSpace(string(value))), nil
}

// chosen is the word in brackets of a parameter that lists all possible values, such as zfs_fletcher_4_impl: "[fastest]
// scalar superscalar".
func chosen(value string) string {
	for _, word := range strings.Fields(value) {
		if strings.HasPrefix(word, "[") && strings.HasSuffix(word, "]") {
			return strings.Trim(word, "[]")
		}
	}
	return value
}

// Set sets a parameter and checks that the module shows the value afterwards, because the module clamps some values and
// ignores others without an error. A parameter that already has the value is not written.
func (p Parameters) Set(name, value string) error {
	if now, err := p.Get(name); err != nil || now == value {
		return err
	}
	path, err := p.path(name)
	if err != nil {
		return err
	}
	if err := write(path, value); err != nil {
		return fmt.Errorf("set module parameter %s to %s: %w", name, value, err)
	}
	now, err := p.Get(name)
	if err == nil && now != value {
		err = fmt.Errorf("set module parameter %s to %s: it is %s", name, value, now)
	}
	return err
}

// write never creates a file: in a copy of /sys, a missing parameter must stay missing.
func write(path, value string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// BootID identifies a boot of the node: after another boot all parameters are as the node's configuration sets them.
func (p Parameters) BootID() (string, error) {
	id, err := os.ReadFile(p.proc("sys", "kernel", "random", "boot_id"))
	if err != nil {
		return "", fmt.Errorf("find out which boot this is: %w", err)
	}
	return strings.TrimSpace(string(id)), nil
}

func (p Parameters) path(name string) (string, error) {
	if !namePattern.MatchString(name) {
		return "", fmt.Errorf("%q is not the name of a module parameter", name)
	}
	sys := p.Sys
	if sys == "" {
		sys = "/proc/1/root/sys"
	}
	for _, module := range modules {
		path := filepath.Join(sys, "module", module, "parameters", name)
		switch _, err := os.Stat(path); {
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("find module parameter %s: %w", name, err)
		}
	}
	return "", &UnknownError{Name: name}
}

func (p Parameters) proc(elements ...string) string {
	root := p.Proc
	if root == "" {
		root = "/proc"
	}
	return filepath.Join(append([]string{root}, elements...)...)
}
