// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestDescriptionsAskForQuotes: YAML takes 512 for a number and off for a boolean, and the API server refuses both by
// their type, before any rule could say what to do.
func TestDescriptionsAskForQuotes(t *testing.T) {
	found := 0
	for _, document := range schemas(t) {
		eachSchema(document, func(node map[string]any) {
			fields, _ := node["properties"].(map[string]any)
			for _, name := range []string{"properties", "propertyValues", "moduleParameters"} {
				field, _ := fields[name].(map[string]any)
				text, ok := field["description"].(string)
				if ok && (field["additionalProperties"] != nil || name == "propertyValues") {
					found++
					if !strings.Contains(strings.Join(strings.Fields(text), " "), "Quote numbers") {
						t.Errorf("%s: %q does not say what to quote", name, text)
					}
				}
			}
		})
	}
	if found == 0 {
		t.Error("there are no such fields")
	}
}

// TestEveryRuleHasAMessage: without one the API server prints the rule itself. A messageExpression is not enough: one
// that quotes a value with a line break is dropped.
func TestEveryRuleHasAMessage(t *testing.T) {
	found := 0
	for file, document := range schemas(t) {
		eachSchema(document, func(node map[string]any) {
			rules, _ := node["x-kubernetes-validations"].([]any)
			for _, each := range rules {
				found++
				rule, _ := each.(map[string]any)
				message, _ := rule["message"].(string)
				if strings.TrimSpace(message) == "" || strings.ContainsAny(message, "\r\n") {
					t.Errorf("%s: no message, or one of several lines, for rule %v", file, rule["rule"])
				}
			}
		})
	}
	if found == 0 {
		t.Error("no rules")
	}
}

// schemas are the CRDs, by the name of their file.
func schemas(t *testing.T) map[string]any {
	t.Helper()
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	all := map[string]any{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document any
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = document
	}
	return all
}

// eachSchema visits every object of a document.
func eachSchema(node any, visit func(map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(node)
		for _, child := range node {
			eachSchema(child, visit)
		}
	case []any:
		for _, child := range node {
			eachSchema(child, visit)
		}
	}
}
