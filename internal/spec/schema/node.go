// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// node is one place in a schema: an object, a list or a value.
type node struct {
	isRoot bool
	// bare is the schema from here on, without rules.
	bare *structural.Structural
	// rules are the node's own; hasRules says whether there are any from here on.
	rules    *rules
	hasRules bool

	fields        map[string]*node
	items, values *node
}

// parse makes the nodes of an openAPIV3Schema.
func parse(text []byte) (*node, *apiextensions.JSONSchemaProps, error) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(text, &v1); err != nil {
		return nil, nil, err
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
		return nil, nil, err
	}
	s, err := structural.NewStructural(&props)
	if err != nil {
		return nil, nil, err
	}
	return newNode(s, true), &props, nil
}

// newNode moves the rules out of s, and out of everything below it.
func newNode(s *structural.Structural, isRoot bool) *node {
	n := &node{isRoot: isRoot, bare: s}
	if len(s.Properties) > 0 {
		n.fields = make(map[string]*node, len(s.Properties))
	}
	for name, field := range s.Properties {
		n.fields[name] = newNode(&field, false)
		s.Properties[name] = field
	}
	if s.Items != nil {
		n.items = newNode(s.Items, false)
	}
	if a := s.AdditionalProperties; a != nil && a.Structural != nil {
		n.values = newNode(a.Structural, false)
	}
	n.rules = newRules(s.XValidations)
	s.XValidations = nil
	n.hasRules = n.rules != nil
	_ = n.eachChild(func(_ string, child *node) error {
		n.hasRules = n.hasRules || child.hasRules
		return nil
	})
	return n
}

// eachChild visits the direct children; name is what a child's path adds to the node's.
func (n *node) eachChild(visit func(name string, child *node) error) error {
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		if err := visit("."+name, n.fields[name]); err != nil {
			return err
		}
	}
	for name, child := range map[string]*node{"[]": n.items, "{}": n.values} {
		if child == nil {
			continue
		}
		if err := visit(name, child); err != nil {
			return err
		}
	}
	return nil
}

// attach gives the nodes their checked rules.
func (n *node) attach(path string, checked map[string]string) {
	if n.rules != nil {
		n.rules.checked = checked[path]
	}
	_ = n.eachChild(func(name string, child *node) error {
		child.attach(path+name, checked)
		return nil
	})
}
