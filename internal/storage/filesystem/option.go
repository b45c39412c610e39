// SPDX-License-Identifier: Apache-2.0

package filesystem

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zfsbench.io/operator/api/v1alpha1"
)

// Option is an option that a benchmark may set, with its valid values: words, or whole numbers. Without either, it has
// no value.
type Option struct {
	Name     string
	words    []string
	min, max int
	// flags are the tool's arguments for it, in which % stands for the value; none for a mount option.
	flags []string
}

// oneOf is an option whose values are words.
func oneOf(name string, words ...string) Option { return Option{Name: name, words: words} }

// number is an option whose values are whole numbers, from least to most.
func number(name string, least, most int) Option { return Option{Name: name, min: least, max: most} }

// bare is an option without a value.
func bare(name string) Option { return Option{Name: name} }

// as adds the tool's arguments to the option.
func (o Option) as(flags ...string) Option {
	o.flags = flags
	return o
}

// Want describes the valid values, to follow "must be".
func (o Option) Want() string {
	switch {
	case o.max > 0:
		return fmt.Sprintf("a whole number from %d to %d", o.min, o.max)
	case len(o.words) > 1:
		return strings.Join(o.words[:len(o.words)-1], ", ") + " or " + o.words[len(o.words)-1]
	case len(o.words) == 1:
		return o.words[0]
	}
	return "without a value"
}

func (o Option) accepts(value string) bool {
	if o.max == 0 {
		return len(o.words) == 0 && value == "" || slices.Contains(o.words, value)
	}
	n, err := strconv.Atoi(value)
	return err == nil && n >= o.min && n <= o.max && strconv.Itoa(n) == value
}

func (o Option) arguments(value string) []string {
	var words []string
	for _, word := range o.flags {
		words = append(words, strings.ReplaceAll(word, "%", value))
	}
	return words
}

// OptionError says that a filesystem type does not have an option, or does not accept its value.
type OptionError struct{ Problem string }

func (e *OptionError) Error() string { return e.Problem }

// setting is an option as a benchmark sets it.
type setting struct{ name, value string }

func (s setting) String() string {
	if s.value == "" {
		return s.name
	}
	return s.name + "=" + s.value
}

func settingsOf(options []v1alpha1.FilesystemOption) []setting {
	var settings []setting
	for _, text := range options {
		name, value, _ := strings.Cut(string(text), "=")
		settings = append(settings, setting{name, value})
	}
	return settings
}

// accept finds the option that a setting sets.
func accept(options []Option, s setting) (Option, error) {
	i := slices.IndexFunc(options, func(o Option) bool { return o.Name == s.name })
	if i < 0 {
		return Option{}, &OptionError{fmt.Sprintf("%s is not an option that a benchmark may set, which are %s",
			s.name, names(options))}
	}
	if !options[i].accepts(s.value) {
		return Option{}, &OptionError{fmt.Sprintf("%s must be %s, not %q", s.name, options[i].Want(), s.value)}
	}
	return options[i], nil
}

func names(options []Option) string {
	if len(options) == 0 {
		return "none"
	}
	var all []string
	for _, o := range options {
		all = append(all, o.Name)
	}
	return strings.Join(all, ", ")
}

// check says what is wrong with settings, in their order. kind groups options of which only one may be set; by default
// each option is its own group.
func check(options []Option, set []v1alpha1.FilesystemOption, kind func(name string) string) []error {
	var errs []error
	seen := map[string]bool{}
	for i, s := range settingsOf(set) {
		what := kind(s.name)
		_, err := accept(options, s)
		switch {
		case err != nil:
		case string(set[i]) != s.String():
			err = &OptionError{fmt.Sprintf("%s takes no value: remove the =", s.name)}
		case seen[what]:
			err = &OptionError{what + " is set more than once"}
		}
		if err != nil {
			errs = append(errs, err)
		}
		seen[what] = true
	}
	return errs
}

// CheckMkfs returns what is wrong with the options of the tool, in their order. Each error is an *OptionError.
func (f Filesystem) CheckMkfs(spec v1alpha1.FilesystemSpec) []error {
	return check(f.mkfs, spec.MkfsOptions, func(name string) string { return name })
}

// MkfsOptions are the options of the tool that a benchmark may set.
func (f Filesystem) MkfsOptions() []Option { return f.mkfs }

// MountOptions are the mount options of this type, and the ones of all types.
func (f Filesystem) MountOptions() []Option { return append(slices.Clone(f.mount), accessTimes...) }
