// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// CorpusClaims are the different PersistentVolumeClaims that the data of the plan's workloads comes from, in their
// order.
func (p Plan) CorpusClaims() []string { return CorpusClaimsOf(p.Workloads) }

// CorpusClaimsOf are the names of the claims that workloads read their corpus from, each once.
func CorpusClaimsOf(workloads []v1alpha1.Workload) []string {
	var all []string
	for _, w := range workloads {
		if claim := w.CorpusClaim(); claim != "" && !slices.Contains(all, claim) {
			all = append(all, claim)
		}
	}
	return all
}

// grantCorpusClaims refuses workloads that read a claim which no applying policy lists. Without consent, the message
// does not even say whether the claim exists.
func grantCorpusClaims(workloads []v1alpha1.Workload, namespace string, node Node,
	applying []v1alpha1.BenchmarkDevicePolicy) error {
	lacking := slices.DeleteFunc(CorpusClaimsOf(workloads), func(claim string) bool {
		return slices.ContainsFunc(applying, func(p v1alpha1.BenchmarkDevicePolicy) bool {
			return slices.Contains(p.Spec.PersistentVolumeClaims, claim)
		})
	})
	if len(lacking) == 0 {
		return nil
	}
	names := make([]string, 0, len(lacking))
	for _, claim := range lacking {
		names = append(names, fmt.Sprintf("%q", claim))
	}
	list := strings.Join(names, ", ")
	lacks := fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s read the PersistentVolumeClaims %s on node %s.",
		namespace, list, node.Name)
	if len(lacking) == 1 {
		lacks = fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s read the PersistentVolumeClaim %s on node %s.",
			namespace, list, node.Name)
	}
	if len(applying) > 0 {
		return mismatch("%s The storage administrator could add to spec.persistentVolumeClaims of BenchmarkDevicePolicy "+
			"%s: [%s].", lacks, applying[0].Name, list)
	}
	hint := policyHint(namespace, node, fmt.Sprintf("persistentVolumeClaims: [%s]", list))
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: lacks + " The storage administrator could apply " +
		"this one: " + hint, Hint: hint}
}
