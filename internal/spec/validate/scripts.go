// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
)

// maxAllCommands bounds the commands of all scripts together, in bytes: they are a part of every plan.
const maxAllCommands = 64 << 10

// commands checks how long the commands of all scripts are together.
func commands(ws []v1alpha1.Workload, path *field.Path) field.ErrorList {
	all := 0
	for _, w := range ws {
		if w.Script != nil {
			for _, word := range w.Script.Command {
				all += len(word)
			}
		}
	}
	if all > maxAllCommands {
		return field.ErrorList{field.Invalid(path, all, fmt.Sprintf("the commands of all scripts together must be at most "+
			"%d bytes: put what is long into the image", maxAllCommands))}
	}
	return nil
}
