// SPDX-License-Identifier: Apache-2.0

// Command rbaclist lists every right in rendered manifests, one a line, and compares the list with a checked-in one, so
// that no right changes unseen. Whatever the list says, it fails on what the operator must never have: see refuse.
//
//	rbaclist [-golden FILE] MANIFESTS...            without -golden only refuse; each file of manifests must
//	                                                come to the same list
//	rbaclist -update -golden FILE MANIFESTS
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	golden := flag.String("golden", "", "file with the list that is wanted")
	update := flag.Bool("update", false, "write that file instead")
	flag.Parse()
	if flag.NArg() == 0 || *update && *golden == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(os.Stdout, *golden, *update, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "rbaclist:", err)
		os.Exit(1)
	}
}

// run checks the files one after the other and prints what is wrong.
func run(out io.Writer, golden string, update bool, files []string) error {
	for _, file := range files {
		rights, err := readFile(file)
		if err != nil {
			return err
		}
		if problems := rights.refuse(); len(problems) > 0 {
			_, _ = fmt.Fprintln(out, strings.Join(problems, "\n"))
			return fmt.Errorf("%s gives rights that the operator must not have", file)
		}
		switch {
		case update:
			err = os.WriteFile(golden, []byte(rights.text()), 0o644)
		case golden != "":
			err = compare(out, golden, rights.text())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// compare prints how a list differs from the golden one, and returns an error if it does.
func compare(out io.Writer, golden, got string) error {
	want, err := os.ReadFile(golden)
	if err != nil {
		return err
	}
	wanted, found := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	lines := slices.Concat(without("-", wanted, found), without("+", found, wanted))
	if len(lines) == 0 {
		return nil
	}
	_, _ = fmt.Fprintln(out, strings.Join(lines, "\n"))
	return fmt.Errorf("other rights (+) than in %s (-); if they are meant, run rbaclist with -update", golden)
}

// without returns the lines of one list that the other one lacks, each with a mark.
func without(mark string, lines, other []string) []string {
	var out []string
	for _, line := range lines {
		if !slices.Contains(other, line) {
			out = append(out, mark+" "+line)
		}
	}
	return out
}

func readFile(name string) (rights, error) {
	file, err := os.Open(name)
	if err != nil {
		return rights{}, err
	}
	defer func() { _ = file.Close() }() // only read from
	r, err := read(file)
	if err != nil {
		return rights{}, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
