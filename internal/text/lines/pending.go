// SPDX-License-Identifier: Apache-2.0

package lines

import "bytes"

// Pending is the beginning of a line whose end has not come yet.
type Pending []byte

// Take cuts the next piece of a text, of any size, into lines, which end in any of the characters of ends, and calls
// line with each. Of a line that has not ended after most bytes, only the end is kept.
func (p *Pending) Take(piece []byte, ends string, most int, line func([]byte)) {
	all := append(*p, piece...)
	for {
		end := bytes.IndexAny(all, ends)
		if end < 0 {
			break
		}
		line(all[:end])
		all = all[end+1:]
	}
	all = all[max(0, len(all)-most):]
	*p = append(Pending(nil), all...)
}
