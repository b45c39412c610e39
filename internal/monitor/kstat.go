// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
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
		text, err := io.ReadAll(io.LimitReader(r, 256))
		return strings.TrimSpace(string(text)), err
	})
}

// ARCMaxBytes is c_max of arcstats: what the ARC may grow to.
func (n Node) ARCMaxBytes() (int64, error) {
	return parseFile(n.proc("spl", "kstat", "zfs", "arcstats"), func(r io.Reader) (int64, error) { return parseKstat(r, "c_max") })
}

// parseKstat finds one value in a kstat of named values: lines of name, type and value.
func parseKstat(r io.Reader, name string) (int64, error) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) == 3 && fields[0] == name {
			return strconv.ParseInt(fields[2], 10, 64)
		}
	}
	return 0, errors.Join(fmt.Errorf("no value %s", name), lines.Err())
}
