// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"errors"
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	"github.com/landlock-lsm/go-landlock/landlock/syscall"
)

const (
	readable = syscall.AccessFSExecute | syscall.AccessFSReadFile | syscall.AccessFSReadDir
	// fileWritable is the access that a tool needs to a file or device that it measures.
	fileWritable = syscall.AccessFSReadFile | syscall.AccessFSWriteFile | syscall.AccessFSTruncate |
		syscall.AccessFSIoctlDev
	// treeWritable is the access that it needs in a directory: everything except making device nodes and executing
	// files.
	treeWritable = fileWritable | syscall.AccessFSReadDir | syscall.AccessFSRemoveDir | syscall.AccessFSRemoveFile |
		syscall.AccessFSMakeDir | syscall.AccessFSMakeReg | syscall.AccessFSMakeSock | syscall.AccessFSMakeFifo |
		syscall.AccessFSMakeSym | syscall.AccessFSRefer
	deviceNodes = syscall.AccessFSMakeChar | syscall.AccessFSMakeBlock
)

// restrictPaths uses the kernel's Landlock to refuse the tool every write outside of what it measures, and every signal
// and abstract socket outside of the sandbox. The root that buildRoot made shows nothing else anyway; Landlock is a
// second barrier in case the first one has a hole. A kernel without Landlock, or before 5.19, runs without it.
func restrictPaths() error {
	rules := []landlock.Rule{
		landlock.PathAccess(readable, "/"),
		// The runner's own program is not a file of this root.
		landlock.PathAccess(syscall.AccessFSExecute|syscall.AccessFSReadFile, ownProgram),
		landlock.PathAccess(fileWritable, "/dev"),
	}
	for _, dir := range []string{TargetDir, ChildrenDir, OutputDir, TemporaryDir} {
		if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return fmt.Errorf("look at %s: %w", dir, err)
		}
		rules = append(rules, landlock.PathAccess(treeWritable, dir))
	}
	// There is one ruleset for both: a second one without rules about files would forbid all renames between
	// directories.
	handled := landlock.MustConfig(landlock.AccessFSSet(readable|treeWritable|deviceNodes),
		landlock.ScopedSet(syscall.ScopeSignal|syscall.ScopeAbstractUnixSocket))
	if err := handled.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("restrict the tool to its files by Landlock: %w", err)
	}
	return nil
}
