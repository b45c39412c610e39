// SPDX-License-Identifier: Apache-2.0

package work

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/node/sandbox"
	"zfsbench.io/operator/internal/tools"
	"zfsbench.io/operator/internal/tools/builtin"
	"zfsbench.io/operator/internal/tools/pgbench"
)

// TestMain is also what runs in the sandbox: its first process, and then the program with its options as JSON.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == sandbox.Subcommand:
		_, _ = fmt.Fprintln(os.Stderr, sandbox.Init())
		os.Exit(1)
	case len(os.Args) == 3 && os.Args[1] == pgbench.Subcommand:
		os.Exit(inSandbox(os.Args[2]))
	}
	os.Exit(m.Run())
}

func inSandbox(text string) int {
	o := Options{Status: os.Stderr}
	var report builtin.Report
	err := json.Unmarshal([]byte(text), &struct{ Options *Options }{&o})
	if err == nil {
		report, err = Run(context.Background(), hostexec.Local(), o)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// try runs the program in the sandbox on a target, as the tool wants it.
func try(
	ctx context.Context, t *testing.T, target string, w v1alpha1.PgbenchWorkload, layout bool,
) (builtin.Report, string, error) {
	t.Helper()
	start, err := pgbench.Of(v1alpha1.Workload{Name: "w", Pgbench: &w}).
		Start(tools.Place{Directory: sandbox.TargetDir, Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	options, err := json.Marshal(map[string]any{"Options": map[string]any{
		"Workload": w, "Directory": sandbox.TargetDir + "/w", "Layout": layout, "Seed": 7,
	}})
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	ended, err := sandbox.Run(ctx, sandbox.Command{
		Argv: []string{"runner", pgbench.Subcommand, string(options)}, Self: start.Self, NamedUser: start.NamedUser,
		Limits: sandbox.Limits(start.Limits),
		Target: target, Root: t.TempDir(), UID: sandbox.User, GID: sandbox.User, Stdout: &stdout, Stderr: &stderr,
	})
	if err != nil {
		return builtin.Report{}, stderr.String(), err
	}
	var report builtin.Report
	if ended.ExitCode == 0 {
		err = json.Unmarshal(stdout.Bytes(), &report)
	} else {
		err = fmt.Errorf("exit code %d", ended.ExitCode)
	}
	return report, stderr.String(), err
}

func newTarget(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test makes namespaces: run it as root")
	}
	if _, err := findPrograms(programsPattern); err != nil {
		t.Fatalf("%v: apt-get install postgresql", err)
	}
	target := t.TempDir()
	if err := os.Chown(target, sandbox.User, sandbox.User); err != nil {
		t.Fatal(err)
	}
	return target
}

// The real server and pgbench run in the sandbox, and what they measure is in the report.
func TestInSandbox(t *testing.T) {
	target := newTarget(t)
	w := v1alpha1.PgbenchWorkload{Scale: 1, Clients: 2, Runtime: &metav1.Duration{Duration: 2 * time.Second}}
	made, printed, err := try(t.Context(), t, target, w, true)
	if err != nil || len(made.Phases) != 0 || !strings.HasPrefix(made.Measured, "pgbench-") {
		t.Fatalf("made %+v, %v\n%s", made, err, printed)
	}
	measured, printed, err := try(t.Context(), t, target, w, false)
	if err != nil || len(measured.Phases) != 1 {
		t.Fatalf("measured %+v, %v\n%s", measured, err, printed)
	}
	p := measured.Phases[0]
	if p.Name != "transaction" || p.IOs == 0 || p.Latency.Count != p.IOs || len(p.Latency.Histogram.Bins) == 0 ||
		p.SyncNanoseconds <= 0 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(printed, "transaction ") {
		t.Errorf("it does not say how far it is: %q", printed)
	}
	if left, err := filepath.Glob(filepath.Join(target, "w", "transactions*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
	if _, printed, err := try(t.Context(), t, target, w, true); err == nil || !strings.Contains(printed, "file exists") {
		t.Errorf("made twice: %v\n%s", err, printed)
	}
	if left := servers(t); left != "" {
		t.Errorf("servers are left: %s", left)
	}
}

// One that is killed in the middle leaves no process.
func TestKilledInTheMiddle(t *testing.T) {
	target := newTarget(t)
	w := v1alpha1.PgbenchWorkload{Scale: 1, Clients: 4, Runtime: &metav1.Duration{Duration: time.Hour}}
	if _, printed, err := try(t.Context(), t, target, w, true); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, _, err := try(ctx, t, target, w, false)
		ended <- err
	}()
	for logs := 0; logs == 0; time.Sleep(50 * time.Millisecond) { //nolint:forbidigo // another process writes it
		found, err := filepath.Glob(filepath.Join(target, "w", "transactions.*"))
		if err != nil || t.Context().Err() != nil {
			t.Fatal(err, t.Context().Err())
		}
		logs = len(found)
	}
	if servers(t) == "" {
		t.Error("no server is seen while it measures")
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	if left := servers(t); left != "" {
		t.Errorf("servers are left: %s", left)
	}
}

// servers are the processes of PostgreSQL that the tools' user has.
func servers(t *testing.T) string {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range processes {
		info, err := os.Stat(path)
		name, errName := os.ReadFile(path + "/comm")
		if err != nil || errName != nil { // it has ended
			continue
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid == sandbox.User &&
			strings.HasPrefix(string(name), "p") {
			found = append(found, path+" "+strings.TrimSpace(string(name)))
		}
	}
	return strings.Join(found, ", ")
}

// The latest version is taken that has server and pgbench.
func TestFindPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"9/bin/postgres", "9/bin/pgbench", "15/bin/postgres", "15/bin/pgbench",
		"17/bin/postgres", "x/bin/postgres", "x/bin/pgbench"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := findPrograms(dir + "/*/bin"); err != nil || got != dir+"/15/bin" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := findPrograms(dir + "/*/sbin"); err == nil {
		t.Error("no error without any")
	}
}
