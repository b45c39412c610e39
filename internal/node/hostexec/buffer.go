// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"bytes"
	"slices"
	"sync"
)

// boundedBuffer keeps the first OutputLimitBytes and discards the rest, so that a command that prints too much still
// runs to its end: half a zpool create is worse than a long message. The mutex is needed only when a command outlives
// Run.
type boundedBuffer struct {
	mu       sync.Mutex
	kept     bytes.Buffer
	overflow bool
}

// Write keeps what fits; it never fails.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := OutputLimitBytes - b.kept.Len()
	if len(p) > room {
		b.overflow = true
		b.kept.Write(p[:room])
		return len(p), nil
	}
	return b.kept.Write(p)
}

// bytes returns a copy of what was kept.
func (b *boundedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.kept.Bytes())
}

// overflowed says whether output was discarded.
func (b *boundedBuffer) overflowed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overflow
}
