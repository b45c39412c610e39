// SPDX-License-Identifier: Apache-2.0

package validate

import (
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

// MaxNodes is on how many nodes a benchmark may run.
const MaxNodes = 64

// nodes checks the selector, whose schema is Kubernetes' own and has no rules.
func nodes(n v1alpha1.NodesSpec, path *field.Path) field.ErrorList {
	if n.Selector == nil {
		return nil
	}
	return metav1validation.ValidateLabelSelector(n.Selector, metav1validation.LabelSelectorValidationOptions{},
		path.Child("selector"))
}
