// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/internal/kube/jobspec"
)

// runCache keeps the last reading of each benchmark, and its plans. Decoding all trials and checking every variant at
// every report of a runner would cost far more than the reports. A restarted manager reads everything again.
type runCache struct {
	mu       sync.Mutex
	readings map[types.UID]*reading
	plans    map[types.UID]map[version]jobspec.Run
}

// version identifies the content of an object.
type version struct {
	uid      types.UID
	resource string
}

// readRun reads a benchmark's plan, once for each version of it. A failed read is not cached.
func (m *runCache) readRun(benchmark types.UID, cm *corev1.ConfigMap) (jobspec.Run, error) {
	v := version{cm.UID, cm.ResourceVersion}
	if m == nil || v == (version{}) {
		return jobspec.ReadRun(cm)
	}
	m.mu.Lock()
	run, known := m.plans[benchmark][v]
	m.mu.Unlock()
	if known {
		return run, nil
	}
	run, err := jobspec.ReadRun(cm)
	if err != nil {
		return run, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.plans == nil {
		m.plans = map[types.UID]map[version]jobspec.Run{}
	}
	if m.plans[benchmark] == nil {
		m.plans[benchmark] = map[version]jobspec.Run{}
	}
	m.plans[benchmark][v] = run
	return run, nil
}

// get returns the last reading, or nil.
func (m *runCache) get(uid types.UID) *reading {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.readings[uid]
}

func (m *runCache) put(uid types.UID, read *reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.readings == nil {
		m.readings = map[types.UID]*reading{}
	}
	m.readings[uid] = read
}

func (m *runCache) forget(uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.readings, uid)
	delete(m.plans, uid)
}
