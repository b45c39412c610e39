// SPDX-License-Identifier: Apache-2.0

package result

import "fmt"

// InvalidError says that a document, though it may be well-formed, cannot be true or is not allowed.
type InvalidError struct {
	// Document is trial, progress or ownership.
	Document string
	// Field is the path of the offending field, for example samples[0].read.latency; empty for the document as a whole.
	Field   string
	Problem string
}

func (e *InvalidError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s document: %s", e.Document, e.Problem)
	}
	return fmt.Sprintf("%s document: %s: %s", e.Document, e.Field, e.Problem)
}

// SizeError says that a document is larger than its transport allows, compressed or decompressed.
type SizeError struct {
	Document   string
	LimitBytes int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s document: larger than %d bytes", e.Document, e.LimitBytes)
}

// FormatError says that a document is not well-formed: not gzip, not JSON, or followed by something else.
type FormatError struct {
	Document string
	Err      error
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s document: %v", e.Document, e.Err) }

// Unwrap returns the decoder's error.
func (e *FormatError) Unwrap() error { return e.Err }
