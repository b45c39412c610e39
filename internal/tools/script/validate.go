// SPDX-License-Identifier: Apache-2.0

package script

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate refuses arguments that no program can be given.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, word := range t.Command {
		if strings.Contains(word, "\x00") {
			errs = append(errs, field.Invalid(path.Child("command").Index(i), "", "an argument of a program has no NUL "+
				"character"))
		}
	}
	return errs
}
