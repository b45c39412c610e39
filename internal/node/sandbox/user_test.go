// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"strings"
	"testing"
)

// TestNamedUser gives the tool's user a name, and nobody else; without that there is no table of users at all.
func TestNamedUser(t *testing.T) {
	cmd := shell(t, "id -un; cat /etc/passwd; echo x >>/etc/passwd; ls /etc")
	cmd.NamedUser = true
	if _, out := run(t, cmd); !strings.HasPrefix(out,
		"zfsbench\nzfsbench:x:2053534562:2053534562::/:/usr/sbin/nologin\n") || strings.Contains(out, "x\nx\n") {
		t.Errorf("named: %q", out)
	}
	if _, out := run(t, shell(t, "id -un; ls /etc")); strings.Contains(out, "zfsbench") ||
		strings.Contains(out, "passwd") {
		t.Errorf("not named: %q", out)
	}
}
