// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

func TestSchemas(t *testing.T) {
	crds, out := t.TempDir(), t.TempDir()
	copyFile(t, "testdata/widget-crd.yaml", filepath.Join(crds, "widget.yaml"))
	if err := run("testdata/swagger-v1.36.3.json", []string{crds, "thirdparty"}, out); err != nil {
		t.Fatal(err)
	}
	const (
		configMap = "configmap-v1.json"
		budget    = "poddisruptionbudget-policy-v1.json"
		quota     = "resourcequota-v1.json"
		widget    = "widget-test-v1alpha1.json"
		monitor   = "servicemonitor-monitoring-v1.json"
	)
	tests := map[string]struct {
		schema, manifest string
		wantError        string // "" means that the manifest is valid
	}{
		"built-in kind":                 {configMap, `{metadata: {name: a, labels: {b: c}}, data: {k: v}}`, ""},
		"unknown field":                 {configMap, `{metadata: {name: a}, dta: {k: v}}`, "dta"},
		"unknown field of metadata":     {configMap, `{metadata: {nam: a}}`, "nam"},
		"wrong type in a map":           {configMap, `{data: {k: 1}}`, "got number, want string"},
		"int-or-string, a number":       {budget, `{spec: {minAvailable: 1}}`, ""},
		"int-or-string, a string":       {budget, `{spec: {minAvailable: 50%}}`, ""},
		"int-or-string, neither":        {budget, `{spec: {minAvailable: true}}`, "minAvailable"},
		"typo two levels down":          {budget, `{spec: {selector: {matchLabel: {a: b}}}}`, "matchLabel"},
		"quantity, a number":            {quota, `{spec: {hard: {cpu: 1.5}}}`, ""},
		"quantity, a string":            {quota, `{spec: {hard: {cpu: 1500m}}}`, ""},
		"custom kind":                   {widget, `{spec: {size: 1Gi, level: raid0, labels: {a: b}, weight: 1}}`, ""},
		"custom, unknown field":         {widget, `{spec: {size: 1Gi, sise: 1}}`, "sise"},
		"custom, metadata is checked":   {widget, `{metadata: {nam: a}, spec: {size: 1Gi}}`, "nam"},
		"custom, required field":        {widget, `{spec: {}}`, "size"},
		"custom, quantity as a number":  {widget, `{spec: {size: 5}}`, ""},
		"custom, quantity, bad suffix":  {widget, `{spec: {size: 5GB}}`, "pattern"},
		"custom, outside the enum":      {widget, `{spec: {size: 1Gi, level: raid7}}`, "raid0"},
		"custom, nullable":              {widget, `{spec: {size: 1Gi, level: null}}`, ""},
		"custom, not nullable":          {widget, `{spec: {size: 1Gi, weight: null}}`, "null"},
		"custom, exclusive minimum":     {widget, `{spec: {size: 1Gi, weight: 0}}`, "weight"},
		"custom, preserves unknown":     {widget, `{spec: {size: 1Gi, free: {any: {thing: 1}}}}`, ""},
		"custom, one of two, satisfied": {widget, `{spec: {size: 1Gi, devices: [{file: f}, {path: p}]}}`, ""},
		"custom, one of two, both":      {widget, `{spec: {size: 1Gi, devices: [{file: f, path: p}]}}`, "oneOf"},
		"third party's kind":            {monitor, `{spec: {selector: {}, endpoints: [{port: metrics}]}}`, ""},
		"third party's kind, typo":      {monitor, `{spec: {selector: {}, endpoints: [{prot: metrics}]}}`, "prot"},
		"custom, typo in a list":        {widget, `{spec: {size: 1Gi, devices: [{path: p, pth: p}]}}`, "pth"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := validate(t, filepath.Join(out, tt.schema), tt.manifest)
			switch {
			case tt.wantError == "" && err != nil:
				t.Errorf("valid manifest refused: %v", err)
			case tt.wantError != "" && err == nil:
				t.Error("invalid manifest accepted")
			case tt.wantError != "" && !strings.Contains(err.Error(), tt.wantError):
				t.Errorf("error %q does not mention %q", err, tt.wantError)
			}
		})
	}
}

// TestNoManifestKinds: a definition shared by many kinds, such as DeleteOptions, must not become a file whose name
// depends on map order.
func TestNoManifestKinds(t *testing.T) {
	document, err := os.Open("testdata/swagger-v1.36.3.json")
	if err != nil {
		t.Fatal(err)
	}
	defer document.Close()
	definitions, err := readDefinitions(document)
	if err != nil {
		t.Fatal(err)
	}
	for file := range builtinSchemas(definitions) {
		if strings.HasPrefix(file, "deleteoptions") {
			t.Errorf("unexpected schema %s", file)
		}
	}
}

func TestErrors(t *testing.T) {
	tests := map[string]struct{ openAPI, crds, want string }{
		"no OpenAPI document":    {"testdata/none.json", "testdata", "testdata/none.json"},
		"not an OpenAPI one":     {"testdata/widget-crd.yaml", "testdata", "read OpenAPI"},
		"no CRDs":                {"testdata/swagger-v1.36.3.json", t.TempDir(), "no CustomResourceDefinition in"},
		"a CRD without versions": {"testdata/swagger-v1.36.3.json", writeDir(t, "kind: ConfigMap"), "no version in it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := run(tt.openAPI, []string{tt.crds}, t.TempDir())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func validate(t *testing.T, schemaFile, manifest string) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatalf("the schema itself is invalid: %v", err)
	}
	asJSON, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(document)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeDir(t *testing.T, content string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
