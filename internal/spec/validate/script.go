// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxCommandWords, maxCommandWord = 64, 8192

	// maxAllCommands is how long those of all scripts together may be, in bytes: they are a part of every plan.
	maxAllCommands = 64 << 10

	maxScriptMetrics, maxScriptMetricName = 16, 30
)

var (
	scriptTimeout = fields.Duration{Name: "timeout", Minimum: time.Second, Maximum: 24 * time.Hour, Least: "1s", Most: "24h", Example: "10m"}
	metricName    = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)
)

// script checks a script.
func script(w *v1alpha1.ScriptWorkload, path *field.Path) field.ErrorList {
	errs := fields.ImageReference(string(w.Image), path.Child("image"))
	errs = append(errs, command(w.Command, path.Child("command"))...)
	errs = append(errs, scriptMetrics(w.Metrics, path.Child("metrics"))...)
	errs = append(errs, fields.Size(w.Size, 1, "1", "10Gi", path.Child("size"))...)
	return append(errs, scriptTimeout.Check(w.Timeout, path.Child("timeout"))...)
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

// commands checks how long those of all scripts together are.
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
		return field.ErrorList{field.Invalid(path, all, fmt.Sprintf("the commands of all scripts together must be at most %d bytes: put what is long into the image", maxAllCommands))}
	}
	return nil
}

// scriptMetrics checks the numbers that a script prints.
func scriptMetrics(metrics []v1alpha1.ScriptMetric, path *field.Path) field.ErrorList {
	errs := fields.Count(len(metrics), 1, maxScriptMetrics, path)
	names := map[string]bool{}
	for i, m := range metrics {
		at := path.Index(i)
		switch {
		case len(m.Name) > maxScriptMetricName:
			errs = append(errs, field.TooLong(at.Child("name"), m.Name, maxScriptMetricName))
		case !metricName.MatchString(m.Name):
			errs = append(errs, field.Invalid(at.Child("name"), m.Name, "name must be letters and digits that begin with a small letter, for example rows"))
		}
		errs = append(errs, fields.OneOf(m.Unit, at.Child("unit"), v1alpha1.ScriptSeconds, v1alpha1.ScriptPerSecond, v1alpha1.ScriptBytesPerSecond)...)
		if names[m.Name] {
			errs = append(errs, field.Duplicate(at, m.Name))
		}
		names[m.Name] = true
	}
	return errs
}
