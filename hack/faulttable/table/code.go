// SPDX-License-Identifier: Apache-2.0

package table

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"
)

// Code is what a case ran against.
type Code struct {
	Commit string `json:"commit"`
	// Digest is the same for all commits that have the same runner, storage, node and controllers, and the same of all
	// that is below them. It is empty if files of those were changed and not committed: such a row counts for nothing
	// later.
	Digest string `json:"digest"`
}

// sources are the paths, from the top of the repository, that manager and runner are built from. Their tests are not.
func sources() []string { return []string{"api", "cmd", "controllers", "internal", "go.mod"} }

// CodeOf is the code of the repository that a directory is in.
func CodeOf(ctx context.Context, directory string) (Code, error) {
	commit, err := git(ctx, directory, "rev-parse", "HEAD")
	if err != nil {
		return Code{}, err
	}
	code := Code{Commit: strings.TrimSpace(commit)}
	// Both lists end each name with a NUL and do not quote it.
	status := []string{"status", "--porcelain", "--untracked-files=all", "--no-renames", "-z", "--"}
	for _, source := range sources() {
		status = append(status, ":(top)"+source)
	}
	changed, err := git(ctx, directory, status...)
	if err != nil {
		return Code{}, err
	}
	for entry := range strings.SplitSeq(changed, "\x00") {
		if len(entry) > len("XY ") && isSource(entry[len("XY "):]) {
			return code, nil
		}
	}
	tree, err := git(ctx, directory, append([]string{"ls-tree", "-r", "-z", "--full-tree", "HEAD"}, sources()...)...)
	if err != nil {
		return Code{}, err
	}
	code.Digest, err = digestOf(tree)
	return code, err
}

// digestOf is the digest of what `git ls-tree -r -z` lists, but for the tests.
func digestOf(tree string) (string, error) {
	sum, found := sha256.New(), false
	for entry := range strings.SplitSeq(tree, "\x00") {
		_, name, isEntry := strings.Cut(entry, "\t")
		if isEntry && isSource(name) {
			found = true
			fmt.Fprintf(sum, "%s\x00", entry)
		}
	}
	if !found {
		return "", errors.New("git lists no source of manager and runner")
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// isSource says whether manager or runner are built from a file.
func isSource(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && !strings.Contains("/"+path.Dir(name)+"/", "/testdata/")
}

func git(ctx context.Context, directory string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", directory}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
