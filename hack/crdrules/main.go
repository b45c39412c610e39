// SPDX-License-Identifier: Apache-2.0

// Command crdrules writes the validation rules of the generated CustomResourceDefinitions out in full. Markers in
// api/v1alpha1 may use names that api/v1alpha1/rules.cel defines, and may stand for several rules. CEL in a CRD has
// neither functions nor variables, so both are expanded here.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"
)

func main() {
	definitions := flag.String("definitions", "api/v1alpha1/rules.cel", "file with the definitions")
	crds := flag.String("crds", "config/crd/bases", "directory of generated CustomResourceDefinitions, which it changes")
	flag.Parse()
	if err := run(*definitions, *crds); err != nil {
		fmt.Fprintln(os.Stderr, "crdrules:", err)
		os.Exit(1)
	}
}

func run(definitions, crds string) error {
	text, err := os.ReadFile(definitions)
	if err != nil {
		return err
	}
	defined, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", definitions, err)
	}
	files, err := filepath.Glob(filepath.Join(crds, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := rewrite(file, defined); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return defined.unused()
}

func rewrite(file string, defined definitions) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return err
	}
	if err := defined.expandAll(crd); err != nil {
		return err
	}
	if text, err = yaml.Marshal(crd); err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("---\n"), text...), 0o644)
}
