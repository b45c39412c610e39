// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// PageCacheBytes is the most that the page cache can hold of the data that this process and its children read and
// write: the node's memory, or less if a cgroup has a limit. The page cache counts towards that limit; the ARC does
// not.
func (n Kernel) PageCacheBytes() (int64, error) {
	least, err := parseFile(n.proc("meminfo"), parseMemTotal)
	if err != nil {
		return 0, err
	}
	group, err := parseFile(n.proc("self", "cgroup"), parseCgroup)
	if err != nil {
		return 0, err
	}
	// The root of a container's own hierarchy may have a limit too.
	for group != "" {
		limit, err := n.memoryLimit(group)
		if err != nil {
			return 0, err
		}
		least = min(least, limit)
		if group == "/" {
			break
		}
		group = path.Dir(group)
	}
	return least, nil
}

// memoryLimit is a cgroup's own limit, in bytes.
func (n Kernel) memoryLimit(group string) (int64, error) {
	limit, err := n.line(n.sys("fs", "cgroup", group, "memory.max"))
	if errors.Is(err, fs.ErrNotExist) || limit == "max" {
		return math.MaxInt64, nil // a cgroup without the memory controller, or without a limit
	}
	if err != nil {
		return 0, err
	}
	bytes, err := strconv.ParseInt(limit, 10, 64)
	if err != nil || bytes < 0 {
		return 0, fmt.Errorf("monitor: memory.max of cgroup %s is %q", group, limit)
	}
	return bytes, nil
}

// parseCgroup finds the path of a process in the unified hierarchy, see cgroups(7). It is empty if there is none; then
// this build knows of no limit.
func parseCgroup(r io.Reader) (string, error) {
	for line, err := range lines.All(r) {
		if err != nil {
			return "", err
		}
		if group, found := strings.CutPrefix(line, "0::"); found {
			// For a process outside of the namespace, the path begins with "/..".
			return path.Clean("/" + group), nil
		}
	}
	return "", nil
}
