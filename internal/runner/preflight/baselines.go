// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/result"
	"zfsbench.io/operator/internal/storage/filesystem"
	"zfsbench.io/operator/internal/text/human"
)

// filesystemsCheck requires a kernel and tools that support every filesystem of the plan, and partitions, arrays and
// volumes that are large enough for them.
func (c *Checks) filesystemsCheck(ctx context.Context) result.Check {
	var problems, found []string
	var asked []v1alpha1.FilesystemType
	for _, v := range c.Plan.Variants {
		spec := v.Filesystem()
		if spec == nil {
			continue
		}
		kind, known := filesystem.Of(spec.Type)
		if !known {
			problems = appendNew(problems, human.Sentence(fmt.Sprintf("this runner does not know %s", spec.Type)))
			continue
		}
		if !v.Claims() && !slices.Contains(asked, spec.Type) { // the driver brings its own tools
			asked = append(asked, spec.Type)
			version, err := c.Baselines.Find(ctx, kind)
			if err != nil {
				problems = append(problems, human.Sentence(fmt.Sprintf("%s cannot be used: %v", spec.Type, err)))
			} else {
				found = append(found, fmt.Sprintf("%s (%s %s)", spec.Type, kind.Tool(), version))
			}
		}
		place := "the volume"
		switch {
		case isOnArray(v):
			place = "its md array"
		case v.Baseline != nil:
			place = v.Baseline.Device()
		}
		space := plan.EstimateFilesystem(c.Expanded, v)
		switch {
		case space.DeviceBytes < kind.MinBytes:
			problems = append(problems, human.Sentence(fmt.Sprintf("%s%s needs %s, and %s has %s", spec.Type, c.ofVariant(v),
				human.Bytes(float64(kind.MinBytes)), place, human.Bytes(float64(space.DeviceBytes)))))
		// For filesystems in a partition or on an array, spaceCheck checks this.
		case v.Baseline == nil && space.Fit == plan.FitNo:
			problems = append(problems, human.Sentence(fmt.Sprintf("%s%s leaves at least %s of the volume to files, and the "+
				"workloads store %s: it needs a larger volume, or smaller workloads", spec.Type,
				c.ofVariant(v), human.Bytes(float64(space.UsableBytes)), human.Bytes(float64(space.NeededBytes)))))
		}
	}
	return verdict(checkFilesystems, problems, nil, "the node has "+strings.Join(found, ", "))
}

func hasFilesystem(v plan.Variant) bool { return v.Filesystem() != nil }

// pools are the variants that have a pool.
func pools(p plan.Plan) []plan.Variant {
	return slices.DeleteFunc(slices.Clone(p.Variants), func(v plan.Variant) bool { return v.Baseline != nil })
}
