// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/text/human"
)

// propertiesCheck requires an OpenZFS that supports all properties that the variants set. `zpool create -n` checks
// neither values nor datasets.
func (c *Checks) propertiesCheck(node NodeState) result.Check {
	if node.module == (plan.OpenZFS{}) {
		return check(checkProperties, result.OutcomeSkipped, "The version of OpenZFS is not known.")
	}
	var problems, remarks []string
	for _, v := range pools(c.Plan) {
		for _, p := range plan.Unsupported(v, node.module, node.maxRecordBytes) {
			problems = appendNew(problems, p)
		}
		for _, r := range plan.Ignored(c.Plan.Workloads, v.Dataset, node.module) {
			remarks = appendNew(remarks, r)
		}
	}
	return verdict(checkProperties, problems, remarks, fmt.Sprintf("OpenZFS %s has everything that the benchmark sets",
		node.module))
}

// spaceCheck compares what the workloads will store with the space that the pool or baseline will have.
func (c *Checks) spaceCheck() result.Check {
	var problems, remarks []string
	passed := "every variant has room for what the workloads store"
	for _, v := range c.Plan.Variants {
		space := plan.EstimateSpace(c.Expanded, v)
		what, whose := "dataset", "its pool"
		if v.Baseline != nil {
			what, whose = "data", "it"
		}
		text := fmt.Sprintf("The %s%s takes up to %s of the %s that %s will have", what, c.ofVariant(v),
			human.Bytes(float64(space.NeededBytes)), human.Bytes(float64(space.UsableBytes)), whose)
		switch {
		case space.Fit == plan.FitNo:
			problems = append(problems, text+": it needs larger devices, or smaller workloads.")
		case space.Fit == plan.FitMaybe:
			remarks = append(remarks, text+": it may run out of space.")
		case len(c.Plan.Variants) == 1:
			passed = text
		}
	}
	return verdict(checkSpace, problems, remarks, passed)
}

// timeCheck compares the time of the workloads with the limit. It only warns, because the results that are complete by
// the limit are kept.
func (c *Checks) timeCheck() result.Check {
	least, slow, limit := plan.LeastDuration(c.Plan), plan.EstimateDuration(c.Expanded), c.Plan.Timeout()
	switch {
	case least > limit:
		return check(checkTime, result.OutcomeWarning,
			"the workloads take at least %s together, the limit is %s: the benchmark will not finish",
			human.Duration(least), human.Duration(limit))
	case slow > limit:
		return check(checkTime, result.OutcomeWarning,
			"with slow disks the benchmark takes about %s, the limit is %s: it may not finish",
			human.Duration(slow), human.Duration(limit))
	}
	return check(checkTime, result.OutcomePassed, "even slow disks take less than the limit of %s", human.Duration(limit))
}

// ofVariant names a variant if there are several.
func (c *Checks) ofVariant(v plan.Variant) string {
	if len(c.Plan.Variants) == 1 {
		return ""
	}
	return " of variant " + v.Name
}

// poolCheck lets OpenZFS check the pools of all variants, equal ones once, without writing. It uses the whole disks,
// and sparse stand-ins for files. Vdevs with their own ashift, which are added later, are checked with the rest.
func (c *Checks) poolCheck(ctx context.Context) result.Check {
	paths, remove, err := c.standIns()
	defer remove()
	if err != nil {
		return check(checkPool, result.OutcomeFailed, "%v", err)
	}
	var problems []string
	var checked []v1alpha1.PoolSpec
	for _, v := range pools(c.Plan) {
		if slices.ContainsFunc(checked, func(p v1alpha1.PoolSpec) bool { return reflect.DeepEqual(p, v.Pool) }) {
			continue
		}
		checked = append(checked, v.Pool)
		v.Pool = withOneAshift(v.Pool)
		create, err := c.LayOut(v, plan.PoolName(c.Plan.Benchmark.UID, 0), paths)
		if err == nil {
			create.DryRun = true
			err = c.Pools.CreatePool(ctx, create)
		}
		if err != nil {
			problems = append(problems, human.Sentence(fmt.Sprintf("OpenZFS would not create the pool of variant %s: %v", v.Name,
				err)))
		}
	}
	return verdict(checkPool, problems, nil, "OpenZFS accepts the layout (zpool create -n)")
}

// withOneAshift returns the pool with the pool's ashift for all vdevs.
func withOneAshift(pool v1alpha1.PoolSpec) v1alpha1.PoolSpec {
	pool = *pool.DeepCopy()
	for _, vdevs := range [][]v1alpha1.Vdev{pool.Log, pool.Cache, pool.Special, pool.Dedup} {
		for i := range vdevs {
			vdevs[i].Ashift = nil
		}
	}
	return pool
}

// maxStandInBytes is a size of sparse files that every filesystem supports. Only equal sizes matter to the check.
const maxStandInBytes = 1 << 40

// standIns are paths for all devices that OpenZFS can check: the disks themselves, and sparse files of the right size.
// If the plan has partitions, which do not exist yet, all disks get files: zpool does not mix disks and files.
func (c *Checks) standIns() (paths map[string]string, remove func(), err error) {
	paths = map[string]string{}
	dir := c.Workspace.StandIns()
	remove = func() { _ = os.RemoveAll(dir) }
	remove() // a killed runner may have left some
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, remove, fmt.Errorf("make stand-ins for devices: %w", err)
	}
	split := slices.ContainsFunc(c.Plan.Devices, func(d plan.Device) bool { return len(d.Partitions) > 0 })
	for _, d := range c.Plan.Devices {
		if d.Path != "" && !split {
			paths[d.Name] = d.Path
			continue
		}
		for _, part := range d.Parts() {
			path := filepath.Join(dir, part.Name)
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return nil, remove, fmt.Errorf("make stand-ins for devices: %w", err)
			}
			if err := os.Truncate(path, min(part.SizeBytes, maxStandInBytes)); err != nil {
				return nil, remove, fmt.Errorf("make stand-ins for devices: %w", err)
			}
			paths[part.Name] = path
		}
	}
	return paths, remove, nil
}
