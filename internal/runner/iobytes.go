// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"

	"zfsbench.io/operator/internal/node/monitor"
)

// moved are the byte counters of a target: of its devices, and of I/O past its cache.
type moved struct{ devices, direct monitor.Moved }

func (h *host) bytesMoved(t *target) (moved, error) {
	devices, err := h.Node.DeviceBytes(t.numbers())
	direct, errDirect := h.storage(t).directBytes(t)
	return moved{devices, direct}, errors.Join(err, errDirect)
}
