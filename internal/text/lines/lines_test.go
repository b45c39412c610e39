// SPDX-License-Identifier: Apache-2.0

package lines

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// collect returns all lines before the error, if there is one.
func collect(in func(yield func(string, error) bool)) (all []string, err error) {
	for line, err := range in {
		if err != nil {
			return all, err
		}
		all = append(all, line)
	}
	return all, nil
}

func TestAll(t *testing.T) {
	long := strings.Repeat("x", MaxLineBytes)
	tests := map[string]struct {
		in   io.Reader
		want []string
		err  error
	}{
		"empty":          {strings.NewReader(""), nil, nil},
		"lines":          {strings.NewReader("a\n\nb c\n"), []string{"a", "", "b c"}, nil},
		"a byte at once": {iotest.OneByteReader(strings.NewReader("ab\nc\n")), []string{"ab", "c"}, nil},
		"cut off":        {strings.NewReader("a\n12"), []string{"a"}, ErrCutOff},
		"not UTF-8":      {strings.NewReader("a\n\xff\nb\n"), []string{"a"}, ErrNoText},
		"a zero byte":    {strings.NewReader("a\x00\n"), nil, ErrNoText},
		"failing":        {iotest.ErrReader(io.ErrClosedPipe), nil, io.ErrClosedPipe},
		"failing in line": {io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrClosedPipe)), []string{"a"},
			io.ErrClosedPipe},
		"longest line": {strings.NewReader(long + "\n"), []string{long}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := collect(All(tt.in))
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v; lines (-want +got):\n%s", err, tt.err, diff)
			}
		})
	}
}

// endless repeats a text for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	return copy(p, strings.Repeat(string(e), 1+len(p)/len(e))), nil
}

func TestLimits(t *testing.T) {
	tests := map[string]struct {
		in   io.Reader
		want *LimitError
	}{
		"endless line": {endless("x"), &LimitError{What: "line", LimitBytes: MaxLineBytes}},
		"endless text": {endless(strings.Repeat("x", 1000) + "\n"), &LimitError{What: "text", LimitBytes: MaxBytes}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := collect(Raw(tt.in))
			var got *LimitError
			if !errors.As(err, &got) {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRawTakesAnyBytes(t *testing.T) {
	got, err := collect(Raw(strings.NewReader("/mnt/\xff\n")))
	if diff := cmp.Diff([]string{"/mnt/\xff"}, got); diff != "" || err != nil {
		t.Errorf("error %v; lines (-want +got):\n%s", err, diff)
	}
}

// FuzzAll holds the lines to the text: put together again they are the text, or it is cut off, too long or no text.
func FuzzAll(f *testing.F) {
	for _, seed := range []string{"", "a\nb\n", "a\nb", "\n\n", "\xff\n", "a\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := collect(All(strings.NewReader(text)))
		joined := strings.Join(got, "\n")
		if len(got) > 0 {
			joined += "\n"
		}
		if !strings.HasPrefix(text, joined) || err == nil && joined != text {
			t.Fatalf("lines %q, error %v", got, err)
		}
		if err == nil && !isText(text) {
			t.Fatal("what is no text was read")
		}
		again, err2 := collect(All(iotest.OneByteReader(strings.NewReader(text))))
		if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" || !errors.Is(err2, err) {
			t.Fatalf("in pieces: error %v (-whole +pieces):\n%s", err2, diff)
		}
	})
}
