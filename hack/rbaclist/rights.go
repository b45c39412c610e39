// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// role is a Role or ClusterRole; a Role's fields are all in a ClusterRole.
type role struct{ rbacv1.ClusterRole }

// binding is a RoleBinding or ClusterRoleBinding.
type binding struct{ rbacv1.RoleBinding }

// rights are all roles and bindings of some manifests.
type rights struct {
	roles    []role
	bindings []binding
}

// read collects the roles and bindings in a stream of YAML documents and disregards everything else.
func read(in io.Reader) (rights, error) {
	var all rights
	decoder := yaml.NewYAMLOrJSONDecoder(in, 4096)
	for {
		var raw runtime.RawExtension
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return rights{}, fmt.Errorf("read a manifest: %w", err)
		}
		if err := all.add(raw.Raw); err != nil {
			return rights{}, err
		}
	}
}

func (r *rights) add(manifest []byte) error {
	var kind metav1.TypeMeta
	if err := sigsyaml.Unmarshal(manifest, &kind); err != nil {
		return fmt.Errorf("read a manifest: %w", err)
	}
	switch kind.Kind {
	case "Role", "ClusterRole":
		var one role
		if err := sigsyaml.UnmarshalStrict(manifest, &one.ClusterRole); err != nil {
			return fmt.Errorf("read a %s: %w", kind.Kind, err)
		}
		r.roles = append(r.roles, one)
	case "RoleBinding", "ClusterRoleBinding":
		var one binding
		if err := sigsyaml.UnmarshalStrict(manifest, &one.RoleBinding); err != nil {
			return fmt.Errorf("read a %s: %w", kind.Kind, err)
		}
		r.bindings = append(r.bindings, one)
	}
	return nil
}

// text is the list, sorted: each right of each role, then who is bound to what.
func (r rights) text() string {
	var granted, bound []string
	for _, role := range r.roles {
		granted = append(granted, role.lines()...)
	}
	for _, binding := range r.bindings {
		bound = append(bound, binding.lines()...)
	}
	slices.Sort(granted)
	slices.Sort(bound)
	return strings.Join(slices.Concat(slices.Compact(granted), slices.Compact(bound)), "\n") + "\n"
}

// lines are the role's rights, and where it is added to a built-in role.
func (r role) lines() []string {
	var lines []string
	for _, rule := range r.Rules {
		for _, verb := range rule.Verbs {
			for _, what := range targets(rule) {
				lines = append(lines, fmt.Sprintf("%s: %s %s", r.id(), verb, what))
			}
		}
	}
	for label, value := range r.Labels {
		if to, ok := strings.CutPrefix(label, "rbac.authorization.k8s.io/aggregate-to-"); ok && value == "true" {
			lines = append(lines, fmt.Sprintf("%s: is part of %s", r.id(), to))
		}
	}
	return lines
}

// targets are what a rule's verbs apply to, as kubectl writes them: RESOURCE.GROUP/SUBRESOURCE, with a name after a
// space if only one is meant.
func targets(rule rbacv1.PolicyRule) []string {
	all := slices.Clone(rule.NonResourceURLs)
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			name, subresource, sub := strings.Cut(resource, "/")
			if group != "" {
				name += "." + group
			}
			if sub {
				name += "/" + subresource
			}
			if len(rule.ResourceNames) == 0 {
				all = append(all, name)
			}
			for _, one := range rule.ResourceNames {
				all = append(all, name+" "+one)
			}
		}
	}
	return all
}

func (r role) id() string { return id(r.Kind, r.Namespace, r.Name) }

func (b binding) lines() []string {
	var lines []string
	for _, s := range b.Subjects {
		lines = append(lines, fmt.Sprintf("%s: %s is %s",
			id(b.Kind, b.Namespace, b.Name), id(s.Kind, s.Namespace, s.Name), b.role()))
	}
	return lines
}

// role is the id of the role that the binding gives.
func (b binding) role() string {
	if b.RoleRef.Kind == "Role" {
		return id("Role", b.Namespace, b.RoleRef.Name)
	}
	return id(b.RoleRef.Kind, "", b.RoleRef.Name)
}

func id(kind, namespace, name string) string {
	if namespace != "" {
		name = namespace + "/" + name
	}
	return kind + " " + name
}
