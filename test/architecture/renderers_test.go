// SPDX-License-Identifier: Apache-2.0

package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// renderers are the packages that write a report. They show what the model has computed. The JSON document contains the
// trials themselves, so package json is not among them.
var renderers = []string{"internal/report/markdown", "internal/report/csv"}

// raw are the fields and methods of the model that hold trials and their samples. The renderers have other fields of
// these names, which are numbers.
var raw = []string{"Trials", "Samples", "Searched"}

// rawTypes are their types in package result.
var rawTypes = []string{"Trial", "Sample"}

// TestRenderersReadTheModelOnly: no renderer goes through trials or samples, so every figure is computed in one place.
func TestRenderersReadTheModelOnly(t *testing.T) {
	for _, dir := range renderers {
		files, err := fs.Glob(os.DirFS("../.."), dir+"/*.go")
		if err != nil || len(files) < 3 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join("../..", file))
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range readsTrials(t, file, string(text)) {
				t.Errorf("%s reads trials or samples: let package model compute what it needs", at)
			}
		}
	}
}

// TestRendererRuleCanFail: the rule finds each way to read trials, and no number.
func TestRendererRuleCanFail(t *testing.T) {
	for text, want := range map[string]int{
		"for range n.Trials {}": 1, "_ = len(n.Trials)": 1, "_ = t.Samples[0]": 1, "_ = n.Searched()": 1,
		"_ = slices.Max(n.Trials)": 1, "_ = r.Trials[1:]": 1, "_ = n.Trials > 1": 0, "_ = human.Plural(n.Trials, `trial`)": 0,
		"_ = float64(s.Samples)": 0, "var _ []result.Trial": 1, "var _ result.Operation": 0,
	} {
		if got := readsTrials(t, "a.go", "package a\nfunc a() { "+text+" }\n"); len(got) != want {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
	}
}

// readsTrials are the places in a file that use trials or samples as lists.
func readsTrials(t *testing.T, name, text string) []string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	check := func(list ast.Expr) {
		if s, is := list.(*ast.SelectorExpr); is && slices.Contains(raw, s.Sel.Name) {
			found = append(found, set.Position(s.Pos()).String())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if of, is := n.X.(*ast.Ident); is && of.Name == "result" && slices.Contains(rawTypes, n.Sel.Name) {
				found = append(found, set.Position(n.Pos()).String())
			}
		case *ast.RangeStmt:
			check(n.X)
		case *ast.IndexExpr:
			check(n.X)
		case *ast.SliceExpr:
			check(n.X)
		case *ast.CallExpr:
			if s, is := n.Fun.(*ast.SelectorExpr); is && s.Sel.Name == "Searched" {
				check(s)
			}
			if takesLists(n.Fun) {
				for _, a := range n.Args {
					check(a)
				}
			}
		}
		return true
	})
	return found
}

// takesLists says whether a function is len, or one of package slices.
func takesLists(function ast.Expr) bool {
	switch f := function.(type) {
	case *ast.Ident:
		return f.Name == "len"
	case *ast.SelectorExpr:
		of, is := f.X.(*ast.Ident)
		return is && of.Name == "slices"
	}
	return false
}
