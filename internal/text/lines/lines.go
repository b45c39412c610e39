// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"unicode/utf8"
)

const (
	// MaxLineBytes bounds a line. The longest real ones are mounts of overlay filesystems, which name all their layers.
	MaxLineBytes = 256 << 10
	// MaxBytes bounds a text. The largest real ones are /proc/cpuinfo of a thousand CPUs and the mounts of a node with
	// hundreds of pods.
	MaxBytes = 16 << 20
)

var (
	// ErrCutOff is a text whose last line does not end.
	ErrCutOff = errors.New("the text is cut off in its last line")
	// ErrNoText is a text that is not valid UTF-8 or holds a zero byte.
	ErrNoText = errors.New("it is no text")
)

// LimitError is a line or a text that is longer than its limit.
type LimitError struct {
	// What is "line", "text" or "document".
	What       string
	LimitBytes int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("a %s of more than %d bytes", e.What, e.LimitBytes)
}

// All yields the lines of a text without their ends, and in place of the first one that cannot be had, and as the last,
// an error: *LimitError, ErrCutOff, ErrNoText, or r's error.
func All(r io.Reader) iter.Seq2[string, error] { return read(r, MaxBytes, isText) }

// Raw is All for texts with paths in them, which may hold any bytes.
func Raw(r io.Reader) iter.Seq2[string, error] {
	return read(r, MaxBytes, func(string) bool { return true })
}

// Endless is All for a text of any length, of which whoever reads it keeps no more than it needs.
func Endless(r io.Reader) iter.Seq2[string, error] { return read(r, math.MaxInt64-1, isText) }

// EndlessRaw is Raw for a text of any length.
func EndlessRaw(r io.Reader) iter.Seq2[string, error] {
	return read(r, math.MaxInt64-1, func(string) bool { return true })
}

func isText(line string) bool { return utf8.ValidString(line) && !strings.Contains(line, "\x00") }

func read(r io.Reader, limit int64, allowed func(string) bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		bounded := &io.LimitedReader{R: r, N: limit + 1}
		buffered := bufio.NewReaderSize(bounded, 4096)
		for {
			line, err := next(buffered)
			switch {
			case bounded.N <= 0:
				err = &LimitError{What: "text", LimitBytes: int(limit)}
			case errors.Is(err, io.EOF) && line == "":
				return
			case errors.Is(err, io.EOF):
				err = ErrCutOff
			case err == nil && !allowed(line):
				err = ErrNoText
			}
			if err != nil {
				yield("", err)
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}

// next reads a line. With an error it returns what there was of it.
func next(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		if err == nil {
			line = line[:len(line)-1]
		}
		if len(line) > MaxLineBytes {
			return "", &LimitError{What: "line", LimitBytes: MaxLineBytes}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}
