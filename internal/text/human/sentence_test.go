// SPDX-License-Identifier: Apache-2.0

package human

import "testing"

func TestSentence(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"empty":        {},
		"plain":        {"it is so", "It is so."},
		"done already": {"It is so.", "It is so."},
		"lines":        {"one\ntwo\n", "One; two."},
		"umlaut":       {"ärger", "Ärger."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Sentence(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
