// SPDX-License-Identifier: Apache-2.0

// Package docs checks what a test can check of the documentation: what it names exists, and its lines are short.
package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	top     = "../.."
	columns = 120
)

// generated pages are not checked: their text comes from the code.
var generated = regexp.MustCompile(`^docs/api\.md$|/testdata/summary`)

// pages are the Markdown files of the repository, by path, without the generated ones.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range files(t, "*.md") {
		if !generated.MatchString(file) {
			found[file] = read(t, file)
		}
	}
	if len(found) < 15 {
		t.Fatalf("found %d pages only", len(found))
	}
	return found
}

// files lists the files of the repository that match a git pathspec, also new ones.
func files(t *testing.T, pathspec string) []string {
	t.Helper()
	list := exec.CommandContext(t.Context(),
		"git", "ls-files", "--cached", "--others", "--exclude-standard", "--", pathspec)
	list.Dir = top
	output, err := list.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return strings.Fields(string(output))
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(top, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var codePath = regexp.MustCompile(
	"`((?:api|charts|cmd|config|controllers|docs|hack|internal|test|\\.github)/[^`\\s]*)`")

func TestPathsExist(t *testing.T) {
	for page, text := range pages(t) {
		for _, match := range codePath.FindAllStringSubmatch(text, -1) {
			found, err := filepath.Glob(filepath.Join(top, match[1]))
			if err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", page, match[1])
			}
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors are those that GitHub gives to the headings of a page.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		slug := notSlug.ReplaceAllString(strings.ToLower(match[1]), "")
		found[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return found
}

func TestLinksLeadSomewhere(t *testing.T) {
	for page, text := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(top, file)); err != nil {
				t.Errorf("%s links to %s: %v", page, match[1], err)
			} else if anchor != "" && !anchors(read(t, file))[anchor] {
				t.Errorf("%s links to %s, a heading that %s does not have", page, match[1], file)
			}
		}
	}
}

var (
	makeCommand = regexp.MustCompile("(?m)(?:`|^ {4,})make ([a-z][a-z0-9-]*(?: [a-z][a-z0-9-]*)*)")
	makeTarget  = regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*):`)
)

func TestMakeTargetsExist(t *testing.T) {
	targets := map[string]bool{}
	for _, match := range makeTarget.FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[match[1]] = true
	}
	for page, text := range pages(t) {
		for _, match := range makeCommand.FindAllStringSubmatch(text, -1) {
			for _, target := range strings.Fields(match[1]) {
				if !targets[target] {
					t.Errorf("%s names the target %s, which the Makefile does not have", page, target)
				}
			}
		}
	}
}

var (
	testName = regexp.MustCompile("[`(](Test[A-Z][A-Za-z0-9]*)")
	testFunc = regexp.MustCompile(`(?m)^func (Test[A-Z][A-Za-z0-9]*)\(`)
)

func TestTestsExist(t *testing.T) {
	tests := map[string]bool{}
	for _, file := range files(t, "*_test.go") {
		for _, match := range testFunc.FindAllStringSubmatch(read(t, file), -1) {
			tests[match[1]] = true
		}
	}
	for page, text := range pages(t) {
		for _, match := range testName.FindAllStringSubmatch(text, -1) {
			if !tests[match[1]] {
				t.Errorf("%s names the test %s, which does not exist", page, match[1])
			}
		}
	}
}

// TestPackagesAreOnTheMap: architecture.md says where to look for everything. One line there is for all tools.
func TestPackagesAreOnTheMap(t *testing.T) {
	text := read(t, "docs/architecture.md")
	for _, pattern := range []string{"internal/*/doc.go", "internal/*/*/doc.go"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		for _, file := range found {
			dir, name := filepath.Split(strings.TrimPrefix(filepath.Dir(file), top+"/"))
			if dir != "internal/tools/" && !strings.Contains(text, name+"/") {
				t.Errorf("docs/architecture.md does not show %s%s/ where things are", dir, name)
			}
		}
	}
}

// TestLinesAreShort leaves out tables, code, and lines that have no place to break.
func TestLinesAreShort(t *testing.T) {
	for page, text := range pages(t) {
		code := false
		for i, line := range strings.Split(text, "\n") {
			trimmed := strings.TrimSpace(line)
			if strings.HasPrefix(trimmed, "```") {
				code = !code
			}
			indented := strings.HasPrefix(line, "    ")
			if code || indented || strings.HasPrefix(trimmed, "|") || len(strings.Fields(line)) == 1 {
				continue
			}
			if length := utf8.RuneCountInString(line); length > columns {
				t.Errorf("%s:%d has %d columns, %d more than allowed", page, i+1, length, length-columns)
			}
		}
	}
	for _, file := range files(t, "config/samples/*.yaml") {
		for i, line := range strings.Split(read(t, file), "\n") {
			if _, comment, found := strings.Cut(line, "#"); found && comment != "" && utf8.RuneCountInString(line) > columns {
				t.Errorf("%s:%d: wrap the comment at %d columns", file, i+1, columns)
			}
		}
	}
}

var (
	stepConst = regexp.MustCompile(`(?m)^\s+(Step\w+)\s+Step = "([a-z-]+)"`)
	stepRun   = regexp.MustCompile(`\{(Step\w+), g\.check`)
	stepRow   = regexp.MustCompile(`(?m)^\| ([a-z][a-z, -]*) \| `)
)

// TestGuardStepsAreDocumented compares the checks of the guard, in their order, with the table in safety.md.
func TestGuardStepsAreDocumented(t *testing.T) {
	names := map[string]string{}
	for _, match := range stepConst.FindAllStringSubmatch(read(t, "internal/storage/blockdev/refusal.go"), -1) {
		names[match[1]] = match[2]
	}
	_, lists, _ := strings.Cut(read(t, "internal/storage/blockdev/blockdev.go"), "identification() []step")
	lists, _, _ = strings.Cut(lists, "users() []step")
	var want []string
	for _, match := range stepRun.FindAllStringSubmatch(lists, -1) {
		want = append(want, names[match[1]])
	}
	_, table, _ := strings.Cut(read(t, "docs/safety.md"), "| step | refuses |")
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for _, match := range stepRow.FindAllStringSubmatch(table, -1) {
		got = append(got, strings.Split(match[1], ", ")...)
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("docs/safety.md has the steps\n%v\nand the guard\n%v", got, want)
	}
}
