// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"

	"zfsbench.io/operator/internal/node/monitor"
)

// IOBytes are the byte counters of a target: of its devices, and of I/O that bypassed its cache.
type IOBytes struct{ Devices, Direct monitor.Moved }

// BytesMoved reads the byte counters of a target.
func (h *Host) BytesMoved(t *Target) (IOBytes, error) {
	devices, err := h.Node.DeviceBytes(t.Numbers())
	direct, errDirect := h.Storage(t).directBytes(t)
	return IOBytes{devices, direct}, errors.Join(err, errDirect)
}
