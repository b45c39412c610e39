// SPDX-License-Identifier: Apache-2.0

package crd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestEveryRuleHasAMessage: without one the API server prints the rule itself. A messageExpression is not enough: one that quotes a value with a line break
// is dropped.
func TestEveryRuleHasAMessage(t *testing.T) {
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document any
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		rules := 0
		eachRule(document, func(rule map[string]any) {
			rules++
			message, _ := rule["message"].(string)
			if strings.TrimSpace(message) == "" || strings.ContainsAny(message, "\r\n") {
				t.Errorf("%s: no message, or one of several lines, for rule %v", filepath.Base(file), rule["rule"])
			}
		})
		if rules == 0 {
			t.Errorf("%s has no rules", file)
		}
	}
}

// eachRule visits all x-kubernetes-validations of a schema.
func eachRule(node any, visit func(map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		rules, _ := node["x-kubernetes-validations"].([]any)
		for _, rule := range rules {
			visit(rule.(map[string]any))
		}
		for _, child := range node {
			eachRule(child, visit)
		}
	case []any:
		for _, child := range node {
			eachRule(child, visit)
		}
	}
}
