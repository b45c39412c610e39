// Package debian finds the machine's package mirror, installs the host programs the development cluster
// needs, and makes Debian trees.
package debian

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Repository is one package repository of an apt configuration.
type Repository struct {
	URIs       []string
	Suites     []string
	Components []string
	SignedBy   string
}

// ParseDeb822 reads a *.sources file (deb822 stanzas). Stanzas that are disabled or hold only sources are left
// out. Format: sources.list(5).
func ParseDeb822(r io.Reader) ([]Repository, error) {
	var repos []Repository
	stanza := map[string]string{}
	field := ""
	flush := func() {
		if repo, ok := repositoryFromStanza(stanza); ok {
			repos = append(repos, repo)
		}
		stanza, field = map[string]string{}, ""
	}
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		line := scanner.Text()
		switch {
		case strings.HasPrefix(line, "#"):
			// Comments do not end a stanza.
		case strings.TrimSpace(line) == "":
			flush()
		case line[0] == ' ' || line[0] == '\t':
			stanza[field] += " " + strings.TrimSpace(line)
		default:
			name, value, found := strings.Cut(line, ":")
			if !found {
				return nil, fmt.Errorf("parse deb822 sources: line %q is no field", line)
			}
			field = strings.ToLower(strings.TrimSpace(name))
			stanza[field] = strings.TrimSpace(value)
		}
	}
	flush()
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("parse deb822 sources: %w", err)
	}
	return repos, nil
}

func repositoryFromStanza(stanza map[string]string) (Repository, bool) {
	if !slices.Contains(strings.Fields(stanza["types"]), "deb") {
		return Repository{}, false
	}
	switch strings.ToLower(stanza["enabled"]) {
	case "no", "false", "without", "off", "disable":
		return Repository{}, false
	}
	return Repository{
		URIs:       strings.Fields(stanza["uris"]),
		Suites:     strings.Fields(stanza["suites"]),
		Components: strings.Fields(stanza["components"]),
		SignedBy:   stanza["signed-by"],
	}, true
}

// ParseOneLine reads a sources.list file (one repository per line). Discs and repositories of sources are left out.
// Format: sources.list(5).
func ParseOneLine(r io.Reader) ([]Repository, error) {
	var repos []Repository
	scanner := bufio.NewScanner(r)
	for scanner.Scan() {
		line, _, _ := strings.Cut(scanner.Text(), "#")
		rest, found := strings.CutPrefix(strings.TrimSpace(line), "deb")
		if !found || strings.TrimLeft(rest, " \t") == rest {
			continue // empty, or deb-src
		}
		options, rest := cutOptions(strings.TrimSpace(rest))
		if strings.HasPrefix(rest, "cdrom:") {
			continue // a disc's name may hold spaces, and nothing is installed from discs here
		}
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			return nil, fmt.Errorf("parse one-line sources: %q has no suite", line)
		}
		repos = append(repos, Repository{
			URIs:       fields[:1],
			Suites:     fields[1:2],
			Components: fields[2:],
			SignedBy:   options["signed-by"],
		})
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("parse one-line sources: %w", err)
	}
	return repos, nil
}

// cutOptions splits "[arch=amd64 signed-by=FILE] URI ..." into the options and the rest.
func cutOptions(s string) (map[string]string, string) {
	inner, found := strings.CutPrefix(s, "[")
	if !found {
		return nil, s
	}
	inner, rest, _ := strings.Cut(inner, "]")
	options := map[string]string{}
	for _, field := range strings.Fields(inner) {
		name, value, _ := strings.Cut(field, "=")
		options[strings.ToLower(name)] = value
	}
	return options, rest
}
