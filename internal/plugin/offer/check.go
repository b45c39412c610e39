// SPDX-License-Identifier: Apache-2.0

package offer

import (
	"errors"
	"fmt"
	"slices"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/disks"
)

// errSameTerms says that another policy offers the disk to the namespace as this one would.
var errSameTerms = errors.New("is offered already")

// check says why a disk cannot be offered.
func (in Input) check(d v1alpha1.NodeDisk) error {
	samePath := func(other v1alpha1.NodeDisk) bool { return other.HasPath(d.Path) && other.Device != d.Device }
	switch name := disks.Name(d); {
	case d.Verdict != v1alpha1.DiskBlank && d.UnsignedData:
		return fmt.Errorf("%s is not blank: %s If nobody needs this data, zero the disk, or write a policy with "+
			"unsignedData: Overwrite by hand", name, d.Reason)
	case d.Verdict != v1alpha1.DiskBlank:
		return fmt.Errorf("%s is not blank (%s): %s", name, d.Verdict, d.Reason)
	case d.Path == "":
		return fmt.Errorf("%s has no stable path, so no policy can name it", name)
	case d.Serial == "" || d.SizeBytes == 0:
		return fmt.Errorf("%s has no serial number or no size, so no policy can name it", name)
	case slices.ContainsFunc(in.Storage.Status.Disks, samePath):
		return fmt.Errorf("%s is the path of more than one disk", name)
	}
	return in.checkPolicies(d)
}

// checkPolicies compares the disk with what other policies offer to the namespace. Policies that contradict each other
// consent to nothing, so a new one would break those that exist.
func (in Input) checkPolicies(d v1alpha1.NodeDisk) error {
	var same error
	for _, p := range in.Policies {
		node := p.Spec.Node
		applies := node.Name == in.Storage.Name && node.UID == in.Storage.Status.NodeUID &&
			slices.Contains(p.Spec.Namespaces, in.Namespace)
		if !applies {
			continue
		}
		for _, other := range p.Spec.Devices {
			if !d.HasPath(other.Path) {
				continue
			}
			if why := differs(d, other); why != "" {
				return fmt.Errorf("%s: BenchmarkDevicePolicy %s offers it to namespace %s already, but %s: use that policy, or "+
					"take the disk out of it", d.Path, p.Name, in.Namespace, why)
			}
			if in.Class != "" && other.Class != in.Class {
				continue // this policy only adds a class
			}
			same = fmt.Errorf("%s %w to namespace %s by BenchmarkDevicePolicy %s", d.Path, errSameTerms, in.Namespace, p.Name)
		}
	}
	return same
}

// differs says how a policy's terms for a disk differ from the ones offered here; empty if they are the same.
func differs(d v1alpha1.NodeDisk, other v1alpha1.PolicyDevice) string {
	switch {
	case other.Path != d.Path:
		return "under the path " + other.Path
	case other.Serial != d.Serial:
		return fmt.Sprintf("with the serial number %q, and the disk has %q", other.Serial, d.Serial)
	case other.Size.CmpInt64(d.SizeBytes) != 0:
		return fmt.Sprintf("with the size %s, and the disk has %d bytes", other.Size.String(), d.SizeBytes)
	case other.UnsignedData == v1alpha1.UnsignedDataOverwrite:
		return "with unsignedData: Overwrite"
	case other.Content == v1alpha1.ContentFull:
		return "with content: Full"
	}
	return ""
}
