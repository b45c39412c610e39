// SPDX-License-Identifier: Apache-2.0

package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/analysis/compare"
	"zfsbench.io/operator/internal/report/model"
	"zfsbench.io/operator/internal/spec/layout"
	"zfsbench.io/operator/internal/text/human"
)

// maxTargets is how many variants are described in full.
const maxTargets = 8

// targets describes what was varied, and what the workloads ran on.
func (m *page) targets() {
	spec := m.Spec
	pools, datasets, parameters := "Pool", "Dataset", "Module parameters"
	if spec.Matrix != nil {
		m.matrix(*spec.Matrix)
		pools, datasets = "Pool, where a variant does not change it", "Dataset, where a variant does not change it"
		parameters = "Module parameters, where a variant does not change them"
	}
	if c := spec.Comparison; c != nil && c.Reference != "" {
		m.printf("- Reference: %s; differences within %s do not matter\n", escape(c.Reference), human.Percent(m.Margin))
	}
	if m.Varies() && len(m.Variants) <= maxTargets {
		for _, v := range m.Variants {
			if v.Baseline != nil {
				m.printf("- Variant %s: %s\n", escape(v.Name), escape(compare.Baseline(*v.Baseline)))
				continue
			}
			m.printf("- Variant %s: pool %s. Dataset %s%s\n", escape(v.Name), pool(v.Pool), dataset(v.Dataset),
				moduleParameters(". Module parameters:", v.ModuleParameters))
		}
		return
	}
	if p := spec.Pool; p != nil {
		m.printf("- %s: %s\n", pools, pool(*p))
	}
	if d := spec.Dataset; d != nil {
		m.printf("- %s: %s\n", datasets, dataset(*d))
	}
	if p := spec.ModuleParameters; len(p) > 0 {
		m.printf("- %s:%s\n", parameters, moduleParameters("", p))
	}
	for _, b := range spec.Baselines {
		m.printf("- Baseline %s: %s\n", escape(string(b.Name)), escape(compare.Baseline(b)))
	}
	if m.Varies() {
		m.printf("- Pool and dataset of each of the %d variants: in %s\n", len(m.Variants), model.JSONKey)
	}
}

// matrix says what varies.
func (m *page) matrix(spec v1alpha1.MatrixSpec) {
	for _, axis := range spec.Axes {
		m.printf("- Axis %s: %s\n", axis.Name, escape(strings.Join(valuesOf(axis), ", ")))
	}
	var excluded, included []string
	for _, e := range spec.Exclude {
		var values []string
		for _, axis := range slices.Sorted(maps.Keys(e)) {
			values = append(values, fmt.Sprintf("%s=%s", axis, e[axis]))
		}
		excluded = append(excluded, strings.Join(values, " with "))
	}
	for _, i := range spec.Include {
		included = append(included, string(i.Name))
	}
	if len(excluded) > 0 {
		m.printf("- Excluded: %s\n", escape(strings.Join(excluded, ", ")))
	}
	if len(included) > 0 {
		m.printf("- Included: %s\n", escape(strings.Join(included, ", ")))
	}
}

// valuesOf are the names of an axis's values.
func valuesOf(axis v1alpha1.Axis) []string {
	var values []string
	for _, v := range axis.Values {
		values = append(values, string(v.Name))
	}
	for _, v := range axis.PropertyValues {
		values = append(values, string(v))
	}
	return values
}

// pool is a pool with its vdevs, in whichever form it is given. Without a layout, which the variants set, it has
// devices only.
func pool(p v1alpha1.PoolSpec) string {
	p = layout.Expand(p)
	text := compare.Layout(p)
	if len(p.Devices) > 0 {
		text = strings.TrimSpace("devices " + strings.Join(p.Devices, " ") + " " + text)
	}
	if p.Ashift != nil {
		text += fmt.Sprintf("; ashift=%d", *p.Ashift)
	}
	return escape(text + settings(p.Properties))
}

func dataset(d v1alpha1.DatasetSpec) string {
	text := "filesystem"
	if d.Type == v1alpha1.DatasetVolume && d.Volume != nil {
		text = "volume of " + human.Bytes(float64(d.Volume.Size.Value()))
		if d.Volume.Sparse {
			text = "sparse " + text
		}
		if f := d.Volume.Filesystem; f != nil {
			text += " with " + compare.Filesystem(*f)
		}
	} else if d.PersistentVolume != nil || d.Quota != nil {
		text = compare.Dataset(d)
	}
	text += settings(d.Properties)
	for _, c := range d.Children {
		text += fmt.Sprintf("; child %s:%s", c.Name, listed("", c.Properties))
	}
	return escape(text)
}

// settings are properties by name, after a semicolon.
func settings[M ~map[string]v1alpha1.PropertyValue](properties M) string {
	return listed(";", properties)
}

// moduleParameters are parameters by name, after a title; nothing if there are none.
func moduleParameters(title string, parameters v1alpha1.ModuleParameters) string {
	return escape(listed(title, parameters))
}

func listed[M ~map[string]V, V ~string](title string, settings M) string {
	var out strings.Builder
	for i, name := range slices.Sorted(maps.Keys(settings)) {
		if i == 0 {
			out.WriteString(title)
		}
		out.WriteString(" " + name + "=" + string(settings[name]))
	}
	return out.String()
}
