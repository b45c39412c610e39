// SPDX-License-Identifier: Apache-2.0

// Command specschema writes what internal/spec/schema embeds of the generated CustomResourceDefinitions.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"zfsbench.io/operator/internal/spec/schema"
)

// names are the files to write, by the CRD that each is made from.
var names = map[string]string{
	"zfsbench.io_zfsbenchmarks.yaml":           "benchmark",
	"zfsbench.io_benchmarkdevicepolicies.yaml": "policy",
}

func main() {
	from := flag.String("from", "config/crd/bases", "directory of generated CustomResourceDefinitions")
	to := flag.String("to", "internal/spec/schema", "directory to write to")
	flag.Parse()
	for crd, name := range names {
		if err := write(filepath.Join(*from, crd), filepath.Join(*to, name)); err != nil {
			fmt.Fprintf(os.Stderr, "specschema: %s: %v\n", crd, err)
			os.Exit(1)
		}
	}
}

func write(from, to string) error {
	crd, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	text, rules, err := schema.Compile(crd)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".json", text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(to+".rules", rules, 0o644)
}
