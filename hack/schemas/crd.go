// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

// crd is the part of a CustomResourceDefinition that describes its objects. It is read untyped, because the typed
// form drops what it does not know.
type crd struct {
	Spec struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPIV3Schema node `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// readCRDs returns the schemas of all versions of all CustomResourceDefinitions in dir, by file name.
func readCRDs(dir string, definitions map[string]node) (map[string]node, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no CustomResourceDefinition in %s", dir)
	}
	schemas := map[string]node{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		custom, err := crdSchemas(content, definitions)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		maps.Copy(schemas, custom)
	}
	return schemas, nil
}

func crdSchemas(content []byte, definitions map[string]node) (map[string]node, error) {
	var parsed crd
	if err := yaml.Unmarshal(content, &parsed); err != nil {
		return nil, err
	}
	schemas := map[string]node{}
	for _, version := range parsed.Spec.Versions {
		root := strict(version.Schema.OpenAPIV3Schema)
		properties, ok := root["properties"].(node)
		if !ok {
			return nil, errors.New("not a CustomResourceDefinition with a structural schema")
		}
		// In a CRD metadata is just "object"; the apiserver holds it to ObjectMeta.
		properties["metadata"] = node{"$ref": refPrefix + objectMeta}
		file := fileName(parsed.Spec.Group, version.Name, parsed.Spec.Names.Kind)
		schemas[file] = standalone(root, definitions)
	}
	if len(schemas) == 0 {
		return nil, errors.New("no version in it: is it a CustomResourceDefinition?")
	}
	return schemas, nil
}
