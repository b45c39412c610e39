// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"zfsbench.io/operator/api/v1alpha1"
)

// grantClasses refuses claims to a StorageClass that exists where no applying policy lists it, or none with room for
// the largest.
func grantClasses(variants []Variant, namespace string, node Node, applying []v1alpha1.BenchmarkDevicePolicy) error {
	largest := claimedClasses(variants)
	lacking := slices.DeleteFunc(slices.Sorted(maps.Keys(largest)), func(name string) bool {
		_, _, listed := roomIn(name, applying)
		return listed
	})
	if len(lacking) > 0 {
		return lackingClasses(lacking, largest, namespace, node, applying)
	}
	for _, name := range slices.Sorted(maps.Keys(largest)) {
		policy, room, _ := roomIn(name, applying)
		if claim := largest[name]; claim.Size.Cmp(room.TotalSize) > 0 {
			return mismatch("Baseline %s claims %s of StorageClass %s, and BenchmarkDevicePolicy %s lets namespace %s claim "+
				"at most %s for node %s: make its size smaller, or the storage administrator could set totalSize of the class "+
				"in spec.storageClasses to %s.",
				claim.variant, claim.Size.String(), name, policy, namespace, room.TotalSize.String(), node.Name,
				claim.Size.String())
		}
	}
	return nil
}

// claimed is the claim of a baseline.
type claimed struct {
	variant string
	*v1alpha1.PersistentVolumeBaseline
}

// claimedClasses are the StorageClasses that exist and of which variants claim volumes, each with the largest claim: a
// benchmark has one volume at a time.
func claimedClasses(variants []Variant) map[string]claimed {
	largest := map[string]claimed{}
	for _, v := range variants {
		if v.Baseline == nil || v.Baseline.PersistentVolume == nil {
			continue
		}
		c := claimed{v.Name, v.Baseline.PersistentVolume}
		if before, found := largest[c.StorageClassName]; !found || c.Size.Cmp(before.Size) > 0 {
			largest[c.StorageClassName] = c
		}
	}
	return largest
}

// RoomInClass is how large a volume of a StorageClass may be for a benchmark on a node; zero without consent.
func RoomInClass(class string, in Input) resource.Quantity {
	_, room, _ := roomIn(class, applyingPolicies(in))
	return room.TotalSize
}

// roomIn is the policy that lets most be claimed of a StorageClass, and what it says of it; listed is false if there is
// none.
func roomIn(name string, applying []v1alpha1.BenchmarkDevicePolicy) (policy string, room v1alpha1.PolicyStorageClass,
	listed bool) {
	for _, p := range applying {
		for _, c := range p.Spec.StorageClasses {
			if c.Name == name && (!listed || c.TotalSize.Cmp(room.TotalSize) > 0) {
				policy, room, listed = p.Name, c, true
			}
		}
	}
	return policy, room, listed
}

// lackingClasses says what the storage administrator would have to write.
func lackingClasses(lacking []string, largest map[string]claimed, namespace string, node Node,
	applying []v1alpha1.BenchmarkDevicePolicy) error {
	var asking, entries []string
	for _, name := range lacking {
		asking = append(asking, fmt.Sprintf("%s (%s of baseline %s)", name, largest[name].Size.String(),
			largest[name].variant))
		entries = append(entries, fmt.Sprintf("{name: %s, totalSize: %s}", name, largest[name].Size.String()))
	}
	lacks := fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s claim volumes of the StorageClasses %s for node %s.",
		namespace, strings.Join(asking, ", "), node.Name)
	consent := fmt.Sprintf("storageClasses: [%s]", strings.Join(entries, ", "))
	if len(applying) > 0 {
		return mismatch("%s The storage administrator could add them to spec of BenchmarkDevicePolicy %s: %s.", lacks,
			applying[0].Name, consent)
	}
	hint := policyHint(namespace, node, consent)
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: lacks + " The storage administrator could apply " +
		"this one: " + hint, Hint: hint}
}
