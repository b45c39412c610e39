// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"zfsbench.io/operator/internal/lines"
)

// StateSuspended is the state of a pool that has stopped all I/O because too many of its devices fail. What waits for it cannot be killed.
const StateSuspended = "SUSPENDED"

// ModuleLoaded says whether the kernel has OpenZFS.
func (n Node) ModuleLoaded() bool {
	_, err := os.Stat(n.proc("spl", "kstat", "zfs", "arcstats"))
	return err == nil
}

// PoolState is the state of an imported pool: ONLINE, DEGRADED, FAULTED, SUSPENDED ... Unlike zpool it never waits for the pool.
func (n Node) PoolState(pool string) (string, error) {
	return parseFile(n.proc("spl", "kstat", "zfs", pool, "state"), func(r io.Reader) (string, error) {
		text, err := onlyLine(r)
		return strings.TrimSpace(text), err
	})
}

// ARCMaxBytes is c_max of arcstats: what the ARC may grow to.
func (n Node) ARCMaxBytes() (int64, error) {
	return parseFile(n.proc("spl", "kstat", "zfs", "arcstats"), parseARCMax)
}

// parseARCMax finds c_max in arcstats, a kstat of named values: lines of name, type and value.
func parseARCMax(r io.Reader) (int64, error) {
	const name = "c_max"
	for line, err := range lines.All(r) {
		if err != nil {
			return 0, err
		}
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == name {
			value, err := strconv.ParseUint(fields[2], 10, 63)
			if err != nil {
				return 0, err
			}
			return int64(value), nil
		}
	}
	return 0, fmt.Errorf("no value %s", name)
}
