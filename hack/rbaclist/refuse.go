// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

var (
	// forbiddenVerbs lead to rights that no list shows.
	forbiddenVerbs = []string{"bind", "escalate", "impersonate"}
	// forbiddenResources lead to the Secrets of others, into their pods or onto nodes.
	forbiddenResources = []string{
		"secrets", "serviceaccounts/token", "nodes/proxy",
		"pods/attach", "pods/ephemeralcontainers", "pods/exec", "pods/portforward", "pods/proxy",
	}
)

// refuse returns what no role or binding of the operator may hold, whatever the golden list says.
func (r rights) refuse() []string {
	var problems []string
	known := map[string]bool{}
	for _, role := range r.roles {
		known[role.id()] = true
		if role.AggregationRule != nil {
			problems = append(problems, role.id()+" collects rights of other roles")
		}
		for _, rule := range role.Rules {
			for _, problem := range refuseRule(rule) {
				problems = append(problems, role.id()+" "+problem)
			}
		}
	}
	for _, b := range r.bindings {
		if !known[b.role()] {
			problems = append(problems, fmt.Sprintf("%s gives %s, which is not among the manifests",
				id(b.Kind, b.Namespace, b.Name), b.role()))
		}
	}
	return problems
}

func refuseRule(rule rbacv1.PolicyRule) []string {
	var problems []string
	for _, text := range slices.Concat(rule.Verbs, rule.APIGroups, rule.Resources, rule.ResourceNames,
		rule.NonResourceURLs) {
		if strings.Contains(text, "*") {
			problems = append(problems, "has a wildcard: "+text)
		}
	}
	for _, verb := range rule.Verbs {
		if slices.Contains(forbiddenVerbs, verb) {
			problems = append(problems, "may "+verb)
		}
	}
	for _, resource := range rule.Resources {
		if slices.Contains(forbiddenResources, resource) {
			problems = append(problems, "has rights on "+resource)
		}
	}
	return problems
}
