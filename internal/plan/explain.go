// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// explain says why no policy applies to the disks: no policy lists them, or one lists them for another UID of the node
// or for other namespaces.
func explain(lacking []v1alpha1.Device, in Input) error {
	namespace, node := in.Benchmark.Namespace, in.Node
	var sentences []string
	nobody := lacking
	for _, p := range byName(in.Policies) {
		if p.Spec.Node.Name != node.Name {
			continue
		}
		listed := listedBy(p, lacking)
		if len(listed) == 0 {
			continue
		}
		sentences = append(sentences, nearMiss(p, listed, in))
		nobody = slices.DeleteFunc(slices.Clone(nobody), func(d v1alpha1.Device) bool {
			return slices.ContainsFunc(listed, func(l v1alpha1.Device) bool { return l.Name == d.Name })
		})
	}
	if len(nobody) == 0 {
		return mismatch("%s", strings.Join(sentences, " "))
	}
	hint := policyHint(namespace, node, devicesHint(nobody))
	sentences = append(sentences, fmt.Sprintf("No BenchmarkDevicePolicy lets namespace %s overwrite %s on node %s. The "+
		"storage administrator could apply this one, "+
		"with serial and size as `lsblk -bdno SERIAL,SIZE PATH` prints them on the node: %s", namespace, describe(nobody),
		node.Name, hint))
	return &ConsentError{Reason: v1alpha1.ReasonNoPolicy, Message: strings.Join(sentences, " "), Hint: hint}
}

// listedBy are the disks that the policy lists.
func listedBy(p v1alpha1.BenchmarkDevicePolicy, disks []v1alpha1.Device) []v1alpha1.Device {
	return slices.DeleteFunc(slices.Clone(disks), func(d v1alpha1.Device) bool {
		return !slices.ContainsFunc(p.Spec.Devices, func(pd v1alpha1.PolicyDevice) bool { return pd.Path == d.Path })
	})
}

// nearMiss says why a policy that lists the disks does not apply.
func nearMiss(p v1alpha1.BenchmarkDevicePolicy, disks []v1alpha1.Device, in Input) string {
	namespace, node := in.Benchmark.Namespace, in.Node
	if !forNode(p, node) {
		return fmt.Sprintf("BenchmarkDevicePolicy %s lists %s, but for a node %s with UID %s, and this one has UID %s: "+
			"correct spec.node.uid if these disks are meant.",
			p.Name, describe(disks), node.Name, p.Spec.Node.UID, node.UID)
	}
	if uid := anotherNamespace(p, in); uid != "" && slices.Contains(p.Spec.Namespaces, namespace) {
		return fmt.Sprintf("BenchmarkDevicePolicy %s lists %s on node %s, but for a namespace %s with UID %s, and this "+
			"one has UID %s: "+
			"correct spec.namespaceUIDs if this namespace is meant.", p.Name, describe(disks), node.Name, namespace, uid,
			in.NamespaceUID)
	}
	return fmt.Sprintf("BenchmarkDevicePolicy %s lists %s on node %s, but not for namespace %s: add it to "+
		"spec.namespaces.", p.Name, describe(disks), node.Name, namespace)
}

func describe(disks []v1alpha1.Device) string {
	var parts []string
	for _, d := range disks {
		parts = append(parts, fmt.Sprintf("%s (%s)", d.Name, d.Path))
	}
	return strings.Join(parts, ", ")
}

// devicesHint lists disks as a policy does, with SERIAL and BYTES to be replaced.
func devicesHint(disks []v1alpha1.Device) string {
	var devices []string
	for _, d := range disks {
		devices = append(devices, fmt.Sprintf("{path: %q, serial: SERIAL, size: BYTES}", d.Path))
	}
	return "devices: [" + strings.Join(devices, ", ") + "]"
}

// policyHint is a manifest, in one line, of a policy with this consent.
func policyHint(namespace string, node Node, consent string) string {
	uid := node.UID
	if uid == "" {
		uid = "none"
	}
	return fmt.Sprintf("{apiVersion: %s, kind: BenchmarkDevicePolicy, metadata: {name: %s.%s}, spec: {node: {name: %s, "+
		"uid: %q}, namespaces: [%s], %s}}",
		v1alpha1.GroupVersion, node.Name, namespace, node.Name, uid, namespace, consent)
}
