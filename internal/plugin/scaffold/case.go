// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/config/samples/cases"
	"zfsbench.io/operator/internal/spec/validate"
)

// Cases lists the cases, a line each.
func Cases() (string, error) {
	all, err := cases.All()
	var known strings.Builder
	for _, c := range all {
		fmt.Fprintf(&known, "%-17s %s\n", c.Name, c.Question)
	}
	return known.String(), err
}

// CaseOf returns the case with this name.
func CaseOf(name string) (cases.Case, error) {
	all, err := cases.All()
	if err != nil {
		return cases.Case{}, err
	}
	i := slices.IndexFunc(all, func(c cases.Case) bool { return c.Name == name })
	if i < 0 {
		return cases.Case{}, fmt.Errorf("there is no case %s: `kubectl zfsbench init --case list` shows all", name)
	}
	return all[i], nil
}

// DisksOf is how many disks a case needs on each node.
func DisksOf(c cases.Case) (int, error) {
	devices, err := devicesOf(c)
	return len(devices), err
}

func devicesOf(c cases.Case) ([]v1alpha1.Device, error) {
	b, err := validate.ReadBenchmark([]byte(c.Manifest))
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", c.Name, err)
	}
	return b.Spec.Devices, nil
}

// Case returns the manifest of a case, with its comments, for the nodes and disks of the values. There must be as many
// devices as the case has, unless there is a class.
func Case(c cases.Case, v Values) ([]byte, error) {
	devices, err := devicesOf(c)
	if err != nil {
		return nil, err
	}
	if v.Class == "" && len(v.Devices) != len(devices) {
		return nil, fmt.Errorf("case %s uses %d disks (%s), and there are %d", c.Name, len(devices), namesOf(devices),
			len(v.Devices))
	}
	lines := strings.Split(c.Manifest, "\n")
	begin := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  # Yours:") })
	end := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  pool:") })
	name := slices.Index(lines, "  name: "+c.Name)
	if begin < 0 || end < begin || name < 0 {
		return nil, fmt.Errorf("case %s has no place for nodes and disks", c.Name)
	}
	head := []string{"  name: " + quote(v.Name)}
	if v.Namespace != "" {
		head = append(head, "  namespace: "+quote(v.Namespace))
	}
	yours := append([]string{"  nodes: {names: [" + strings.Join(quoteAll(v.Nodes), ", ") + "]}", "  devices:"},
		deviceLines(devices, v)...)
	text := strings.Join(slices.Concat(lines[:name], head, []string{"spec:"}, yours, lines[end:]), "\n")
	if _, err := validate.ReadBenchmark([]byte(text)); err != nil {
		return nil, err
	}
	return []byte(text), nil
}

// deviceLines gives the devices of a case disks of a class, or paths.
func deviceLines(devices []v1alpha1.Device, v Values) []string {
	var lines []string
	if v.Class == "" {
		for i, d := range devices {
			lines = append(lines, fmt.Sprintf("    - {name: %s, path: %s}", d.Name, quote(v.Devices[i])))
		}
		return lines
	}
	for _, g := range groupsOf(devices) {
		lines = append(lines, fmt.Sprintf("    - {name: %s, class: %s, count: %d}", g.name, quote(v.Class), g.count))
	}
	return lines
}

// group is d, 4 for d0 to d3.
type group struct {
	name  string
	count int
}

var numbered = regexp.MustCompile(`^([a-z]+)([0-9]+)$`)

// groupsOf are the devices by name, in their order. All of them are numbered from 0.
func groupsOf(devices []v1alpha1.Device) []group {
	var groups []group
	for _, d := range devices {
		parts := numbered.FindStringSubmatch(d.Name)
		if parts == nil {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.name == parts[1] })
		if i < 0 {
			i, groups = len(groups), append(groups, group{name: parts[1]})
		}
		if number, err := strconv.Atoi(parts[2]); err == nil {
			groups[i].count = max(groups[i].count, number+1)
		}
	}
	return groups
}

func namesOf(devices []v1alpha1.Device) string {
	var names []string
	for _, d := range devices {
		names = append(names, d.Name)
	}
	return strings.Join(names, ", ")
}
