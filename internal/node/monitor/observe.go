// SPDX-License-Identifier: Apache-2.0

package monitor

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"zfsbench.io/operator/internal/node/series"
)

// Observe reads everything that is sampled every second: only values that the kernel returns at once, without starting
// a program. pool is the pool whose transaction groups are read; empty if the target has none. Parts that this node
// does not have are missing from the observation. The error names parts that the node should have but that could not be
// read.
//
// Temperatures are read only on request: each read sends the disk a command between the workload's own.
func (n Kernel) Observe(pool string, devices []DeviceNumber, temperatures bool) (series.Observation, error) {
	o := series.Observation{At: time.Now()}
	var errs [8]error
	o.CPU, errs[0] = part(n.proc("stat"), parseCores)
	o.Memory, errs[1] = part(n.proc("meminfo"), parseMemory)
	o.ARC, errs[2] = part(n.kstat("arcstats"), parseARC)
	o.ZIL, errs[3] = part(n.kstat("zil"), parseZIL)
	o.Transactions, errs[4] = part(n.kstat("dmu_tx"), parseTransactions)
	if pool != "" {
		var txgs *[]series.Txg
		if txgs, errs[5] = part(n.kstat(pool, "txgs"), parseTxgs); txgs != nil {
			o.Txgs = *txgs
		}
	}
	o.Devices, errs[6] = n.observeDevices(devices)
	o.Pressure, errs[7] = n.pressure()
	if temperatures {
		o.HottestCelsius = n.hottest()
	}
	return o, errors.Join(errs[:]...)
}

func (n Kernel) kstat(elements ...string) string {
	return n.proc(append([]string{"spl", "kstat", "zfs"}, elements...)...)
}

// part returns nil if this node does not have the file.
func part[T any](path string, parse parser[T]) (*T, error) {
	v, err := parseFile(path, parse)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &v, nil
}

func (n Kernel) observeDevices(devices []DeviceNumber) ([]*series.Device, error) {
	all := make([]*series.Device, 0, len(devices))
	var errs error
	for _, d := range devices {
		one, err := part(filepath.Join(n.device(d), "stat"), parseDevice)
		errs = errors.Join(errs, err)
		all = append(all, one)
	}
	return all, errs
}
