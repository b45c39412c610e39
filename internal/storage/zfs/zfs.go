// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/text/lines"
)

// Client runs the commands of one host.
type Client struct {
	runner hostexec.Runner
	// root is put before /proc, /sys and /dev.
	root string
}

// New returns a client for the host that the runner runs on.
func New(runner hostexec.Runner) *Client { return &Client{runner: runner, root: "/"} }

// WithRoot returns a client that reads /proc, /sys and /dev below a directory: a captured tree in tests.
func (c *Client) WithRoot(dir string) *Client { return &Client{runner: c.runner, root: dir} }

// run runs one command and returns its standard output.
func (c *Client) run(ctx context.Context, args ...string) ([]byte, error) {
	result, err := c.runner.Run(ctx, hostexec.Cmd{Args: args})
	return result.Stdout, err
}

// maxFileBytes limits the size of a file of /proc or /sys that holds one value.
const maxFileBytes = 4096

// readFile reads a file of /proc or /sys that holds one value.
func (c *Client) readFile(path string) (_ []byte, err error) {
	file, err := os.Open(filepath.Join(c.root, path))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err == nil && len(content) > maxFileBytes {
		return nil, fmt.Errorf("%s: %w", path, &lines.LimitError{What: "text", LimitBytes: maxFileBytes})
	}
	return content, err
}

// poolName is what this package accepts as the name of a pool: fewer names than OpenZFS, and none that could be taken
// for an option.
func poolName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,127}$`) }

// datasetName is a pool's name followed by components.
func datasetName() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,127}(/[A-Za-z0-9][A-Za-z0-9_.-]*)*$`)
}

func checkPoolName(name string) error {
	if !poolName().MatchString(name) {
		return &NameError{Name: name, Kind: "pool"}
	}
	return nil
}

func checkDatasetName(name string) error {
	if !datasetName().MatchString(name) {
		return &NameError{Name: name, Kind: "dataset"}
	}
	return nil
}
