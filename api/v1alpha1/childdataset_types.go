// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"maps"
	"slices"
)

// ChildDataset is a filesystem below the dataset.
type ChildDataset struct {
	// name of the child. Jobs of fio refer to it in their field dataset.
	// +required
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z][a-z0-9]*$')`,message="name becomes part of the name of a dataset: it must be lower-case letters and digits, and begin with a letter, for example db"
	Name string `json:"name"`

	// properties are the dataset properties that the child sets itself; it inherits all others. Quote numbers, on and off:
	// "512", "on".
	// +optional
	Properties DatasetProperties `json:"properties,omitempty"`
}

// Child is the dataset as it is for one of its children: with the child's own properties over those that it inherits.
// Without a name it is the dataset itself; false if there is no such child.
func (d DatasetSpec) Child(name string) (DatasetSpec, bool) {
	if name == "" {
		return d, true
	}
	i := slices.IndexFunc(d.Children, func(c ChildDataset) bool { return c.Name == name })
	if i < 0 {
		return DatasetSpec{}, false
	}
	child := DatasetSpec{Type: d.Type, Properties: maps.Clone(d.Properties)}
	if child.Properties == nil {
		child.Properties = DatasetProperties{}
	}
	maps.Copy(child.Properties, d.Children[i].Properties)
	return child, true
}

// WithChildren are the dataset and its children, each as it is with what it inherits.
func (d DatasetSpec) WithChildren() []DatasetSpec {
	all := []DatasetSpec{d}
	for _, c := range d.Children {
		child, _ := d.Child(c.Name)
		all = append(all, child)
	}
	return all
}
