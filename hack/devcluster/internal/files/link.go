// Package files has what the standard library lacks for files.
package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// LinkOrCopy gives the file source, or what it links to, a second name or, across filesystems, copies it with its
// mode. The target must not exist.
func LinkOrCopy(source, target string) error {
	resolved, err := filepath.EvalSymlinks(source)
	if err != nil {
		return fmt.Errorf("link %s: %w", source, err)
	}
	err = os.Link(resolved, target)
	if errors.Is(err, unix.EXDEV) {
		err = copyFile(resolved, target)
	}
	if err != nil {
		return fmt.Errorf("link %s to %s: %w", source, target, err)
	}
	return nil
}

func copyFile(source, target string) (err error) {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
