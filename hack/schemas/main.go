// SPDX-License-Identifier: Apache-2.0

// Command schemas writes one self-contained strict JSON schema per Kubernetes kind, so that kubeconform can check
// rendered manifests without a network: the built-in kinds from the OpenAPI document that ships with k8s.io/kubernetes,
// ours from the generated CustomResourceDefinitions, and other projects' kinds from their own in thirdparty. "Strict"
// means that a field nobody declared is an error.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	openAPI := flag.String("openapi", "", "Kubernetes' api/openapi-spec/swagger.json")
	crds := flag.String("crds", "config/crd/bases,hack/schemas/thirdparty", "directories of CustomResourceDefinitions")
	out := flag.String("out", "bin/schemas", "directory to write to; it is emptied first")
	flag.Parse()
	if err := run(*openAPI, strings.Split(*crds, ","), *out); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func run(openAPI string, crdDirs []string, out string) error {
	document, err := os.Open(openAPI)
	if err != nil {
		return fmt.Errorf("open the OpenAPI document: %w", err)
	}
	defer func() { _ = document.Close() }() // only read from
	definitions, err := readDefinitions(document)
	if err != nil {
		return fmt.Errorf("%s: %w", openAPI, err)
	}
	schemas := builtinSchemas(definitions)
	for _, dir := range crdDirs {
		custom, err := readCRDs(dir, definitions)
		if err != nil {
			return err
		}
		maps.Copy(schemas, custom)
	}
	return writeAll(out, schemas)
}

// writeAll replaces the content of dir, so that a kind that no longer exists is no longer accepted either.
func writeAll(dir string, schemas map[string]node) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, schema := range schemas {
		content, err := json.Marshal(schema)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
