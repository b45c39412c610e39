// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	draft4     = "http://json-schema.org/draft-04/schema#"
	refPrefix  = "#/definitions/"
	objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
)

// unions are the definitions that OpenAPI v2 calls strings although the apiserver reads numbers too.
var unions = map[string]node{
	"io.k8s.apimachinery.pkg.api.resource.Quantity":   {"type": []any{"string", "number"}},
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": []any{"string", "integer"}},
}

// readDefinitions reads an OpenAPI v2 document and returns its definitions made strict, by name.
func readDefinitions(r io.Reader) (map[string]node, error) {
	var document struct {
		Definitions map[string]node `json:"definitions"`
	}
	if err := json.NewDecoder(r).Decode(&document); err != nil {
		return nil, fmt.Errorf("read OpenAPI: %w", err)
	}
	if len(document.Definitions) == 0 {
		return nil, errors.New("read OpenAPI: no definitions")
	}
	definitions := make(map[string]node, len(document.Definitions))
	for name, in := range document.Definitions {
		if union, ok := unions[name]; ok {
			definitions[name] = union
			continue
		}
		definitions[name] = strict(in)
		if kinds, ok := in[gvkKeyword]; ok {
			definitions[name][gvkKeyword] = kinds
		}
	}
	return definitions, nil
}

const gvkKeyword = "x-kubernetes-group-version-kind"

// builtinSchemas returns a self-contained schema for every definition that is the body of exactly one kind, by file
// name. (Those of several kinds, such as DeleteOptions, are no manifests.)
func builtinSchemas(definitions map[string]node) map[string]node {
	schemas := map[string]node{}
	for name, definition := range definitions {
		kinds, _ := definition[gvkKeyword].([]any)
		if len(kinds) != 1 {
			continue
		}
		kind, _ := kinds[0].(node)
		file := fileName(text(kind["group"]), text(kind["version"]), text(kind["kind"]))
		schemas[file] = standalone(node{"$ref": refPrefix + name}, definitions)
	}
	return schemas
}

// standalone returns root with all the definitions that it reaches.
func standalone(root node, definitions map[string]node) node {
	reached := node{}
	collect(root, definitions, reached)
	return node{"$schema": draft4, "allOf": []any{root}, "definitions": reached}
}

func collect(value any, definitions map[string]node, reached node) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			collect(element, definitions, reached)
		}
	case node:
		if ref, ok := value["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, refPrefix)
			if _, known := reached[name]; !known {
				reached[name] = definitions[name]
				collect(definitions[name], definitions, reached)
			}
		}
		for _, child := range value {
			collect(child, definitions, reached)
		}
	}
}

// fileName is the name under which kubeconform looks for '{{ .ResourceKind }}{{ .KindSuffix }}.json': all in lower
// case, of the group only its first label.
func fileName(group, version, kind string) string {
	name := kind
	if group != "" {
		name += "-" + strings.Split(group, ".")[0]
	}
	return strings.ToLower(name+"-"+version) + ".json"
}

func text(value any) string {
	s, _ := value.(string)
	return s
}
