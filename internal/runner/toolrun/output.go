// SPDX-License-Identifier: Apache-2.0

package toolrun

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools"
)

// emptyOutput makes an empty output directory for the tool, with its input if it has any.
func (t Runner) emptyOutput(input string) error {
	dir := t.Workspace.Output()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty the output directory: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("make the output directory: %w", err)
	}
	if input != "" {
		if err := os.WriteFile(filepath.Join(dir, tools.InputName), []byte(input), 0o644); err != nil {
			return fmt.Errorf("write the tool's input: %w", err)
		}
	}
	if err := os.Chown(dir, sandbox.User, sandbox.User); err != nil {
		return fmt.Errorf("give the output directory to the tools' user: %w", err)
	}
	return nil
}

// openReport opens the tool's report, or returns fs.ErrNotExist. The tool could write anything to the directory, so
// only a regular file is opened, and no link is followed.
func (t Runner) openReport(name string) (io.ReadCloser, error) {
	f, err := os.OpenFile(filepath.Join(t.Workspace.Output(), name), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open the tool's report: %w", err)
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("the tool's report is not a regular file"), err, f.Close())
	}
	return f, nil
}

// tailWriter keeps the end of what is written to it.
type tailWriter struct{ kept []byte }

func (t *tailWriter) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*tailBytes {
		t.kept = append([]byte{}, t.kept[len(t.kept)-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tailWriter) String() string { return string(t.kept) }

// headWriter keeps the beginning of what is written to it.
type headWriter struct{ kept []byte }

func (h *headWriter) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), printedBytes-len(h.kept))]...)
	return len(p), nil
}

func (h *headWriter) String() string { return string(h.kept) }

// tailOf is the end of a text, without white space around it.
func tailOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > tailBytes {
		text = strings.ToValidUTF8(text[len(text)-tailBytes:], "")
	}
	return text
}
