// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// tools runs helm and kubectl against the cluster and shows each command before its output.
type tools struct {
	helm, kubectl string // paths
	kubeconfig    string
	dir           string // where the commands run: the root of the checkout
	out           io.Writer
}

// runHelm runs helm; it changes the cluster.
func (t tools) runHelm(ctx context.Context, args ...string) error {
	return t.run(ctx, "helm", t.helm, "", args)
}

// runKubectl runs kubectl with stdin.
func (t tools) runKubectl(ctx context.Context, stdin string, args ...string) error {
	return t.run(ctx, "kubectl", t.kubectl, stdin, args)
}

func (t tools) run(ctx context.Context, name, path, stdin string, args []string) error {
	_, _ = fmt.Fprint(t.out, commandLine(name, stdin, args))
	command := exec.CommandContext(ctx, path, args...)
	command.Dir = t.dir
	command.Env = append(os.Environ(), "KUBECONFIG="+t.kubeconfig)
	command.Stdin = strings.NewReader(stdin)
	command.Stdout, command.Stderr = t.out, t.out
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

// commandLine renders a command as a person would type it into a shell.
func commandLine(name, stdin string, args []string) string {
	line := "\n$ " + name
	for _, arg := range args {
		if strings.ContainsAny(arg, ` {}\$'"*`) {
			arg = "'" + arg + "'"
		}
		line += " " + arg
	}
	if stdin != "" {
		line += " <<EOF\n" + strings.TrimSpace(stdin) + "\nEOF"
	}
	return line + "\n"
}
