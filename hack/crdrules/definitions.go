// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// definition is a name for an expression, with or without parameters.
type definition struct {
	parameters []string
	body       string
	used       bool
}

type definitions map[string]*definition

var head = regexp.MustCompile(`^([a-z][A-Za-z]+)(?:\(([a-z][A-Za-z]+(?:, [a-z][A-Za-z]+)*)\))? =(.*)$`)

// parse reads definitions: `name(a, b) =` or `name =`, and the expression on the same line and on the indented lines
// that follow. Lines that begin with // are comments.
func parse(text string) (definitions, error) {
	all := definitions{}
	var last *definition
	for number, line := range strings.Split(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "//"):
		case strings.HasPrefix(line, " ") && last != nil:
			last.body = strings.TrimSpace(last.body + " " + strings.TrimSpace(line))
		default:
			m := head.FindStringSubmatch(line)
			if len(m) == 0 || all[m[1]] != nil {
				return nil, fmt.Errorf("line %d is no definition, or a second one of a name: %s", number+1, line)
			}
			last = &definition{body: strings.TrimSpace(m[3])}
			if m[2] != "" {
				last.parameters = strings.Split(m[2], ", ")
			}
			all[m[1]] = last
		}
	}
	return all, all.checkParameters()
}

// checkParameters refuses parameters that have the name of a definition.
func (all definitions) checkParameters() error {
	for name, d := range all {
		for _, parameter := range d.parameters {
			if all[parameter] != nil {
				return fmt.Errorf("a parameter of %s has the name of a definition: %s", name, parameter)
			}
		}
	}
	return nil
}

// unused returns an error that names a definition which no rule needs.
func (all definitions) unused() error {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !all[name].used {
			return fmt.Errorf("no rule uses the definition %s: remove it", name)
		}
	}
	return nil
}
