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
	"time"

	"zfsbench.io/operator/internal/node/mountinfo"
	"zfsbench.io/operator/internal/text/lines"
)

// A ring is busy only for moments.
const (
	ringTries = 20
	ringPause = 5 * time.Millisecond
)

// ringLink is the target of the link of an io_uring's descriptor.
const ringLink = "anon_inode:[io_uring]"

// errRingBusy says that the kernel does not list the files of an io_uring at the moment.
var errRingBusy = errors.New("the kernel does not say which files the io_uring of a process holds")

// deletedSuffix is at the end of the path of a removed file.
const deletedSuffix = " (deleted)"

// addRegistered adds the files that an io_uring holds. They need no descriptor. The kernel shows only their names, and
// only some kernels show whole paths.
func (n machine) addRegistered(found *opened, table, descriptor string) error {
	names, err := readRing(n.path(table, "fdinfo", descriptor))
	for tries := 1; errors.Is(err, errRingBusy) && tries < ringTries; tries++ {
		time.Sleep(ringPause) //nolint:forbidigo // nothing says when the kernel lets go of the lock of a ring
		names, err = readRing(n.path(table, "fdinfo", descriptor))
	}
	if errors.Is(err, errRingBusy) {
		found.hidden, err = true, nil
	}
	for _, name := range names {
		found.registered[filepath.Base(strings.TrimSuffix(name, deletedSuffix))] = true
		if strings.HasPrefix(name, "/") && !isMemory(name) {
			n.addRegisteredPath(found, table, name)
		}
	}
	return err
}

// isMemory says whether a path is the kernel's name for anonymous memory (memfd_create), which is in no directory.
func isMemory(path string) bool {
	name, isMemory := strings.CutPrefix(path, "/memfd:")
	return isMemory && strings.HasSuffix(path, deletedSuffix) && !strings.Contains(name, "/")
}

// addRegisteredPath adds the block device at a path, as the process sees it. A path that leads nowhere, because the
// file is removed or on a filesystem outside the process's view, may be any device.
func (n machine) addRegisteredPath(found *opened, table, path string) {
	number, err := n.NumberBelow(n.path(table, "root"), path)
	switch {
	case err == nil:
		found.block[number] = true
	case !errors.Is(err, errNotBlock):
		found.hidden = true
	}
}

func readRing(path string) (names []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return parseRing(file)
}

// parseRing reads the names of registered files from the fdinfo of an io_uring (io_uring/fdinfo.c): whole paths or only
// their last parts, depending on the kernel. A free entry is <none>; newer kernels omit it. While the ring is busy the
// kernel omits the whole list, so a list without any entry proves nothing.
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
		index, name, is := strings.Cut(strings.TrimSpace(line), ":")
		if _, err := strconv.ParseUint(index, 10, 32); !is || err != nil {
			break // the list is over
		}
		names = append(names, mountinfo.Unescape(strings.TrimSpace(name)))
		left--
	}
	if !known || left > 0 && len(names) == 0 {
		return nil, errRingBusy
	}
	return names, nil
}
