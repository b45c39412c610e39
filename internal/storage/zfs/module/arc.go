// SPDX-License-Identifier: Apache-2.0

package module

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/node/monitor"
)

// inEffect are the parameters whose value in effect is in arcstats. When any parameter of the ARC is set, OpenZFS
// (arc_tuning_update in module/zfs/arc.c, the same from 2.1 to 2.4) takes their values, unless a value is 0 or out of
// bounds: then the parameter shows the new value, but the old one stays in effect. So a parameter that was 0 is
// restored in two steps: first the value that was in effect is written, and then the 0.
var inEffect = map[string]string{"zfs_arc_max": "c_max", "zfs_arc_min": "c_min", "zfs_arc_sys_free": "arc_sys_free"}

// arcLimits limit each other: a value that was ignored may take effect when the other parameter is set.
var arcLimits = []string{"zfs_arc_max", "zfs_arc_min"}

// Affected returns these parameters and the ones that may change when they are set, in the order in which they must be
// restored.
func Affected(names []string) []string {
	all := slices.Clone(names)
	if slices.ContainsFunc(arcLimits, func(name string) bool { return slices.Contains(names, name) }) {
		all = append(all, arcLimits...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// InEffect is the value in effect for a parameter that may show a different value. It is empty for all other
// parameters, which show the value in effect.
func (p Parameters) InEffect(name string) (string, error) {
	stat, ok := inEffect[name]
	if !ok {
		return "", nil
	}
	file, err := os.Open(p.proc("spl", "kstat", "zfs", "arcstats"))
	if err != nil {
		return "", fmt.Errorf("find what is in effect for %s: %w", name, err)
	}
	defer func() { _ = file.Close() }()
	values, err := monitor.ParseNamed(file, stat)
	if err != nil {
		return "", fmt.Errorf("find what is in effect for %s: %w", name, err)
	}
	value, ok := values[stat]
	if !ok {
		return "", fmt.Errorf("find what is in effect for %s: arcstats has no %s", name, stat)
	}
	return strconv.FormatInt(value, 10), nil
}
