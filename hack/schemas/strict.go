// SPDX-License-Identifier: Apache-2.0

package main

import "slices"

// node is one schema: an OpenAPI v2 or v3 one as read, or a JSON schema (draft 4, whose keywords OpenAPI shares) as
// written.
type node = map[string]any

// kept are the keywords that mean the same in OpenAPI and JSON schema. "format" is left out: Kubernetes' duration,
// int-or-string and byte are not what JSON schema understands by these names.
var kept = []string{
	"$ref", "type", "required", "enum", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
	"multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems",
}

// strict converts an OpenAPI schema to a JSON schema in which undeclared fields are errors, except where the schema
// preserves unknown fields or declares none.
func strict(in node) node {
	out := convert(in, strict)
	_, declares := in["properties"]
	_, open := in["additionalProperties"]
	if declares && !open && in["x-kubernetes-preserve-unknown-fields"] != true &&
		in["x-kubernetes-embedded-resource"] != true {
		out["additionalProperties"] = false
	}
	return out
}

// lenient converts without closing objects. It is for the branches of allOf, anyOf, oneOf and not, which restrict
// fields that are declared outside them.
func lenient(in node) node { return convert(in, lenient) }

func convert(in node, child func(node) node) node {
	out := node{}
	for _, keyword := range kept {
		if value, ok := in[keyword]; ok {
			out[keyword] = value
		}
	}
	if properties, ok := in["properties"].(node); ok {
		out["properties"] = mapValues(properties, child)
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if value, ok := in[keyword]; ok {
			out[keyword] = convertValue(value, child)
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf", "not"} {
		if value, ok := in[keyword]; ok {
			out[keyword] = convertValue(value, lenient)
		}
	}
	if in["nullable"] == true {
		allowNull(out)
	}
	return out
}

// convertValue converts what may be a schema, a list of schemas or a boolean.
func convertValue(value any, child func(node) node) any {
	switch value := value.(type) {
	case node:
		return child(value)
	case []any:
		converted := make([]any, len(value))
		for i, element := range value {
			converted[i] = convertValue(element, child)
		}
		return converted
	default:
		return value
	}
}

func mapValues(in node, child func(node) node) node {
	out := make(node, len(in))
	for name, value := range in {
		out[name] = convertValue(value, child)
	}
	return out
}

// allowNull says what OpenAPI's "nullable" says in the words of JSON schema.
func allowNull(schema node) {
	if name, ok := schema["type"].(string); ok {
		schema["type"] = []any{name, "null"}
	}
	if values, ok := schema["enum"].([]any); ok {
		schema["enum"] = append(slices.Clone(values), nil)
	}
}
