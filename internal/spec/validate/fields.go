// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxBytes bounds the sizes in a benchmark: 64 TiB. Products with the number of jobs stay far below what an int64 holds, and CEL takes quantities of
// 100 TiB and more for no integers.
const MaxBytes int64 = 64 << 40

var (
	label     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// Bytes returns a quantity in bytes; false if it is no whole number of bytes, more than an int64 holds, or written with an exponent. The CRDs take no
// exponents either, and one such as 1e99999999 keeps a processor busy for minutes.
func Bytes(q resource.Quantity) (int64, bool) {
	if q.Format == resource.DecimalExponent {
		return 0, false
	}
	n := q.Value()
	return n, q.CmpInt64(n) == 0
}

// text is a quantity for a message; one with an exponent may take minutes to print.
func text(q resource.Quantity) string {
	if q.Format == resource.DecimalExponent {
		return "a number with an exponent"
	}
	return q.String()
}

// size checks a size in bytes; least is what the message calls the minimum.
func size(q resource.Quantity, minimum int64, least, example string, path *field.Path) field.ErrorList {
	if n, whole := Bytes(q); !whole || n < minimum || n > MaxBytes {
		return field.ErrorList{field.Invalid(path, text(q),
			fmt.Sprintf("size must be a whole number of bytes from %s to 64Ti, for example %s", least, example))}
	}
	return nil
}

// durationRule is the range of a duration in whole seconds, and how its message puts it.
type durationRule struct {
	name                 string
	minimum, maximum     time.Duration
	least, most, example string
}

var (
	timeout    = durationRule{"timeout", time.Minute, 30 * 24 * time.Hour, "1m", "720h", "4h"}
	maxTimeout = durationRule{"maxTimeout", time.Minute, 30 * 24 * time.Hour, "1m", "720h", "24h"}
	runtime    = durationRule{"runtime", time.Second, 7 * 24 * time.Hour, "1s", "168h", "60s"}
	maxTime    = durationRule{"maxTime", time.Second, 7 * 24 * time.Hour, "1s", "168h", "60s"}
	startDelay = durationRule{"startDelay", 0, 24 * time.Hour, "0s", "24h", "30s"}
	rampTime   = durationRule{"rampTime", time.Second, 24 * time.Hour, "1s", "24h", "10s"}
)

// check accepts nil: a duration that is not set.
func (r durationRule) check(d *metav1.Duration, path *field.Path) field.ErrorList {
	if d == nil || (d.Duration >= r.minimum && d.Duration <= r.maximum && d.Duration%time.Second == 0) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, d.Duration.String(),
		fmt.Sprintf("%s must be whole seconds from %s to %s, for example %s", r.name, r.least, r.most, r.example))}
}

// between checks a number against its inclusive bounds.
func between(n, minimum, maximum int32, path *field.Path) field.ErrorList {
	switch {
	case n < minimum:
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("should be greater than or equal to %d", minimum))}
	case n > maximum:
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("should be less than or equal to %d", maximum))}
	}
	return nil
}

// optionalBetween is between for a number that may be unset.
func optionalBetween(n *int32, minimum, maximum int32, path *field.Path) field.ErrorList {
	if n == nil {
		return nil
	}
	return between(*n, minimum, maximum, path)
}

// oneOf checks an enumeration.
func oneOf[T ~string](v T, path *field.Path, valid ...T) field.ErrorList {
	if slices.Contains(valid, v) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, v, valid)}
}

// count checks the length of a list.
func count(n, minimum, maximum int, path *field.Path) field.ErrorList {
	switch {
	case n < minimum:
		return field.ErrorList{field.Invalid(path, n, fmt.Sprintf("should have at least %d items", minimum))}
	case n > maximum:
		return field.ErrorList{field.TooMany(path, n, maximum)}
	}
	return nil
}

// duplicates reports every value of a set that is there before.
func duplicates(values []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			errs = append(errs, field.Duplicate(path.Index(i), v))
		}
	}
	return errs
}
