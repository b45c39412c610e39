// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The bounds of every field that does not state its own in a `bound` tag. The tag of a text is "BYTES", with ",lines"
// where line breaks and tabs are allowed and ",tail" where the end of a text matters more than its beginning. The tag
// of a number may be "unknown": -1 is then allowed and means not known.
const (
	maxStringBytes = 256
	maxElements    = 2048
)

// bound is what a string or a number may hold.
type bound struct {
	bytes   int
	lines   bool
	tail    bool
	unknown bool
}

// parseBound reads a field's tag.
func parseBound(tag string) bound {
	b := bound{bytes: maxStringBytes}
	for _, word := range strings.Split(tag, ",") {
		switch word {
		case "":
		case "lines":
			b.lines = true
		case "tail":
			b.tail = true
		case "unknown":
			b.unknown = true
		default:
			if n, err := strconv.Atoi(word); err == nil {
				b.bytes = n
			}
		}
	}
	return b
}

// allows says whether a rune may appear: what prints, and line breaks and tabs in texts of several lines. Control
// characters would reach terminals.
func (b bound) allows(r rune) bool {
	return unicode.IsPrint(r) || b.lines && (r == '\n' || r == '\t')
}

// clean makes a string fit: runes that are not allowed are replaced, and what is too long is cut at a rune.
func (b bound) clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if b.allows(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
	if len(s) <= b.bytes {
		return s
	}
	if b.tail {
		s = s[len(s)-b.bytes:]
		for s != "" && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
		return s
	}
	end := b.bytes
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// check says what is wrong with a string, or nil.
func (b bound) check(s string) error {
	if len(s) > b.bytes {
		return fmt.Errorf("is longer than %d bytes", b.bytes)
	}
	if !utf8.ValidString(s) {
		return fmt.Errorf("is not valid UTF-8")
	}
	for _, r := range s {
		if !b.allows(r) {
			return fmt.Errorf("holds the character %U", r)
		}
	}
	return nil
}

// walker visits every value of a document. It fails closed: a field added later is bounded without anybody thinking of
// it.
type walker struct {
	// repair cuts and cleans strings and turns times into UTC, in place; without it they are checked.
	repair bool
}

// walk visits a value. The path names it in errors; numbers below zero, not finite or beyond anything real, times
// outside of four-digit years and long lists are refused.
func (w walker) walk(path string, v reflect.Value, b bound) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return w.walk(path, v.Elem(), b)
	case reflect.Struct:
		return w.walkStruct(path, v)
	case reflect.Slice:
		return w.walkSlice(path, v, b)
	case reflect.Map:
		return w.walkMap(path, v, b)
	case reflect.String:
		return w.walkString(path, v, b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		if v.Int() < 0 && (v.Int() < -1 || !b.unknown) {
			return fmt.Errorf("%s: %d is negative", path, v.Int())
		}
		if v.Int() > maxInteger {
			return fmt.Errorf("%s: %d is too large", path, v.Int())
		}
	case reflect.Float64:
		if err := checkFraction(v.Float()); err != nil {
			return fmt.Errorf("%s: %v %w", path, v.Float(), err)
		}
	case reflect.Bool:
	default:
		return fmt.Errorf("%s: a %s has no bound", path, v.Kind())
	}
	return nil
}

func (w walker) walkStruct(path string, v reflect.Value) error {
	switch value := v.Interface().(type) {
	case Histogram:
		return nil // checked by its own decoder
	case time.Time:
		if w.repair {
			v.Set(reflect.ValueOf(value.UTC()))
			return nil
		}
		if year := value.UTC().Year(); year < 1 || year > 9999 {
			return fmt.Errorf("%s: the year %d is not possible", path, year)
		}
		return nil
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous: // Its fields are as if they were here.
			name = path
		case path != "":
			name = path + "." + name
		}
		if err := w.walk(name, v.Field(i), parseBound(field.Tag.Get("bound"))); err != nil {
			return err
		}
	}
	return nil
}

func (w walker) walkSlice(path string, v reflect.Value, b bound) error {
	if v.Len() > maxElements {
		return fmt.Errorf("%s: more than %d elements", path, maxElements)
	}
	for i := range v.Len() {
		if err := w.walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i), b); err != nil {
			return err
		}
	}
	return nil
}

func (w walker) walkMap(path string, v reflect.Value, b bound) error {
	if v.Len() > maxElements {
		return fmt.Errorf("%s: more than %d entries", path, maxElements)
	}
	for iter := v.MapRange(); iter.Next(); {
		key, value := iter.Key().String(), iter.Value().String()
		if err := (bound{bytes: maxStringBytes}).check(key); err != nil {
			return fmt.Errorf("%s: a key %w", path, err)
		}
		if w.repair {
			v.SetMapIndex(iter.Key(), reflect.ValueOf(b.clean(value)))
		} else if err := b.check(value); err != nil {
			return fmt.Errorf("%s[%s]: %w", path, key, err)
		}
	}
	return nil
}

func (w walker) walkString(path string, v reflect.Value, b bound) error {
	if w.repair {
		v.SetString(b.clean(v.String()))
		return nil
	}
	if err := b.check(v.String()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
