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
	// fileWritable is what a tool does with a file or a device that it measures.
	fileWritable = syscall.AccessFSReadFile | syscall.AccessFSWriteFile | syscall.AccessFSTruncate |
		syscall.AccessFSIoctlDev
	// treeWritable is what it does in a directory: everything but making device nodes and executing what it wrote.
	treeWritable = fileWritable | syscall.AccessFSReadDir | syscall.AccessFSRemoveDir | syscall.AccessFSRemoveFile |
		syscall.AccessFSMakeDir | syscall.AccessFSMakeReg | syscall.AccessFSMakeSock | syscall.AccessFSMakeFifo |
		syscall.AccessFSMakeSym | syscall.AccessFSRefer
	deviceNodes = syscall.AccessFSMakeChar | syscall.AccessFSMakeBlock
)

// restrictPaths has the kernel's Landlock refuse the tool every write outside of what it measures, and every signal and
// abstract socket outside of the sandbox. The root that buildRoot made shows nothing else anyway: this is the second
// lock, for the day on which the first has a hole. A kernel without Landlock, or older than 5.19, does without.
func restrictPaths() error {
	rules := []landlock.Rule{
		landlock.PathAccess(readable, "/"),
		// The runner's own program is no file of this root.
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
	// One ruleset for both: a second one that says nothing of files would forbid all renames between directories.
	handled := landlock.MustConfig(landlock.AccessFSSet(readable|treeWritable|deviceNodes),
		landlock.ScopedSet(syscall.ScopeSignal|syscall.ScopeAbstractUnixSocket))
	if err := handled.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("restrict the tool to its files by Landlock: %w", err)
	}
	return nil
}
