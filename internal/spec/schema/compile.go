// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"google.golang.org/protobuf/proto"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// Compile returns the parts of a CRD (YAML) that are embedded: the openAPIV3Schema without descriptions and status, as
// JSON, and the rules. Each line of rules is the path of a node of the schema, a space, and the node's rules, joined by
// &&, as a checked CEL expression in protobuf and base64.
func Compile(crd []byte) (schema, rules []byte, err error) {
	schema, err = schemaOf(crd)
	if err != nil {
		return nil, nil, err
	}
	root, _, err := parse(schema)
	if err != nil {
		return nil, nil, err
	}
	rules, err = root.compile("", nil)
	return schema, rules, err
}

// splitRules reads the rules that Compile wrote, by the path of their node.
func splitRules(lines string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(lines) {
		path, checked, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		all[path] = checked
	}
	return all
}

// schemaOf returns the schema of the CRD's only version.
func schemaOf(crd []byte) ([]byte, error) {
	var d struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(crd, &d); err != nil {
		return nil, err
	}
	if len(d.Spec.Versions) != 1 {
		return nil, errors.New("not a CustomResourceDefinition with one version")
	}
	schema := d.Spec.Versions[0].Schema.OpenAPIV3Schema
	if properties, ok := schema["properties"].(map[string]any); ok {
		delete(properties, "status")
	}
	removeDescriptions(schema)
	return json.Marshal(schema)
}

// removeDescriptions removes the descriptions of fields, but not a field that is itself called description.
func removeDescriptions(node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, text := node["description"].(string); text {
			delete(node, "description")
		}
		for _, child := range node {
			removeDescriptions(child)
		}
	case []any:
		for _, child := range node {
			removeDescriptions(child)
		}
	}
}

// compile appends the rules of a node and of the nodes below it.
func (n *node) compile(path string, lines []byte) ([]byte, error) {
	if n.rules != nil {
		checked, err := n.checkedRules()
		if err != nil {
			return nil, fmt.Errorf("rules of %q: %w", path, err)
		}
		lines = fmt.Appendf(lines, "%s %s\n", path, base64.StdEncoding.EncodeToString(checked))
	}
	err := n.eachChild(func(name string, child *node) (err error) {
		lines, err = child.compile(path+name, lines)
		return err
	})
	return lines, err
}

// checkedRules parses and checks the rules as the API server would.
func (n *node) checkedRules() ([]byte, error) {
	declared := model.SchemaDeclType(n.bare, n.isRoot).MaybeAssignTypeName("selfType")
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(environment.VersionedOptions{
		IntroducedVersion: environment.DefaultCompatibilityVersion(),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", declared.CelType())},
		DeclTypes:         []*apiservercel.DeclType{declared},
	})
	if err != nil {
		return nil, err
	}
	var rules []string
	for _, r := range n.rules.all {
		rules = append(rules, "("+r.Rule+")")
	}
	ast, issues := set.StoredExpressionsEnv().Compile(strings.Join(rules, " && "))
	if issues.Err() != nil {
		return nil, issues.Err()
	}
	checked, err := cel.AstToCheckedExpr(ast)
	if err != nil {
		return nil, err
	}
	// To evaluate an expression, neither its source positions nor its types are needed.
	checked.SourceInfo, checked.TypeMap = nil, nil
	return proto.MarshalOptions{Deterministic: true}.Marshal(checked)
}
