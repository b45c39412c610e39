// SPDX-License-Identifier: Apache-2.0

package validate

import (
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

// nodes checks how the nodes are chosen, not whether they exist.
func nodes(n v1alpha1.NodesSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if (n.Names != nil) == (n.Selector != nil) {
		errs = append(errs, field.Invalid(path, "", "exactly one of names and selector must be set"))
	}
	if n.Names != nil {
		errs = append(errs, fields.Count(len(n.Names), 1, MaxNodes, path.Child("names"))...)
		errs = append(errs, fields.Duplicates(n.Names, path.Child("names"))...)
	}
	for i, name := range n.Names {
		errs = append(errs, nodeName(name, "names must be names of nodes", path.Child("names").Index(i))...)
	}
	if n.Selector != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(n.Selector, metav1validation.LabelSelectorValidationOptions{}, path.Child("selector"))...)
	}
	return append(errs, fields.OptionalBetween(n.MaxParallel, 1, MaxNodes, path.Child("maxParallel"))...)
}

func nodeName(name, must string, path *field.Path) field.ErrorList {
	if len(name) > 253 {
		return field.ErrorList{field.TooLong(path, name, 253)}
	}
	if !fields.Subdomain.MatchString(name) {
		return field.ErrorList{field.Invalid(path, name, must+": lower-case letters, digits, '-' and '.'")}
	}
	return nil
}
