// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
)

const (
	// maxModuleParameters is how many parameters of OpenZFS's kernel modules a document may hold: a variant's own, and a
	// few that depend on them.
	maxModuleParameters = 20
	maxParameterValue   = 64
)

var (
	// parameterPattern is what a parameter is called; it becomes part of a path.
	parameterPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	numberPattern    = regexp.MustCompile(`^[0-9]{1,20}$`)
)

// ModuleParameter is a parameter of OpenZFS's kernel modules as it was before a trial, and has to be again.
type ModuleParameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// InEffect is the number that is in effect, for a parameter whose value may be another one; else empty.
	InEffect string `json:"inEffect,omitempty"`
}

// checkParameters says what is wrong with the parameters in effect during a trial, by name, or nil.
func checkParameters(parameters map[string]string) error {
	if len(parameters) > maxModuleParameters {
		return fmt.Errorf("more than %d", maxModuleParameters)
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !parameterPattern.MatchString(name) {
			return fmt.Errorf("%.80q is no name of a parameter", name)
		}
		if n := len(parameters[name]); n == 0 || n > maxParameterValue {
			return fmt.Errorf("%s has a value of %d characters", name, n)
		}
	}
	return nil
}

// checkParametersBefore says what is wrong with the parameters that an ownership records, or nil. They are written to
// the module on its word.
func checkParametersBefore(o Ownership) error {
	if len(o.ModuleParameters) > maxModuleParameters {
		return fmt.Errorf("more than %d", maxModuleParameters)
	}
	if len(o.ModuleParameters) > 0 && o.BootID == "" {
		return fmt.Errorf("there is no bootID")
	}
	for _, p := range o.ModuleParameters {
		if !parameterPattern.MatchString(p.Name) {
			return fmt.Errorf("%.80q is no name of a parameter", p.Name)
		}
		if p.InEffect != "" && !numberPattern.MatchString(p.InEffect) {
			return fmt.Errorf("%q is in effect for %s, which is no number", p.InEffect, p.Name)
		}
	}
	return nil
}
