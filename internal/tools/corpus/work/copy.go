// SPDX-License-Identifier: Apache-2.0

package work

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/tools/corpus"
)

// lostAndFound is a directory in the root of ext4 and others. It belongs to the filesystem, and is not readable.
const lostAndFound = "lost+found"

// Copy is a directory that is copied: its regular files and symbolic links, in their directories. Other entries are
// left out, and so is lost+found in the root.
type Copy struct {
	// Source is the root of the source's files; Path, which begins with /, is the directory below it. No symbolic link is
	// followed out of the root.
	Source, Path string
	// LimitBytes is the most that the files may hold.
	LimitBytes int64
}

// copied is the list of what is to be copied.
type copied struct {
	root *os.Root
	// prefix is the directory that is copied, below the root.
	prefix string
	files  []file
	links  []link
	bytes  int64
	sum    hash.Hash
}

type link struct{ name, to string }

// list finds all files before any is copied, so that nothing is copied if they are too large or too many.
func (c Copy) list(directory string) (*copied, error) {
	root, err := os.OpenRoot(c.Source)
	if err != nil {
		return nil, fmt.Errorf("open the source: %w", err)
	}
	found := &copied{root: root, prefix: filepath.Join(".", c.Path), sum: sha256.New()}
	listed := 0
	err = fs.WalkDir(root.FS(), found.prefix, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == lostAndFound && entry.IsDir() {
			return fs.SkipDir
		}
		if listed += len(path) + int(unsafe.Sizeof(file{})); listed > corpus.ListBytes/4 {
			return errors.New("there are too many files")
		}
		return found.add(path, found.name(path), directory, entry, c.LimitBytes)
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("list the files of %s: %w", c.Path, err), root.Close())
	}
	if len(found.files) == 0 {
		return nil, errors.Join(fmt.Errorf("there are no files in %s", c.Path), root.Close())
	}
	return found, nil
}

// name is the path of an entry relative to the directory that is copied; . for the directory itself.
func (c *copied) name(path string) string {
	if c.prefix == "." {
		return path
	}
	if path == c.prefix {
		return "."
	}
	return strings.TrimPrefix(path, c.prefix+"/")
}

// add adds an entry if it is a regular file or a symbolic link.
func (c *copied) add(path, name, directory string, entry fs.DirEntry, limit int64) error {
	switch {
	case name == "." && !entry.IsDir():
		return errors.New("it is not a directory")
	case entry.Type().IsRegular():
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if c.bytes += info.Size(); c.bytes > limit {
			return fmt.Errorf("they hold more than %d bytes, their size in the workload", limit)
		}
		c.files = append(c.files, file{path: filepath.Join(directory, name), from: path, bytes: info.Size()})
	case entry.Type() == fs.ModeSymlink:
		to, err := c.root.Readlink(path)
		if err != nil {
			return err
		}
		c.links = append(c.links, link{name, to})
	}
	return nil
}

func (c *copied) all() iter.Seq[file] {
	return func(yield func(file) bool) {
		for _, f := range c.files {
			if !yield(f) {
				return
			}
		}
	}
}

func (c *copied) total() int64 { return c.bytes }

// fill reads a file. It fails if the file has become shorter, or is no longer a regular file: reading a pipe, for
// example, might never end.
func (c *copied) fill(f file, room func(int64) ([]byte, bool), filled func([]byte) bool) error {
	from, err := c.root.OpenFile(f.from, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read from
	if info, err := from.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(fmt.Errorf("%s is no longer a regular file", f.from), err)
	}
	content := sha256.New()
	for left := f.bytes; left > 0; {
		block, wanted := room(left)
		if !wanted {
			return nil
		}
		if _, err := io.ReadFull(from, block); err != nil {
			return fmt.Errorf("read %s: %w", f.from, err)
		}
		_, _ = content.Write(block) // never fails
		left -= int64(len(block))
		if !filled(block) {
			return nil
		}
	}
	c.hash("file", c.name(f.from), hex.EncodeToString(content.Sum(nil)))
	return nil
}

// hash adds an entry to the digest. Quoting makes sure that different lists of entries never give the same text.
func (c *copied) hash(kind, name, content string) {
	_, _ = fmt.Fprintf(c.sum, "%s %q %q\n", kind, name, content) // never fails
}

// stored makes the symbolic links, and describes the copied data.
func (c *copied) stored(directory string) (*result.Data, error) {
	for _, l := range c.links {
		path := filepath.Join(directory, l.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.Symlink(l.to, path); err != nil {
			return nil, err
		}
		c.hash("link", l.name, l.to)
	}
	data := &result.Data{Files: int64(len(c.files)), Bytes: c.bytes, Digest: "sha256:" +
		hex.EncodeToString(c.sum.Sum(nil))}
	return data, c.root.Close()
}
