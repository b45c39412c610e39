// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"zfsbench.io/operator/internal/text/lines"
)

// mapping is a line of /proc/PID/maps about a mapped file.
type mapping struct {
	// Name is the mapping's name in /proc/PID/map_files.
	Name string
	// File is the same for every mapping of a file: filesystem, inode and path.
	File string
}

// parseMaps reads /proc/PID/maps, and skips mappings without a file. A database may have a million mappings, so only
// the length of a line is limited.
func parseMaps(r io.Reader) ([]mapping, error) {
	var mappings []mapping
	for line, err := range lines.EndlessRaw(r) {
		if err != nil {
			return nil, fmt.Errorf("maps: %w", err)
		}
		fields := strings.Fields(line)
		if len(fields) < 5 {
			return nil, fmt.Errorf("maps: unexpected line %q", line)
		}
		from, to, found := strings.Cut(fields[0], "-")
		if !found {
			return nil, fmt.Errorf("maps: unexpected line %q", line)
		}
		if fields[4] == "0" {
			continue
		}
		mappings = append(mappings, mapping{withoutZeros(from) + "-" + withoutZeros(to), strings.Join(fields[3:], " ")})
	}
	return mappings, nil
}

// withoutZeros formats an address like the names in map_files.
func withoutZeros(address string) string {
	if short := strings.TrimLeft(address, "0"); short != "" {
		return short
	}
	return "0"
}

// addMapped adds the devices that a process has mapped: they stay open after their descriptor is closed. ordinary
// caches the files that are not devices, most of them libraries.
func (n machine) addMapped(found *opened, pid string, ordinary map[string]bool) error {
	mappings, err := n.readMaps(pid)
	if err != nil {
		return err
	}
	for _, m := range mappings {
		if ordinary[m.File] {
			continue
		}
		link := n.path("/proc", pid, "map_files", m.Name)
		if _, err := n.Number(link); errors.Is(err, syscall.EPERM) {
			return fmt.Errorf("mapped files of process %s: %w", pid, err)
		}
		// A mapping that has disappeared says nothing about the same file in another process.
		if n.addDevice(found, link) {
			ordinary[m.File] = true
		}
	}
	return nil
}

// readMaps returns nothing for a process that has ended.
func (n machine) readMaps(pid string) ([]mapping, error) {
	file, err := os.Open(n.path("/proc", pid, "maps"))
	if ended(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("mapped files of process %s: %w", pid, err)
	}
	mappings, err := parseMaps(file)
	if err = errors.Join(err, file.Close()); ended(err) {
		return nil, nil
	}
	return mappings, err
}
