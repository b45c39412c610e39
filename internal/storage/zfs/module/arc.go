// SPDX-License-Identifier: Apache-2.0

package module

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"zfsbench.io/operator/internal/node/monitor"
)

// inEffect are the parameters of which arcstats shows what is in effect. OpenZFS (arc_tuning_update in
// module/zfs/arc.c, the same from 2.1 to 2.4) takes their value when any parameter of the ARC is set, unless it is 0 or
// out of bounds; then the parameter shows it all the same, and what was in effect stays. So a parameter that was 0 is
// restored in two steps: what was in effect is written, and then the 0.
var inEffect = map[string]string{"zfs_arc_max": "c_max", "zfs_arc_min": "c_min", "zfs_arc_sys_free": "arc_sys_free"}

// arcLimits bound each other: one that was ignored may take effect when the other is set.
var arcLimits = []string{"zfs_arc_max", "zfs_arc_min"}

// Affected returns these parameters and the ones that may change when they are set, in the order in which they are to
// be restored.
func Affected(names []string) []string {
	all := slices.Clone(names)
	if slices.ContainsFunc(arcLimits, func(name string) bool { return slices.Contains(names, name) }) {
		all = append(all, arcLimits...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// InEffect is the value in effect for a parameter that may show another value; empty for all other parameters, which
// show the value in effect.
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
