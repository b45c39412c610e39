// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const defined = `
// A comment.
label = '[a-z]+'
isLabel(text) =
  text.matches('^' + label + '$')
isWide(vdev, least) = vdev.devices.size() >= least && isListed(vdev.name)
isListed(name) = self.names.exists(n, n == name)
size(list) = has(list) ? list.size() : 0
`

func TestExpand(t *testing.T) {
	tests := map[string]struct{ rules, want string }{
		"nothing to expand": {
			"[{rule: 'self.name != \"label\"', message: m}]",
			"[{rule: 'self.name != \"label\"', message: m}]"},
		"a pattern made of parts": {
			`[{rule: "isLabel(self)"}]`,
			`[{rule: "(self.matches('^[a-z]+$'))"}]`},
		"a definition in a definition, with a parameter of the same name as a field": {
			`[{rule: "self.all(v, isWide(v, 64Ki))"}]`,
			`[{rule: "self.all(v, (v.devices.size() >= 65536 && (self.names.exists(n, n == v.name))))"}]`},
		"an argument with commas": {
			`[{rule: "isListed([self.a, f(b, c)][0])"}]`,
			`[{rule: "(self.names.exists(n, n == ([self.a, f(b, c)][0])))"}]`},
		"names of fields and texts stay": {
			`[{rule: "self.label == 'label' || self.size(1)", messageExpression: "'64Ki ' + label"}]`,
			`[{rule: "self.label == 'label' || self.size(1)", messageExpression: "'64Ki [a-z]+'"}]`},
		"one rule for several fields": {
			`[{rule: "for FIELD in a, b: size(self.FIELD) > 1", fieldPath: .FIELD, message: FIELD is short}]`,
			`[{rule: "(has(self.a) ? self.a.size() : 0) > 1", fieldPath: .a, message: a is short},
			  {rule: "(has(self.b) ? self.b.size() : 0) > 1", fieldPath: .b, message: b is short}]`},
		"the message in an expression": {
			`[{rule: "true", messageExpression: "MESSAGE + ', not ' + self", message: a is bad}]`,
			`[{rule: "true", messageExpression: "'a is bad, not ' + self", message: a is bad}]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			all, err := parse(defined)
			if err != nil {
				t.Fatal(err)
			}
			got, want := decode(t, tt.rules), decode(t, tt.want)
			if err := all.expandAll(got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

// decode makes a schema of the rules of one of its nodes.
func decode(t *testing.T, rules string) (schema map[string]any) {
	t.Helper()
	text := "properties: {spec: {x-kubernetes-validations: " + strings.ReplaceAll(rules, "\n\t\t\t", "") + "}}"
	if err := yaml.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestErrors(t *testing.T) {
	tests := map[string]struct{ definitions, rule, want string }{
		"too few arguments":  {defined, "isWide(self)", "isWide: needs 2 arguments, has 1"},
		"no definition":      {"label: 1", "", "line 1 is no definition"},
		"defined twice":      {"aa = 1\naa = 2", "", "line 2 is no definition"},
		"one letter":         {"aa(v) = v", "", "line 1 is no definition"},
		"a parameter's name": {"aa = 1\nbb(aa) = aa", "", "a parameter of bb has the name of a definition: aa"},
		"not used":           {"aa = 1\nbb = 2", "aa == 1", "no rule uses the definition bb"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			all, err := parse(tt.definitions)
			if err == nil {
				_, err = all.expand(tt.rule)
			}
			if err == nil {
				err = all.unused()
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
		})
	}
}
