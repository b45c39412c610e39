// SPDX-License-Identifier: Apache-2.0

package toolrun

import "bytes"

// edgesWriter keeps printedBytes of the beginning and of the end of what is written to it: a tool that prints a line
// each second names itself first and prints its results last. Where the middle is left out, it keeps only whole lines.
type edgesWriter struct {
	head headWriter
	// rest is what came after the head, or the end of that if it is long.
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
