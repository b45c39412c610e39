// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/text/lines"
)

// StateSuspended is the state of a pool that has stopped all I/O because too many of its devices fail. A process that
// waits for such a pool cannot be killed.
const StateSuspended = "SUSPENDED"

// ModuleLoaded says whether the kernel has OpenZFS.
func (n Kernel) ModuleLoaded() bool {
	_, err := os.Stat(n.proc("spl", "kstat", "zfs", "arcstats"))
	return err == nil
}

// PoolState is the state of an imported pool: ONLINE, DEGRADED, FAULTED, SUSPENDED ... Unlike zpool it never waits for
// the pool.
func (n Kernel) PoolState(pool string) (string, error) {
	return parseFile(n.proc("spl", "kstat", "zfs", pool, "state"), func(r io.Reader) (string, error) {
		text, err := onlyLine(r)
		return strings.TrimSpace(text), err
	})
}

// ARCMaxBytes is c_max of arcstats: the largest size of the ARC.
func (n Kernel) ARCMaxBytes() (int64, error) {
	return parseFile(n.proc("spl", "kstat", "zfs", "arcstats"), parseARCMax)
}

// DirectBytes is how much workloads have read and written directly, without the ARC, since the pool's import. It is 0
// for OpenZFS before 2.3, which has no direct I/O.
func (n Kernel) DirectBytes(pool string) (Moved, error) {
	bytes, err := parseFile(n.proc("spl", "kstat", "zfs", pool, "iostats"), parseDirectBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return Moved{}, nil
	}
	return bytes, err
}

func parseDirectBytes(r io.Reader) (Moved, error) {
	values, err := ParseNamed(r, "direct_read_bytes", "direct_write_bytes")
	return Moved{Read: values["direct_read_bytes"], Written: values["direct_write_bytes"]}, err
}

func parseARCMax(r io.Reader) (int64, error) {
	const name = "c_max"
	values, err := ParseNamed(r, name)
	if err != nil {
		return 0, err
	}
	value, ok := values[name]
	if !ok {
		return 0, fmt.Errorf("no value %s", name)
	}
	return value, nil
}

// kstatBits is more than any counter reaches in a century, but small enough to add a few counters.
const kstatBits = 60

// ParseNamed finds numbers in a kstat of named values: lines of name, type and value. Names that are not in the kstat
// are missing from the map.
func ParseNamed(r io.Reader, names ...string) (map[string]int64, error) {
	values := map[string]int64{}
	for line, err := range lines.All(r) {
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || !slices.Contains(names, fields[0]) {
			continue
		}
		value, err := strconv.ParseUint(fields[2], 10, kstatBits)
		if err != nil {
			return nil, err
		}
		values[fields[0]] = int64(value)
	}
	return values, nil
}
