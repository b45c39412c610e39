// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxBytes bounds the sizes in a benchmark: 64 TiB. Products with the number of jobs stay far below what an int64
// holds, and CEL takes quantities of 100 TiB and more for no integers.
const MaxBytes int64 = 64 << 40

// Label and Subdomain are what Kubernetes takes for names.
var (
	Label     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	Subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// Bytes returns a quantity in bytes; false if it is no whole number of bytes, more than an int64 holds, or written with
// an exponent. The CRDs take no exponents either, and one such as 1e99999999 keeps a processor busy for minutes.
func Bytes(q resource.Quantity) (int64, bool) {
	if q.Format == resource.DecimalExponent {
		return 0, false
	}
	n := q.Value()
	return n, q.CmpInt64(n) == 0
}

// Text is a quantity for a message; one with an exponent may take minutes to print.
func Text(q resource.Quantity) string {
	if q.Format == resource.DecimalExponent {
		return "a number with an exponent"
	}
	return q.String()
}

// Size checks a size in bytes; least is what the message calls the minimum.
func Size(q resource.Quantity, minimum int64, least, example string, path *field.Path) field.ErrorList {
	if n, whole := Bytes(q); !whole || n < minimum || n > MaxBytes {
		return field.ErrorList{field.Invalid(path, Text(q),
			fmt.Sprintf("size must be a whole number of bytes from %s to 64Ti, for example %s", least, example))}
	}
	return nil
}

// Duration is the range of a duration in whole seconds, and how its message puts it.
type Duration struct {
	Name                 string
	Minimum, Maximum     time.Duration
	Least, Most, Example string
}

// Check accepts nil: a duration that is not set.
func (r Duration) Check(d *metav1.Duration, path *field.Path) field.ErrorList {
	if d == nil || (d.Duration >= r.Minimum && d.Duration <= r.Maximum && d.Duration%time.Second == 0) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, d.Duration.String(),
		fmt.Sprintf("%s must be whole seconds from %s to %s, for example %s", r.Name, r.Least, r.Most, r.Example))}
}

// Between checks a number against its inclusive bounds.
func Between(n, minimum, maximum int32, path *field.Path) field.ErrorList {
	switch {
	case n < minimum:
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("should be greater than or equal to %d", minimum))}
	case n > maximum:
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("should be less than or equal to %d", maximum))}
	}
	return nil
}

// OptionalBetween is Between for a number that may be unset.
func OptionalBetween(n *int32, minimum, maximum int32, path *field.Path) field.ErrorList {
	if n == nil {
		return nil
	}
	return Between(*n, minimum, maximum, path)
}

// OneOf checks an enumeration.
func OneOf[T ~string](v T, path *field.Path, valid ...T) field.ErrorList {
	if slices.Contains(valid, v) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, v, valid)}
}

// Count checks the length of a list.
func Count(n, minimum, maximum int, path *field.Path) field.ErrorList {
	switch {
	case n < minimum:
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("should have at least %d items", minimum))}
	case n > maximum:
		return field.ErrorList{field.TooMany(path, n, maximum)}
	}
	return nil
}

// Duplicates reports every value of a set that is there before.
func Duplicates(values []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			errs = append(errs, field.Duplicate(path.Index(i), v))
		}
	}
	return errs
}

const maxSubdomain = 253

// SubdomainName checks the name of an object of which Kubernetes takes long ones; must is the beginning of the message.
func SubdomainName(name, must string, path *field.Path) field.ErrorList {
	switch {
	case len(name) > maxSubdomain:
		return field.ErrorList{field.TooLong(path, name, maxSubdomain)}
	case !Subdomain.MatchString(name):
		return field.ErrorList{field.Invalid(path, name, must+
			": lower-case letters, digits, '-' and '.', with a letter or digit at both ends")}
	}
	return nil
}
