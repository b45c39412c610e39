// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// marks are the labels and annotations that only one of Helm and kustomize sets.
var marks = map[string]bool{
	"app.kubernetes.io/instance":   true,
	"app.kubernetes.io/managed-by": true,
	"app.kubernetes.io/version":    true,
	"checksum/config":              true,
	"helm.sh/chart":                true,
	"helm.sh/resource-policy":      true,
}

// hashSuffix is what kustomize appends to the names of the ConfigMaps that it generates.
var hashSuffix = regexp.MustCompile(`^(.*-config)-[a-z0-9]{10}$`)

// read returns the normalized objects of a stream of YAML documents, by kind, namespace and name.
func read(in io.Reader) (map[string]any, error) {
	objects := map[string]any{}
	decoder := yaml.NewYAMLOrJSONDecoder(in, 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read a manifest: %w", err)
		}
		if len(object.Object) == 0 {
			continue
		}
		if err := parseData(object); err != nil {
			return nil, err
		}
		object.Object, _ = normalize(object.Object).(map[string]any)
		key := strings.Join([]string{object.GetKind(), object.GetNamespace(), object.GetName()}, "/")
		if objects[key] != nil {
			return nil, fmt.Errorf("%s appears twice", key)
		}
		objects[key] = object.Object
	}
}

// normalize returns a value without the marks, without what is empty and without the suffix of generated names.
func normalize(value any) any {
	switch value := value.(type) {
	case string:
		return hashSuffix.ReplaceAllString(value, "$1")
	case []any:
		out := make([]any, 0, len(value))
		for _, element := range value {
			out = append(out, normalize(element))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, element := range value {
			element = normalize(element)
			if !marks[key] && !empty(element) {
				out[key] = element
			}
		}
		return out
	}
	return value
}

func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}

// parseData replaces the YAML files in a ConfigMap by what they say, so that comments and order in them do not count.
func parseData(object *unstructured.Unstructured) error {
	data, _ := object.Object["data"].(map[string]any)
	if object.GetKind() != "ConfigMap" {
		return nil
	}
	for name, content := range data {
		text, _ := content.(string)
		var parsed map[string]any
		if err := sigsyaml.Unmarshal([]byte(text), &parsed); err != nil {
			return fmt.Errorf("ConfigMap %s: %s: %w", object.GetName(), name, err)
		}
		data[name] = parsed
	}
	return nil
}
