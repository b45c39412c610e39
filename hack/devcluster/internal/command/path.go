package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// LookPath returns the program's path. Other than exec.LookPath it also looks where administration programs
// live, which the PATH of a login that became root may lack. A program that is not found is returned as it is, so that
// starting it fails with a telling error.
func LookPath(program string) string {
	if strings.Contains(program, "/") {
		return program
	}
	if found, err := exec.LookPath(program); err == nil {
		return found
	}
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		path := filepath.Join(dir, program)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return program
}

// searchPath is the PATH of the programs run here; scripts among them find others by it.
func searchPath() string { return os.Getenv("PATH") + ":/usr/sbin:/sbin" }
