// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/text/lines"
)

// Versions returns the versions of OpenZFS's userland and of the loaded kernel module, for example 2.3.9-1 each.
// Without a module the error is ErrModuleNotLoaded, and the userland's version is still returned.
func (c *Client) Versions(ctx context.Context) (userland, module string, err error) {
	out, err := c.run(ctx, "zfs", "version")
	// Without a module the command prints its own version and then fails.
	var exit *hostexec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", "", fmt.Errorf("versions of OpenZFS: %w", err)
	}
	userland, err = ParseVersion(strings.NewReader(string(out)))
	if err != nil {
		return "", "", fmt.Errorf("versions of OpenZFS: %w", err)
	}
	loaded, err := c.readFile("/sys/module/zfs/version")
	if errors.Is(err, fs.ErrNotExist) {
		return userland, "", ErrModuleNotLoaded
	}
	if err != nil {
		return userland, "", fmt.Errorf("versions of OpenZFS: %w", err)
	}
	return userland, strings.TrimSpace(string(loaded)), nil
}

// ParseVersion returns the userland's version from `zfs version`, whose lines are zfs-VERSION and zfs-kmod-VERSION.
func ParseVersion(r io.Reader) (string, error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return "", fmt.Errorf("read zfs version: %w", err)
		}
		version, found := strings.CutPrefix(line, "zfs-")
		if found && version != "" && !strings.HasPrefix(version, "kmod-") {
			return version, nil
		}
	}
	return "", &ParseError{What: "zfs version", Line: ""}
}
