// SPDX-License-Identifier: Apache-2.0

package result

import "fmt"

// Data is what a workload has stored that is given from outside.
type Data struct {
	// Files are regular ones, Bytes what they hold.
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	// Digest is the digest of all names and contents: the same data has the same.
	Digest string `json:"digest"`
}

// check says what is wrong with data that came from outside, or nil.
func (d *Data) check() error {
	if d != nil && !digestPattern.MatchString(d.Digest) {
		return fmt.Errorf("digest %.80q is no sha256 digest", d.Digest)
	}
	return nil
}
