// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"errors"
	"testing"

	"zfsbench.io/operator/internal/node/hostexec/hostexectest"
)

func TestVersions(t *testing.T) {
	tests := map[string]struct {
		answer             hostexectest.Answer
		files              map[string]string
		userland, module   string
		notLoaded, anyFail bool
	}{
		"captured": {
			answer:   hostexectest.Answer{Stdout: fixture(t, "zfs-version")},
			files:    map[string]string{"sys/module/zfs/version": "2.3.9-0+deb13u1\n"},
			userland: "2.3.9-0+deb13u1", module: "2.3.9-0+deb13u1",
		},
		"no module": {answer: hostexectest.Answer{Stdout: "zfs-2.2.2-1\n", Code: 1}, userland: "2.2.2-1", notLoaded: true,
			anyFail: true},
		"garbage": {answer: hostexectest.Answer{Stdout: "?\n"}, anyFail: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.answer.Match = "host zfs version"
			rec := hostexectest.New(t, test.answer)
			userland, module, err := New(rec.Runner("host")).WithRoot(tree(t, test.files)).Versions(t.Context())
			if userland != test.userland || module != test.module {
				t.Errorf("userland %q, module %q", userland, module)
			}
			if errors.Is(err, ErrModuleNotLoaded) != test.notLoaded || (err != nil) != test.anyFail {
				t.Errorf("error %v", err)
			}
		})
	}
}
