// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zfsbench.io/operator/internal/plan"
)

func testPlanFile(t *testing.T) (name string, p plan.Plan) {
	t.Helper()
	m, err := readManifest(files(t, benchmarkText, policyText), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err = m.plan("storage-0", plan.Scratch{Directory: "/var/lib/zfsbench", LimitBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(name, plan.Encode(p), 0o600); err != nil {
		t.Fatal(err)
	}
	return name, p
}

func TestPlanMustHaveItsDigest(t *testing.T) {
	name, p := testPlanFile(t)
	if got, err := (jobOptions{plan: name, digest: plan.Digest(p)}).load(); err != nil || got.Benchmark.Name != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := (jobOptions{plan: name, digest: "sha256:0"}).load(); err == nil ||
		!strings.Contains(err.Error(), "not sha256:0") {
		t.Errorf("another digest: %v", err)
	}
	if _, err := (jobOptions{plan: name + "x"}).load(); err == nil {
		t.Error("no error for a missing file")
	}
}

func TestCommandLine(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"execute without flags": {[]string{"execute"}, "required flag(s)"},
		"cleanup without flags": {[]string{"cleanup", "--plan=x"}, `"base", "namespace", "plan-digest"`},
		"run without a file":    {[]string{"run", "--out=x"}, `"file"`},
		"arguments":             {[]string{"run", "-f", "x", "--out", "y", "z"}, "unknown command"},
		"another command":       {[]string{"frobnicate"}, "unknown command"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := command()
			cmd.SetArgs(test.args)
			if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}
