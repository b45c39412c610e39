// SPDX-License-Identifier: Apache-2.0

package controllers

// What the manager may do, generated into config/rbac/role.yaml. The chart repeats it, and a test of the manager runs
// with nothing more.

// In the whole cluster: benchmarks (delete is for ttlSecondsAfterFinished) and what decides about them.
// +kubebuilder:rbac:groups=zfsbench.io,resources=zfsbenchmarks,verbs=get;list;watch;patch;delete
// +kubebuilder:rbac:groups=zfsbench.io,resources=zfsbenchmarks/status,verbs=patch
// +kubebuilder:rbac:groups=zfsbench.io,resources=zfsbenchmarks/finalizers,verbs=update
// +kubebuilder:rbac:groups=zfsbench.io,resources=benchmarkdevicepolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=nodes,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get

// What discoveries found, and whether policies agree with it, is the manager's to write; consent is not.
// +kubebuilder:rbac:groups=zfsbench.io,resources=benchmarkdevicepolicies/status,verbs=patch
// +kubebuilder:rbac:groups=zfsbench.io,resources=nodestorages,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups=zfsbench.io,resources=nodestorages/status,verbs=patch

// A disk that Kubernetes may give to a pod must not be used by a benchmark.
// +kubebuilder:rbac:groups="",resources=persistentvolumes,verbs=get;list;watch

// The results ConfigMap is written to the benchmark's namespace. There is no list and no watch, so the manager cannot
// find out about other ConfigMaps.
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;create;update

// Events are about benchmarks and nodes; token and access reviews guard the metrics.
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create

// In the runner namespace only. Claims are those that data comes from, and events say why a pod is not set up. Pods are
// created to hold images, as the admission policy bounds them. get and patch of ConfigMaps, and get of pods, are also
// what runners are granted: nobody can grant what he does not hold. update of configmaps/finalizers lets an owner block
// its deletion, where an admission plugin asks for that.
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete,namespace=zfsbench-runners
// +kubebuilder:rbac:groups="",resources=configmaps/finalizers,verbs=update,namespace=zfsbench-runners
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;delete,namespace=zfsbench-runners
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get,namespace=zfsbench-runners
// +kubebuilder:rbac:groups="",resources=events,verbs=list,namespace=zfsbench-runners
// +kubebuilder:rbac:groups="",resources=serviceaccounts,verbs=create;patch,namespace=zfsbench-runners
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=create;patch,namespace=zfsbench-runners
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;patch;delete,namespace=zfsbench-runners
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;list;watch;create;patch;delete,namespace=zfsbench-runners
