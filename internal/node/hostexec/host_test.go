// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// prefixed is a host whose nsenter is replaced, because unit tests may not enter another namespace.
func prefixed(prefix ...string) host { return host{local{prefix: prefix, path: imagePath()}} }

func TestHostEntersTheMountNamespaceOfProcessOne(t *testing.T) {
	got := Host().(host).prefix
	if diff := cmp.Diff([]string{"nsenter", "-t", "1", "-m", "--"}, got); diff != "" {
		t.Errorf("prefix (-want +got):\n%s", diff)
	}
}

func TestHostRun(t *testing.T) {
	got, err := prefixed("env", "VIA=host").Run(t.Context(), Cmd{Args: []string{"sh", "-c", "echo $VIA"}})
	if err != nil || string(got.Stdout) != "host\n" {
		t.Errorf("got %q, error %v", got.Stdout, err)
	}
}

func TestHostRunNotFound(t *testing.T) {
	_, err := prefixed("env").Run(t.Context(), Cmd{Args: []string{"no-such-program"}})
	var notFound *NotFoundError
	var exit *ExitError
	if !errors.As(err, &notFound) || !errors.As(err, &exit) || exit.Code != 127 {
		t.Errorf("error %v, want *NotFoundError that wraps exit code 127", err)
	}
}

func TestHostRunExitCodeKeepsArgsWithoutPrefix(t *testing.T) {
	_, err := prefixed("env").Run(t.Context(), Cmd{Args: []string{"false"}})
	if diff := cmp.Diff(error(&ExitError{Args: []string{"false"}, Code: 1}), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
