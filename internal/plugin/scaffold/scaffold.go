// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"zfsbench.io/operator/internal/spec/validate"
)

//go:embed benchmark.yaml.tmpl
var text string

var benchmark = template.Must(template.New("").Funcs(template.FuncMap{
	"join": func(all []string) string { return strings.Join(all, ", ") },
}).Parse(text))

// Values are what a manifest is written with.
type Values struct {
	Name string
	// Namespace is empty for the one of the kubeconfig.
	Namespace string
	// Nodes are names of nodes, Devices stable paths of disks. Without devices the benchmark uses a file.
	Nodes, Devices []string
	// Class takes the place of Devices: Count disks of it on each node.
	Class string
	Count int
}

// Benchmark returns a manifest that the API accepts, or what is wrong with the values.
func Benchmark(v Values) ([]byte, error) {
	quoted := Values{Name: quote(v.Name), Nodes: quoteAll(v.Nodes), Devices: quoteAll(v.Devices), Count: v.Count}
	if v.Class != "" {
		quoted.Class = quote(v.Class)
	}
	if v.Namespace != "" {
		quoted.Namespace = quote(v.Namespace)
	}
	data := struct {
		Values
		Type        string
		DeviceNames []string
	}{Values: quoted, Type: "stripe", DeviceNames: []string{"d0"}}
	for i := 1; i < max(len(v.Devices), v.Count); i++ {
		data.Type = "mirror"
		data.DeviceNames = append(data.DeviceNames, fmt.Sprintf("d%d", i))
	}
	var out bytes.Buffer
	if err := benchmark.Execute(&out, data); err != nil {
		return nil, err
	}
	if _, err := validate.ReadBenchmark(out.Bytes()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// quote returns a value as a YAML string that is also one within [], with quotes only where it needs them.
func quote(value string) string {
	encode := yaml.Marshal
	if strings.ContainsAny(value, " \t\r\n[]{},#:&*!|>%@\"'`") {
		encode = json.Marshal
	}
	text, err := encode(value)
	if err != nil { // Every string can be encoded.
		return `""`
	}
	return strings.TrimSpace(string(text))
}

func quoteAll(values []string) []string {
	var all []string
	for _, value := range values {
		all = append(all, quote(value))
	}
	return all
}
