// SPDX-License-Identifier: Apache-2.0

package script

import (
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxCommandWords, maxCommandWord = 64, 8192

	maxMetrics, maxMetricName = 16, 30
)

var (
	timeout = fields.Duration{Name: "timeout", Minimum: time.Second, Maximum: 24 * time.Hour, Least: "1s", Most: "24h",
		Example: "10m"}
	metricName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
)

// Validate checks a script.
func (t Tool) Validate(path *field.Path) field.ErrorList {
	errs := fields.ImageReference(string(t.Image), path.Child("image"))
	errs = append(errs, command(t.Command, path.Child("command"))...)
	errs = append(errs, metrics(t.Metrics, path.Child("metrics"))...)
	errs = append(errs, fields.Size(t.Size, 1, "1", "10Gi", path.Child("size"))...)
	return append(errs, timeout.Check(t.Timeout, path.Child("timeout"))...)
}

// command checks an argument vector.
func command(words []string, path *field.Path) field.ErrorList {
	errs := fields.Count(len(words), 1, maxCommandWords, path)
	for i, word := range words {
		if len(word) > maxCommandWord {
			errs = append(errs, field.TooLong(path.Index(i), "", maxCommandWord))
		}
		if slices.Contains([]byte(word), 0) {
			errs = append(errs, field.Invalid(path.Index(i), "", "an argument of a program has no NUL character"))
		}
	}
	if len(words) > 0 && words[0] == "" {
		errs = append(errs, field.Invalid(path, "", "command must begin with a program"))
	}
	return errs
}

// metrics checks the numbers that a script prints.
func metrics(all []v1alpha1.ScriptMetric, path *field.Path) field.ErrorList {
	errs := fields.Count(len(all), 1, maxMetrics, path)
	names := map[string]bool{}
	for i, m := range all {
		at := path.Index(i)
		switch {
		case len(m.Name) > maxMetricName:
			errs = append(errs, field.TooLong(at.Child("name"), m.Name, maxMetricName))
		case !metricName.MatchString(m.Name):
			errs = append(errs, field.Invalid(at.Child("name"), m.Name,
				"name must be letters and digits that begin with a small letter, for example rows"))
		}
		errs = append(errs, fields.OneOf(m.Unit, at.Child("unit"), v1alpha1.ScriptSeconds, v1alpha1.ScriptPerSecond,
			v1alpha1.ScriptBytesPerSecond)...)
		if names[m.Name] {
			errs = append(errs, field.Duplicate(at, m.Name))
		}
		names[m.Name] = true
	}
	return errs
}
