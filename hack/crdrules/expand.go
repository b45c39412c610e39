// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const validations = "x-kubernetes-validations"

// expandAll expands the rules of a schema and of everything below it.
func (all definitions) expandAll(node any) error {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			if err := all.expandAll(child); err != nil {
				return err
			}
		}
	case map[string]any:
		if rules, ok := node[validations].([]any); ok {
			expanded, err := all.expandRules(rules)
			if err != nil {
				return err
			}
			node[validations] = expanded
		}
		for _, child := range node {
			if err := all.expandAll(child); err != nil {
				return err
			}
		}
	}
	return nil
}

func (all definitions) expandRules(rules []any) ([]any, error) {
	var expanded []any
	for _, r := range rules {
		for _, r := range repeat(r.(map[string]any)) {
			insertMessage(r)
			for _, key := range []string{"rule", "messageExpression"} {
				text, ok := r[key].(string)
				if !ok {
					continue
				}
				var err error
				if r[key], err = all.expand(text); err != nil {
					return nil, fmt.Errorf("%s: %w", text, err)
				}
			}
			expanded = append(expanded, r)
		}
	}
	return expanded, nil
}

// insertMessage writes the rule's message where its messageExpression has MESSAGE.
func insertMessage(rule map[string]any) {
	if expression, ok := rule["messageExpression"].(string); ok {
		rule["messageExpression"] = strings.ReplaceAll(expression, "MESSAGE", fmt.Sprintf("'%s'", rule["message"]))
	}
}

var loop = regexp.MustCompile(`^for ([A-Z]+) in ([A-Za-z, ]+): `)

// repeat makes one rule for each NAME of a rule that begins with `for FIELD in NAME, NAME: `. FIELD is replaced by the
// name wherever the rule has it, in its messages and its path as well.
func repeat(rule map[string]any) []map[string]any {
	text, _ := rule["rule"].(string)
	m := loop.FindStringSubmatch(text)
	if m == nil {
		return []map[string]any{rule}
	}
	placeholder := regexp.MustCompile(`\b` + m[1] + `\b`)
	var rules []map[string]any
	for name := range strings.SplitSeq(m[2], ", ") {
		one := map[string]any{}
		for key, value := range rule {
			value := strings.TrimPrefix(value.(string), m[0])
			one[key] = placeholder.ReplaceAllLiteralString(value, name)
		}
		rules = append(rules, one)
	}
	return rules
}

// token is a text in quotes, a number of bytes such as 64Ti, a name, or any other character.
var token = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b[0-9]+[KMGT]i\b|[A-Za-z_][A-Za-z0-9_]*|(?s:.)`)

var isLetter = regexp.MustCompile(`^[A-Za-z_]`)

// expand replaces the names that are defined, and numbers of bytes, and joins texts.
func (all definitions) expand(expression string) (string, error) {
	return replaceNames(expression, func(name string, rest []string) (string, int, error) {
		d := all[name]
		if d == nil {
			return name, 0, nil
		}
		arguments, length := argumentsOf(rest)
		body, err := all.apply(d, arguments)
		if err != nil {
			return "", 0, fmt.Errorf("%s: %w", name, err)
		}
		return body, length, nil
	})
}

// apply returns the body of a definition with arguments in place of parameters.
func (all definitions) apply(d *definition, arguments []string) (string, error) {
	if len(arguments) != len(d.parameters) {
		return "", fmt.Errorf("needs %d arguments, has %d", len(d.parameters), len(arguments))
	}
	d.used = true
	values := map[string]string{}
	for i, name := range d.parameters {
		value, err := all.expand(arguments[i])
		if err != nil {
			return "", err
		}
		values[name] = inParentheses(value)
	}
	body, err := all.expand(d.body)
	if err != nil {
		return "", err
	}
	body, err = replaceNames(body, func(name string, _ []string) (string, int, error) {
		if value, ok := values[name]; ok {
			return value, 0, nil
		}
		return name, 0, nil
	})
	return inParentheses(body), err
}

// replaceNames replaces the names of an expression, other than names of fields. The function gets what follows a name
// as well, and says how many tokens of it belong to the name.
func replaceNames(expression string, replace func(name string, rest []string) (string, int, error)) (string, error) {
	tokens := token.FindAllString(expression, -1)
	var out strings.Builder
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		var err error
		var length int
		switch isField := i > 0 && tokens[i-1] == "."; {
		case t[0] >= '0' && t[0] <= '9' && strings.HasSuffix(t, "i"):
			t, err = inBytes(t)
		case isLetter.MatchString(t) && !isField:
			t, length, err = replace(t, tokens[i+1:])
		}
		if err != nil {
			return "", err
		}
		out.WriteString(t)
		i += length
	}
	return strings.ReplaceAll(out.String(), "' + '", ""), nil
}

// inBytes returns a number such as 64Ti in bytes.
func inBytes(number string) (string, error) {
	digits, unit := number[:len(number)-2], number[len(number)-2]
	n, err := strconv.ParseInt(digits, 10, 64)
	return strconv.FormatInt(n<<(10*(strings.IndexByte("KMGT", unit)+1)), 10), err
}

var simple = regexp.MustCompile(`^([A-Za-z0-9_.]+(\[[^\]]*\])?|'[^']*'|\[[^\]]*\])$`)

func inParentheses(expression string) string {
	if simple.MatchString(expression) {
		return expression
	}
	return "(" + expression + ")"
}

// argumentsOf reads the arguments of a call, if there is one here, and says how many tokens it has.
func argumentsOf(tokens []string) (arguments []string, length int) {
	if len(tokens) == 0 || tokens[0] != "(" {
		return nil, 0
	}
	var argument strings.Builder
	depth := 0
	for i, t := range tokens {
		switch t {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		switch {
		case depth == 0:
			return append(arguments, strings.TrimSpace(argument.String())), i + 1
		case depth == 1 && t == ",":
			arguments = append(arguments, strings.TrimSpace(argument.String()))
			argument.Reset()
		case i > 0:
			argument.WriteString(t)
		}
	}
	return arguments, len(tokens)
}
