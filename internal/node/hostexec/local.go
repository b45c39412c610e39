// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// reapMargin is how long a process may exist after SIGKILL before Run gives up on it.
const reapMargin = 2 * time.Second

// local runs commands in this process's own namespaces, behind an optional prefix.
type local struct {
	// prefix is put before every argument vector.
	prefix []string
	// path is where programs are looked up, both by this process and by the command itself.
	path []string
}

// Local runs commands in this process's own namespaces: in a container, the programs of the image.
func Local() Runner { return local{path: imagePath()} }

// imagePath is the path of a Debian image.
func imagePath() []string {
	return []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
}

// Run starts the command in a new process group and waits for it. When the context ends, the whole group gets SIGTERM
// and, after the grace period, SIGKILL.
func (r local) Run(ctx context.Context, cmd Cmd) (Result, error) {
	if len(cmd.Args) == 0 {
		return Result{}, &NotFoundError{Args: []string{""}, Err: errors.New("empty argument vector")}
	}
	argv := append(append([]string{}, r.prefix...), cmd.Args...)
	program, err := look(argv[0], r.path)
	if err != nil {
		return Result{}, &NotFoundError{Args: cmd.Args, Err: err}
	}
	if err := ctx.Err(); err != nil {
		return Result{}, &ExitError{Args: cmd.Args, Code: -1, Err: err}
	}
	p := &process{args: cmd.Args, grace: cmd.Grace}
	if p.grace == 0 {
		p.grace = DefaultGrace
	}
	p.cmd = exec.CommandContext(ctx, program, argv[1:]...)
	p.cmd.Env = environment(r.path, cmd.Env)
	p.cmd.Stdin = cmd.Stdin
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if cmd.Stdout != nil {
		p.cmd.Stdout = cmd.Stdout
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return p.run(ctx)
}

// environment is the whole environment of a command. With LC_ALL=C, messages are in English and numbers have decimal
// points.
func environment(path, extra []string) []string {
	joined := ""
	for i, dir := range path {
		if i > 0 {
			joined += ":"
		}
		joined += dir
	}
	return append([]string{"LC_ALL=C", "HOME=/", "PATH=" + joined}, extra...)
}

// look finds a program in the fixed path; exec's own search would use the caller's environment.
func look(name string, path []string) (string, error) {
	if filepath.IsAbs(name) {
		return exec.LookPath(name)
	}
	if filepath.Base(name) != name {
		return "", fmt.Errorf("%q is neither a name nor an absolute path", name)
	}
	for _, dir := range path {
		if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("%s: %w", name, exec.ErrNotFound)
}
