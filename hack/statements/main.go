// SPDX-License-Identifier: Apache-2.0

// Statements counts the statements and declarations of the Go files below directories, without tests, fixtures and
// generated files. Unlike lines they do not change when somebody wraps a line.
//
//	go run ./hack/statements internal
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	total := 0
	for _, dir := range os.Args[1:] {
		n, err := countBelow(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "statements:", err)
			os.Exit(1)
		}
		fmt.Printf("%s: %d statements\n", dir, n)
		total += n
	}
	if len(os.Args) > 2 {
		fmt.Printf("together: %d statements\n", total)
	}
}

func countBelow(dir string) (int, error) {
	total := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		if !ast.IsGenerated(file) {
			total += count(file)
		}
		return nil
	})
	return total, err
}

// count takes blocks for nothing: they are part of the statement that has them.
func count(file *ast.File) int {
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt, *ast.DeclStmt:
		case ast.Stmt, *ast.FuncDecl, *ast.TypeSpec, *ast.ValueSpec:
			n++
		}
		return true
	})
	return n
}
