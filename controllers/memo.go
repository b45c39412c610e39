// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// memo keeps the last reading of each benchmark, because decoding all trials at every report of a runner would cost far more than the reports. It is
// only a shortcut: a manager that has just started reads again.
type memo struct {
	mu       sync.Mutex
	readings map[types.UID]*reading
}

// get returns the last reading, or nil.
func (m *memo) get(uid types.UID) *reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.readings[uid]
}

func (m *memo) put(uid types.UID, read *reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.readings == nil {
		m.readings = map[types.UID]*reading{}
	}
	m.readings[uid] = read
}

func (m *memo) forget(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.readings, uid)
}
