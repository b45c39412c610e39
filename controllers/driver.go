// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/storage/csi/localpv"
)

// driverPollInterval is how often the manager checks whether driver objects that a benchmark needs exist now: they are
// not watched.
const driverPollInterval = 30 * time.Second

// driverFacts describe the CSI drivers from which a benchmark claims volumes.
type driverFacts struct {
	// variants are the benchmark's variants.
	variants []matrix.Variant
	// denied says what the manager may not read because its roles are missing.
	denied error
	// installed says that the CSIDriver of zfs-localpv exists. definitions are the driver's CustomResourceDefinitions
	// by name, without missing ones.
	installed   bool
	definitions map[string]localpv.Definition
	// onNode has the names of nodes on which the driver has registered; inNamespace has the nodes whose ZFSNode is in
	// the driver's namespace.
	onNode, inNamespace map[string]bool
	// classes are the existing StorageClasses that baselines name.
	classes map[string]*storagev1.StorageClass
}

// loadDriver reads the facts for a benchmark that claims volumes and has not started everywhere. A missing permission
// is one of these facts.
func (r *Reconciler) loadDriver(ctx context.Context, s *scope, names []string) error {
	err := r.readDriver(ctx, s, names)
	if err != nil && s.driver != nil && apierrors.IsForbidden(err) {
		s.driver.denied = err
		return nil
	}
	return err
}

func (r *Reconciler) readDriver(ctx context.Context, s *scope, names []string) error {
	if len(names) == 0 {
		return nil // the common case: all nodes have started
	}
	variants, _ := claiming(s.benchmark) // the check of consent reports this error
	if variants == nil {
		return nil
	}
	f := &driverFacts{
		variants: variants, definitions: map[string]localpv.Definition{}, onNode: map[string]bool{},
		inNamespace: map[string]bool{}, classes: map[string]*storagev1.StorageClass{},
	}
	s.driver = f
	if !r.Config.CSI.Enabled {
		return nil
	}
	if err := r.loadClasses(ctx, f); err != nil {
		return err
	}
	if !slices.ContainsFunc(variants, matrix.Variant.ClaimsFromDriver) {
		return nil
	}
	var err error
	if f.installed, err = r.find(ctx, client.ObjectKey{Name: localpv.Provisioner}, &storagev1.CSIDriver{}); err != nil {
		return fmt.Errorf("get CSIDriver: %w", err)
	}
	for _, name := range []string{localpv.NodesCRD, localpv.VolumesCRD} {
		if err := r.loadDefinition(ctx, f, name); err != nil {
			return err
		}
	}
	if f.lacks(nil) != "" {
		return nil // without the definitions there are no objects
	}
	for _, name := range names {
		if node := s.nodes[name]; node != nil {
			if err := r.loadDriverOn(ctx, f, node); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Reconciler) loadClasses(ctx context.Context, f *driverFacts) error {
	for _, v := range f.variants {
		if v.Baseline == nil || v.Baseline.PersistentVolume == nil {
			continue
		}
		class := &storagev1.StorageClass{}
		found, err := r.find(ctx, client.ObjectKey{Name: v.Baseline.PersistentVolume.StorageClassName}, class)
		if err != nil {
			return fmt.Errorf("get StorageClass: %w", err)
		}
		if found {
			f.classes[class.Name] = class
		}
	}
	return nil
}

func (r *Reconciler) loadDefinition(ctx context.Context, f *driverFacts, name string) error {
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1",
		Kind: "CustomResourceDefinition"})
	found, err := r.find(ctx, client.ObjectKey{Name: name}, crd)
	if err != nil {
		return fmt.Errorf("get CustomResourceDefinition %s: %w", name, err)
	}
	if !found {
		return nil
	}
	data, err := json.Marshal(crd.Object)
	if err != nil {
		return fmt.Errorf("read CustomResourceDefinition %s: %w", name, err)
	}
	f.definitions[name], err = localpv.ParseDefinition(data)
	return err
}

