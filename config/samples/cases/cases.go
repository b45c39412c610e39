// SPDX-License-Identifier: Apache-2.0

// Package cases has a benchmark for each common use of a pool. The comments at the top of a manifest say, always in the
// same order, what it answers and what to change, so that docs and programs can show them.
package cases

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Case is a benchmark with what its comments say.
type Case struct {
	// Name of the case, of its benchmark, and of its file without .yaml.
	Name string
	// Manifest is the text of the file, with its comments.
	Manifest string

	// Question is what it answers, Runs what it does for that. Margin begins with the difference, or the limit, that
	// matters, and says why. Answer is how to read the results, Change what to adapt.
	Question, Runs, Margin, Answer, Change string
}

// All are the cases, sorted by name.
func All() ([]Case, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list the cases: %w", err)
	}
	var all []Case
	for _, e := range entries {
		if e.Name() == "kustomization.yaml" {
			continue
		}
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("read a case: %w", err)
		}
		c, err := Parse(strings.TrimSuffix(path.Base(e.Name()), ".yaml"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Parse reads the comments at the top of a manifest. A part that is missing, or in another place, is an error.
func Parse(name, manifest string) (Case, error) {
	c := Case{Name: name, Manifest: manifest}
	parts := []struct {
		name string
		text *string
	}{{"Question", &c.Question}, {"Runs", &c.Runs}, {"Margin", &c.Margin}, {"Answer", &c.Answer}, {"Change", &c.Change}}
	next := 0
	for line := range strings.Lines(manifest) {
		comment, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "# ")
		if !ok {
			break
		}
		if more, continued := strings.CutPrefix(comment, "  "); continued && next > 0 {
			*parts[next-1].text += " " + more
			continue
		}
		key, text, _ := strings.Cut(comment, ": ")
		if next == len(parts) || key != parts[next].name || text == "" {
			return Case{}, fmt.Errorf("case %s: %q is not one of the parts Question, Runs, Margin, Answer and Change, in this "+
				"order", name, comment)
		}
		*parts[next].text = text
		next++
	}
	if next < len(parts) {
		return Case{}, fmt.Errorf("case %s: the comments at the top have no %s", name, parts[next].name)
	}
	return c, nil
}
