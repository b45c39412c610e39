// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Images are the images that containers of this process's own pod hold. It can be used by several goroutines.
type Images struct {
	holder, dir string

	mu       sync.Mutex
	attached map[int]string
}

// NewImages finds images by the program that their holders run, a file that only containers of this pod have, and makes their files appear below a directory of this process's own mount namespace.
func NewImages(holder, dir string) *Images {
	return &Images{holder: holder, dir: dir, attached: map[int]string{}}
}

// NoHolderError says that no process holds an image.
type NoHolderError struct{ Number int }

func (e *NoHolderError) Error() string {
	return fmt.Sprintf("no process on this node holds image %d: does the runner see the host's processes, and does its pod's container image-%d run?", e.Number, e.Number)
}

// Attach makes the files of the image of a number appear, read-only, and returns where: the image's root. Once they are there, they stay, whatever becomes of the holder. It needs Linux 5.2.
func (i *Images) Attach(number int) (root string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if root := i.attached[number]; root != "" {
		return root, nil
	}
	pid, err := i.find(number)
	if err != nil {
		return "", err
	}
	root = filepath.Join(i.dir, strconv.Itoa(number))
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("make a place for image %d: %w", number, err)
	}
	if err := attach(pid, "/", root, readOnly); err != nil {
		return "", err
	}
	i.attached[number] = root
	return root, nil
}

// find is the process that holds the image: it runs the very file that is the holder, which nobody else on the node has, and has the number as its argument.
func (i *Images) find(number int) (int, error) {
	var want unix.Stat_t
	if err := unix.Stat(i.holder, &want); err != nil {
		return 0, fmt.Errorf("look for the holders of images: %s: %w", i.holder, err)
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, fmt.Errorf("look for the holders of images: %w", err)
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		var exe unix.Stat_t
		if err := unix.Stat(filepath.Join(procOf(pid), "exe"), &exe); err != nil || exe.Dev != want.Dev || exe.Ino != want.Ino {
			continue // also a process that has ended, and the kernel's own
		}
		text, err := os.ReadFile(filepath.Join(procOf(pid), "cmdline"))
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("look for the holders of images: %w", err)
		}
		words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		if words[len(words)-1] == strconv.Itoa(number) {
			return pid, nil
		}
	}
	return 0, &NoHolderError{Number: number}
}
