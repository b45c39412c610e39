// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/lines"
)

// ringLink is what the link of an io_uring's descriptor says.
const ringLink = "anon_inode:[io_uring]"

// errRingBusy is an io_uring whose files the kernel does not list at the moment.
var errRingBusy = errors.New("the kernel does not say which files the io_uring of a process holds")

// addRegistered adds the files that an io_uring holds, which need no descriptor: the kernel tells nothing but their
// names.
func (n node) addRegistered(found *opened, table, descriptor string) (err error) {
	file, err := os.Open(n.path(table, "fdinfo", descriptor))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	names, err := parseRing(file)
	if errors.Is(err, errRingBusy) {
		found.secretive, err = true, nil
	}
	for _, name := range names {
		found.registered[name] = true
	}
	return err
}

// parseRing reads the names of registered files from the fdinfo of an io_uring (io_uring/fdinfo.c): without
// directories, which only some kernels write. An entry that is free is <none>. While the ring is busy the kernel
// leaves the list out.
func parseRing(r io.Reader) ([]string, error) {
	var names []string
	left, known := uint64(0), false
	for line, err := range lines.Raw(r) {
		if err != nil {
			return nil, fmt.Errorf("io_uring: %w", err)
		}
		if count, is := strings.CutPrefix(line, "UserFiles:"); is && !known {
			if left, err = strconv.ParseUint(strings.TrimSpace(count), 10, 32); err != nil {
				return nil, fmt.Errorf("io_uring: unexpected line %q", line)
			}
			known = true
			continue
		}
		if !known || left == 0 {
			continue
		}
		index, name, is := strings.Cut(strings.TrimSpace(line), ": ")
		if _, err := strconv.ParseUint(index, 10, 32); !is || err != nil {
			return nil, errRingBusy
		}
		names = append(names, filepath.Base(name))
		left--
	}
	if !known || left > 0 {
		return nil, errRingBusy
	}
	return names, nil
}
