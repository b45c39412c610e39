// SPDX-License-Identifier: Apache-2.0

package toolrun

import "bytes"

// edgesWriter keeps the beginning and the end of what is written to it, printedBytes of each: a tool that prints a line
// each second says what it is first, and what it measured last. Lines that are cut where the middle is left out are
// left out as well.
type edgesWriter struct {
	head headWriter
	// rest is what came after the head, its beginning left out if it is long.
	rest    []byte
	skipped bool
}

func (e *edgesWriter) Write(p []byte) (int, error) {
	taken := min(len(p), printedBytes-len(e.head.kept))
	_, _ = e.head.Write(p[:taken]) // never fails
	e.rest = append(e.rest, p[taken:]...)
	if len(e.rest) > 2*printedBytes {
		e.rest, e.skipped = append([]byte{}, e.rest[len(e.rest)-printedBytes:]...), true
	}
	return len(p), nil
}

func (e *edgesWriter) String() string {
	if !e.skipped {
		return e.head.String() + string(e.rest)
	}
	head := e.head.kept[:bytes.LastIndexByte(e.head.kept, '\n')+1]
	_, tail, _ := bytes.Cut(e.rest, []byte("\n"))
	return string(head) + string(tail)
}
