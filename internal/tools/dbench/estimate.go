// SPDX-License-Identifier: Apache-2.0

package dbench

import (
	"time"

	"zfsbench.io/operator/internal/tools"
)

// clientBytes and clientInodes are what each client of dbench 4.00 leaves of its load, measured with --skip-cleanup,
// and as much again for what it removes meanwhile.
const (
	clientBytes  = 2 * 21 << 20
	clientInodes = 2 * 77
)

// Bytes is the size of the files of all clients.
func (t Tool) Bytes() float64 {
	return float64(Clients(t.DbenchWorkload)) * (clientBytes + clientInodes*tools.InodeBytes)
}

// Duration counts the warm-up (a fifth of the runtime), the runtime, and each client's removal of its files.
func (t Tool) Duration() time.Duration {
	removal := tools.AtRate(float64(Clients(t.DbenchWorkload))*clientInodes, tools.SlowInodesPerSecond)
	return min(t.RunTime()/5+t.RunTime()+removal, tools.MaxDuration)
}
