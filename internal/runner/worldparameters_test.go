// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/zfs/module"
)

// fakeModule is the kernel module's parameters. It takes the limits of the ARC as OpenZFS does.
type fakeModule struct {
	parameters map[string]string
	// max and min are what is in effect, in bytes.
	max, min int64
	boot     string
}

const fakeMemory = 16 << 30

func newFakeModule() fakeModule {
	return fakeModule{
		parameters: map[string]string{"zfs_txg_timeout": "5", "zfs_arc_max": "0", "zfs_arc_min": "0",
			"l2arc_write_max": "33554432"},
		max: 8 << 30, min: 512 << 20, boot: "boot-1",
	}
}

// set is arc_tuning_update.
func (m *fakeModule) set(name, value string) {
	m.parameters[name] = value
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(m.parameters[name], 10, 64)
		return n
	}
	if least := number("zfs_arc_min"); least >= 32<<20 && least <= m.max {
		m.min = least
	}
	if most := number("zfs_arc_max"); most >= 64<<20 && most < fakeMemory && most > m.min {
		m.max = most
	}
}

func (m *fakeModule) inEffect(name string) string {
	switch name {
	case "zfs_arc_max":
		return fmt.Sprint(m.max)
	case "zfs_arc_min":
		return fmt.Sprint(m.min)
	}
	return ""
}

// changed are the parameters that are not as they were at the node's boot.
func (m *fakeModule) changed() []string {
	var changed []string
	fresh := newFakeModule()
	for _, name := range slices.Sorted(maps.Keys(m.parameters)) {
		if m.parameters[name] != fresh.parameters[name] || m.inEffect(name) != fresh.inEffect(name) {
			changed = append(changed, fmt.Sprintf("parameter %s=%s %s", name, m.parameters[name], m.inEffect(name)))
		}
	}
	return changed
}

// reboot loads the module again.
func (m *fakeModule) reboot() {
	*m = newFakeModule()
	m.boot = "boot-2"
}

// fakeParameters is the engine's view of the module.
type fakeParameters struct{ v *view }

func (f fakeParameters) Check(name string) error {
	return f.v.call("check parameter "+name, func() error {
		if _, there := f.v.kernel.parameters[name]; !there {
			return &module.UnknownError{Name: name}
		}
		return nil
	})
}

func (f fakeParameters) Get(name string) (value string, err error) {
	err = f.v.call("get "+name, func() error { value = f.v.kernel.parameters[name]; return nil })
	return value, err
}

func (f fakeParameters) InEffect(name string) (value string, err error) {
	f.v.mu.Lock()
	defer f.v.mu.Unlock()
	return f.v.kernel.inEffect(name), nil
}

// Set complains if the value from before is not recorded, or if a pool would notice that is not the benchmark's.
func (f fakeParameters) Set(name, value string) error {
	f.v.mu.Lock()
	same := f.v.kernel.parameters[name] == value
	f.v.mu.Unlock()
	if same {
		return nil
	}
	return f.v.call("set "+name+" to "+value, func() error {
		fresh := newFakeModule()
		before := result.ModuleParameter{Name: name, Value: fresh.parameters[name], InEffect: fresh.inEffect(name)}
		f.v.mustBeRecordedAs("parameter "+name,
			func(own *result.Ownership) bool { return slices.Contains(own.ModuleParameters, before) })
		if f.v.pools["tank"] != nil {
			f.v.t.Errorf("parameter %s is set while tank is imported", name)
		}
		f.v.kernel.set(name, value)
		return nil
	})
}

func (f fakeParameters) BootID() (id string, err error) {
	err = f.v.call("boot ID", func() error { id = f.v.kernel.boot; return nil })
	return id, err
}

// withParameters gives a plan's variants module parameters, and takes away the pool of somebody else, who is not to
// notice them.
func withParameters(w *world, p plan.Plan) plan.Plan {
	delete(w.pools, "tank")
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		p.Variants[i].ModuleParameters = v1alpha1.ModuleParameters{"zfs_txg_timeout": "7", "zfs_arc_max": "268435456",
			"zfs_arc_min": "134217728"}
	}
	return p
}
