// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/text/lines"
)

// ImportScan says where to look for pools that are not imported.
type ImportScan struct {
	// Dirs are directories or devices; none means everywhere OpenZFS looks by default.
	Dirs []string
	// Destroyed looks for destroyed pools instead of exported ones (-D).
	Destroyed bool
}

// ImportablePool is a pool on the host's devices that is not imported.
type ImportablePool struct {
	Name, GUID string
	// State is ONLINE, DEGRADED, UNAVAIL ...
	State     string
	Destroyed bool
	Comment   string
	// Paths are all absolute paths that OpenZFS printed for the pool, with links resolved where possible.
	Paths []string
}

// Importable returns the pools that could be imported. It reads labels and changes nothing.
func (c *Client) Importable(ctx context.Context, scan ImportScan) ([]ImportablePool, error) {
	argv := []string{"zpool", "import"}
	if scan.Destroyed {
		argv = append(argv, "-D")
	}
	for _, dir := range scan.Dirs {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("list importable pools: %w", &NameError{Name: dir, Kind: "device"})
		}
		argv = append(argv, "-d", dir)
	}
	// The listing has no -P and -L; these two variables have had the same effect since 0.7.
	env := []string{"ZPOOL_VDEV_NAME_PATH=1", "ZPOOL_VDEV_NAME_FOLLOW_LINKS=1"}
	result, err := c.runner.Run(ctx, hostexec.Cmd{Args: argv, Env: env})
	if err != nil {
		return nil, fmt.Errorf("list importable pools: %w", err)
	}
	return ParseImportable(strings.NewReader(string(result.Stdout)))
}

// ParseImportable reads the listing of `zpool import` and `zpool import -D`. It has no scripted form: keys end with a
// colon, and everything from "config:" to the next "pool:" is indented by a tab.
func ParseImportable(r io.Reader) ([]ImportablePool, error) {
	var pools []ImportablePool
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, fmt.Errorf("read zpool import: %w", err)
		}
		if key, value, found := strings.Cut(strings.TrimSpace(line), ": "); found && key == "pool" &&
			!strings.HasPrefix(line, "\t") {
			pools = append(pools, ImportablePool{Name: value})
			continue
		}
		if len(pools) == 0 {
			if strings.TrimSpace(line) != "" {
				return nil, &ParseError{What: "zpool import", Line: line}
			}
			continue
		}
		pools[len(pools)-1].read(line)
	}
	for _, pool := range pools {
		if !isGUID(pool.GUID) || pool.State == "" {
			return nil, &ParseError{What: "zpool import", Line: "pool: " + pool.Name + " without id or state"}
		}
	}
	return pools, nil
}

// read parses a line about the pool.
func (p *ImportablePool) read(line string) {
	p.Paths = append(p.Paths, absolutePaths(line)...)
	key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
	if strings.HasPrefix(line, "\t") {
		return
	}
	switch key {
	case "id":
		p.GUID = value
	case "state":
		p.State, p.Destroyed = strings.CutSuffix(value, " (DESTROYED)")
	case "comment":
		p.Comment = value
	}
}

// absolutePaths returns the words of a line that are absolute paths.
func absolutePaths(line string) []string {
	var paths []string
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "/") {
			paths = append(paths, word)
		}
	}
	return paths
}
