// SPDX-License-Identifier: Apache-2.0

// Command chartdiff fails if the chart, rendered with its default values, and kustomize install different things.
//
//	helm template ... >CHART; kustomize build config/default >KUSTOMIZE; chartdiff CHART KUSTOMIZE
//
// Helm's and kustomize's own marks are disregarded: see normalize.
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/google/go-cmp/cmp"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: chartdiff CHART-MANIFESTS KUSTOMIZE-MANIFESTS")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "chartdiff:", err)
		os.Exit(1)
	}
}

// run prints the difference between the manifests of two files and returns an error if there is one.
func run(out io.Writer, chartFile, kustomizeFile string) error {
	chart, err := readFile(chartFile)
	if err != nil {
		return err
	}
	kustomize, err := readFile(kustomizeFile)
	if err != nil {
		return err
	}
	different := false
	for _, key := range keys(chart, kustomize) {
		if difference := cmp.Diff(kustomize[key], chart[key]); difference != "" {
			_, _ = fmt.Fprintf(out, "%s:\n%s\n", key, difference)
			different = true
		}
	}
	if different {
		return fmt.Errorf("%s (+) and %s (-) differ", chartFile, kustomizeFile)
	}
	return nil
}

// keys returns the keys of both, sorted.
func keys(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func readFile(name string) (map[string]any, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read from
	objects, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return objects, nil
}
