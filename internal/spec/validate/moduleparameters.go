// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxModuleParameters       = 16
	maxPolicyModuleParameters = 64
	maxParameterName          = 64
	maxParameterValue         = 64
)

var (
	parameterName  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	parameterValue = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,19}|[a-z][a-z0-9_-]*)$`)
)

// What arc_tuning_update makes of parameters (module/zfs/arc.c of OpenZFS 2.1 to 2.4): a 0 changes nothing, so what another value has set stays in effect after 0 is written.
var (
	// unrestorable are those of which nothing shows what is in effect, so that nobody knows what to write before the 0; or that change another parameter for good.
	unrestorable = []string{
		"zfs_arc_grow_retry", "zfs_arc_meta_min", "zfs_arc_min_prefetch_ms", "zfs_arc_min_prescient_prefetch_ms", "zfs_arc_p_min_shift", "zfs_arc_shrink_shift",
	}
	zeroChangesNothing = []string{"zfs_arc_max", "zfs_arc_min", "zfs_arc_sys_free"}
)

// moduleParameters checks the parameters that a benchmark, or one of its variants, sets.
func moduleParameters[M ~map[string]v1alpha1.ModuleParameterValue](parameters M, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if n := len(parameters); n > maxModuleParameters {
		errs = append(errs, field.TooMany(path, n, maxModuleParameters))
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		value := parameters[name]
		at := path.Child(name)
		switch {
		case len(name) > maxParameterName || !parameterName.MatchString(name):
			errs = append(errs, field.Invalid(path, fmt.Sprintf("%.80s", name),
				"moduleParameters must have names of parameters of the modules zfs and spl as keys, for example zfs_txg_timeout"))
		case slices.Contains(unrestorable, name):
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("module parameter %s cannot be restored after a trial: remove it", name)))
		case len(value) > maxParameterValue:
			errs = append(errs, field.TooLong(at, value, maxParameterValue))
		case !parameterValue.MatchString(string(value)):
			errs = append(errs, field.Invalid(at, value, fmt.Sprintf("should match '%s': a decimal number, or a word", parameterValue)))
		case value == "0" && slices.Contains(zeroChangesNothing, name):
			errs = append(errs, field.Invalid(path, value, name+" must not be 0, which changes nothing in a running module: leave it out"))
		}
	}
	return errs
}

// policyModuleParameters checks the names that a policy allows.
func policyModuleParameters(names []string, path *field.Path) field.ErrorList {
	errs := fields.Count(len(names), 0, maxPolicyModuleParameters, path)
	errs = append(errs, fields.Duplicates(names, path)...)
	for i, name := range names {
		switch {
		case len(name) > maxParameterName:
			errs = append(errs, field.TooLong(path.Index(i), name, maxParameterName))
		case !parameterName.MatchString(name):
			errs = append(errs, field.Invalid(path.Index(i), name,
				"moduleParameters must be names of parameters of the modules zfs and spl, for example zfs_txg_timeout, no globs"))
		}
	}
	return errs
}
