package remote

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the login shell makes of a command line must be the arguments again.
func TestCommandLine(t *testing.T) {
	tests := map[string][]string{
		"plain":        {"a", "b"},
		"empty":        {"", "x", ""},
		"spaces":       {"a b", "\tc\n", " "},
		"quotes":       {`it's`, `"x"`, `'`, `''`, `\'`},
		"expansions":   {"$HOME", "`id`", "$(id)", "*", "~", "{a,b}", "!!"},
		"operators":    {";", "|", "&", ">x", "<x", "#", "-n", "--"},
		"not for text": {"ä\xff"},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			line := commandLine(Command{Args: append([]string{"printf", `%s\0`}, args...), Env: []string{"X=1 2"}})
			out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", line).Output()
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
			if diff := cmp.Diff(args, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}
