// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Look returns the path of a program inside the sandbox.
func Look(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, executable(name)
	}
	if filepath.Base(name) != name {
		return "", fmt.Errorf("%q is neither a program's name nor an absolute path", name)
	}
	for _, dir := range strings.Split(strings.TrimPrefix(environment[0], "PATH="), ":") {
		if path := filepath.Join(dir, name); executable(path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: program not found", name)
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}