func (r *Reconciler) loadDriverOn(ctx context.Context, f *driverFacts, node *corev1.Node) error {
	csi := &storagev1.CSINode{}
	found, err := r.find(ctx, client.ObjectKey{Name: node.Name}, csi)
	if err != nil {
		return fmt.Errorf("get CSINode %s: %w", node.Name, err)
	}
	f.onNode[node.Name] = found && slices.ContainsFunc(csi.Spec.Drivers, func(d storagev1.CSINodeDriver) bool {
		return d.Name == localpv.Provisioner
	})
	id := localpv.NodeID(node.Name, node.Labels)
	if f.inNamespace[node.Name], err = r.find(ctx, client.ObjectKey{Namespace: r.Config.CSI.DriverNamespace, Name: id},
		driverObject("ZFSNode")); err != nil {
		return fmt.Errorf("get ZFSNode %s: %w", id, err)
	}
	return nil
}

// install says how to get the driver.
const install = "install OpenEBS zfs-localpv (https://openebs.github.io/zfs-localpv), and name its namespace in " +
	"csi.driverNamespace"

// lacks says in a sentence what the driver lacks to make volumes with these StorageClass parameters; empty if nothing.
func (f *driverFacts) lacks(parameters map[string]string) string {
	if !f.installed {
		return fmt.Sprintf("The CSI driver %s is not in this cluster: %s.", localpv.Provisioner, install)
	}
	for _, name := range []string{localpv.NodesCRD, localpv.VolumesCRD} {
		d, found := f.definitions[name]
		if !found {
			return fmt.Sprintf("CustomResourceDefinition %s, which belongs to the CSI driver %s, is not in this cluster: %s.",
				name, localpv.Provisioner, install)
		}
		of := parameters
		if name == localpv.NodesCRD {
			of = nil
		}
		if text := d.Lacks(of); text != "" {
			return text
		}
	}
	return ""
}

// refuseClaims returns what keeps volumes from being claimed on a node, or nil. It is a pure function of the facts.
func (r *Reconciler) refuseClaims(s *scope, node *corev1.Node) *refusal {
	f := s.driver
	if f == nil {
		return nil
	}
	refused := func(format string, args ...any) *refusal {
		s.requeueWithin(driverPollInterval)
		return &refusal{reason: v1alpha1.ReasonDriverNotReady, message: fmt.Sprintf(format, args...)}
	}
	if !r.Config.CSI.Enabled {
		return refused("The benchmark claims persistent volumes, but CSI is switched off: install the operator with " +
			"csi.enabled=true.")
	}
	if f.denied != nil {
		return refused("The manager may not read the objects that claims need (%v): install the operator with csi.enabled "+
			"in the chart, or with config/csi, and set csi.driverNamespace to the driver's namespace.", f.denied)
	}
	for _, v := range f.variants {
		if b := v.Baseline; b != nil && b.PersistentVolume != nil {
			name := b.PersistentVolume.StorageClassName
			if text := classProblem(name, f.classes[name]); text != "" {
				return refused("Variant %s: %s", v.Name, text)
			}
		}
		if !v.ClaimsFromDriver() {
			continue
		}
		if text := f.lacks(jobspec.ClassParameters(*v.Dataset, "pool/"+v.Name)); text != "" {
			return refused("Variant %s: %s", v.Name, text)
		}
		if !f.onNode[node.Name] {
			return refused("The CSI driver %s has not registered on node %s: its node agent must run there (CSINode %s does "+
				"not list it).", localpv.Provisioner, node.Name, node.Name)
		}
		if !f.inNamespace[node.Name] {
			return refused("There is no ZFSNode %s in namespace %s: csi.driverNamespace must be the namespace in which "+
				"zfs-localpv keeps its objects.", localpv.NodeID(node.Name, node.Labels), r.Config.CSI.DriverNamespace)
		}
	}
	return nil
}

// classProblem says what is wrong with an existing StorageClass; class is nil if it does not exist. Empty if nothing.
func classProblem(name string, class *storagev1.StorageClass) string {
	switch {
	case class == nil:
		return fmt.Sprintf("there is no StorageClass %s: create it, or name another one.", name)
	case !hasProvisioner(class):
		return fmt.Sprintf("StorageClass %s makes no volumes (provisioner %q), so a claim would get an existing one, which "+
			"may hold data: use a class with a provisioner.", name, class.Provisioner)
	case ptr.Deref(class.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete) != corev1.PersistentVolumeReclaimDelete:
		return fmt.Sprintf("StorageClass %s keeps a volume after its claim is deleted (reclaimPolicy %s), so each trial "+
			"would leave one: use a class with reclaimPolicy Delete.", name, *class.ReclaimPolicy)
	}
	return ""
}
