// SPDX-License-Identifier: Apache-2.0

package hostfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/text/lines"
)

// Find returns the version of the tool that makes a filesystem. A *LackError names what the node lacks: the tool, or
// kernel support, built in or as a module. It changes nothing; the kernel loads the module with the first mount.
func (n Host) Find(ctx context.Context, f filesystem.Filesystem) (version string, err error) {
	version, errTool := n.version(ctx, f.Version)
	return version, errors.Join(errTool, n.kernelHas(ctx, string(f.Type)))
}

// version runs the command that prints the version of a tool.
func (n Host) version(ctx context.Context, argv []string) (string, error) {
	result, err := n.host.Run(ctx, hostexec.Cmd{Args: argv})
	// A program that fails exists.
	var exit *hostexec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Err != nil) {
		return "", &LackError{Lacks: argv[0], Err: err}
	}
	return parseVersion(string(result.Stdout) + "\n" + string(result.Stderr)), nil
}

var versionPattern = regexp.MustCompile(`\bv?([0-9]+\.[0-9][0-9A-Za-z.+~-]*)`)

// parseVersion finds the version in what a tool prints, like "mke2fs 1.47.2 (1-Jan-2025)" and "mkfs.btrfs, part of
// btrfs-progs v6.14".
func parseVersion(output string) string {
	if found := versionPattern.FindStringSubmatch(output); found != nil {
		return found[1]
	}
	return "present"
}

// kernelHas requires that the kernel knows the filesystem, or that modprobe finds a module for it.
func (n Host) kernelHas(ctx context.Context, kind string) error {
	known, err := n.filesystems()
	if err != nil {
		return err
	}
	if known[kind] {
		return nil
	}
	return n.hasModule(ctx, "fs-"+kind, kind)
}

// hasModule asks modprobe for a module by its alias, without loading anything. The error contains what.
func (n Host) hasModule(ctx context.Context, alias, what string) error {
	_, err := n.host.Run(ctx, hostexec.Cmd{Args: []string{"modprobe", "--dry-run", "--quiet", alias}})
	var exit *hostexec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.Err == nil:
		return &LackError{Lacks: what + " in its kernel, nor a module with it"}
	default:
		return &LackError{Lacks: what + " in its kernel, and cannot say whether there is a module", Err: err}
	}
}

// filesystems are the filesystems that the kernel knows now.
func (n Host) filesystems() (map[string]bool, error) {
	file, err := os.Open(n.path("filesystems"))
	if err != nil {
		return nil, wrap("read the kernel's filesystems", err)
	}
	known, err := parseFilesystems(file)
	return known, wrap("read the kernel's filesystems", errors.Join(err, file.Close()))
}

// parseFilesystems reads /proc/filesystems: one name in each line, after "nodev" for filesystems without a block
// device.
func parseFilesystems(r io.Reader) (map[string]bool, error) {
	known := map[string]bool{}
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, err
		}
		words := strings.Fields(line)
		if len(words) == 0 || len(words) > 2 {
			return nil, fmt.Errorf("unexpected line %q", line)
		}
		known[words[len(words)-1]] = true
	}
	return known, nil
}
