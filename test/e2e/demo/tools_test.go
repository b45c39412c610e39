// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandLine(t *testing.T) {
	tests := map[string]struct {
		stdin string
		args  []string
		want  string
	}{
		"plain": {args: []string{"get", "zfsbenchmarks"}, want: "\n$ kubectl get zfsbenchmarks\n"},
		"quoted": {args: []string{"-o", `jsonpath={.data.summary\.md}`},
			want: "\n$ kubectl -o 'jsonpath={.data.summary\\.md}'\n"},
		"with stdin": {stdin: "a: 1\n", args: []string{"apply", "-f", "-"},
			want: "\n$ kubectl apply -f - <<EOF\na: 1\nEOF\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, commandLine("kubectl", tt.stdin, tt.args)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestToolsRun(t *testing.T) {
	var out bytes.Buffer
	x := tools{helm: "cat", kubectl: "false", dir: t.TempDir(), out: &out}
	if err := x.run(t.Context(), "helm", x.helm, "content", nil); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "EOF\ncontent") {
		t.Errorf("output = %q", out.String())
	}
	if err := x.runKubectl(t.Context(), "", "get"); err == nil || !strings.Contains(err.Error(), "kubectl get") {
		t.Errorf("error = %v, want one that names the command", err)
	}
}
