// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of every type in this package.
var GroupVersion = schema.GroupVersion{Group: "zfsbench.io", Version: "v1alpha1"}

// AddToScheme registers the types of this package in a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&ZfsBenchmark{}, &ZfsBenchmarkList{},
		&BenchmarkDevicePolicy{}, &BenchmarkDevicePolicyList{},
		&NodeStorage{}, &NodeStorageList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
