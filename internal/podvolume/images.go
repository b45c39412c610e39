// SPDX-License-Identifier: Apache-2.0

package podvolume

import (
	"fmt"
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
	p, err := i.find(number)
	if err != nil {
		return "", err
	}
	defer func() { _ = p.Close() }() // nothing is written to it
	root = filepath.Join(i.dir, strconv.Itoa(number))
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", fmt.Errorf("make a place for image %d: %w", number, err)
	}
	if err := attach(*p, "/", root, readOnly); err != nil {
		return "", err
	}
	i.attached[number] = root
	return root, nil
}

// find is the process that holds the image: it runs the very file that is the holder, which nobody else on the node has, and has the number as its argument. The caller closes it.
func (i *Images) find(number int) (*process, error) {
	var want unix.Stat_t
	if err := unix.Stat(i.holder, &want); err != nil {
		return nil, fmt.Errorf("look for the holders of images: %s: %w", i.holder, err)
	}
	p, err := findProcess(func(p process) (bool, error) {
		if !p.runs(want) {
			return false, nil
		}
		text, err := os.ReadFile(p.path("cmdline"))
		words := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		return err == nil && words[len(words)-1] == strconv.Itoa(number), err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for the holders of images: %w", err)
	case p == nil:
		return nil, &NoHolderError{Number: number}
	}
	return p, nil
}
