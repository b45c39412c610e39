// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// parentMode makes the test binary run a sandbox and wait, so that a test can kill a parent.
const parentMode = "test-parent"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Subcommand {
		fmt.Fprintln(os.Stderr, Init())
		os.Exit(1)
	}
	if len(os.Args) == 2 && os.Args[0] == selfName {
		fmt.Printf("%s as %d\n", os.Args[1], os.Getuid())
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == parentMode {
		os.Exit(beParent(os.Args[2]))
	}
	os.Exit(m.Run())
}

// needRoot fails a test that cannot make namespaces: what it proves cannot be proven otherwise.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatal("this test makes namespaces and device nodes: run it as root")
	}
}

// directory returns a directory that the tool's user can reach through /proc or a bind, as the runner's are.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chown(dir, User, User); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shell returns a command that runs a script with a fresh target and output directory.
func shell(t *testing.T, script string) Command {
	t.Helper()
	return Command{
		Argv: []string{"/bin/sh", "-c", script}, Target: directory(t), Output: directory(t), Root: t.TempDir(), UID: User,
		GID: User,
	}
}

// run runs a command and returns what it printed.
func run(t *testing.T, cmd Command) (Result, string) {
	t.Helper()
	needRoot(t)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	got, err := Run(t.Context(), cmd)
	if err != nil {
		t.Fatalf("run: %v\n%s", err, &errOut)
	}
	return got, out.String()
}

// selfName is what the test's own program is called when it is the tool.
const selfName = "myself"

// TestToolMayBeTheRunner: its own program runs in the sandbox, although its file is not there.
func TestToolMayBeTheRunner(t *testing.T) {
	cmd := shell(t, "")
	cmd.Argv, cmd.Self = []string{selfName, "hello"}, true
	if got, out := run(t, cmd); got.ExitCode != 0 || out != fmt.Sprintf("hello as %d\n", User) {
		t.Errorf("exit code %d, printed %q", got.ExitCode, out)
	}
}

// TestToolSeesDirectoriesBesideItsTarget: it may write to each of them, and to nothing above.
func TestToolSeesDirectoriesBesideItsTarget(t *testing.T) {
	cmd := shell(
		t, `echo one > /children/db/file; echo two > /children/log/file; ls /children; touch /children/other 2>/dev/null || echo refused`,
	)
	cmd.Children = map[string]string{"db": directory(t), "log": directory(t)}
	if got, out := run(t, cmd); got.ExitCode != 0 || out != "db\nlog\nrefused\n" {
		t.Errorf("exit code %d, printed %q", got.ExitCode, out)
	}
	for name, want := range map[string]string{"db": "one\n", "log": "two\n"} {
		if text, err := os.ReadFile(filepath.Join(cmd.Children[name], "file")); string(text) != want {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
	cmd.Children = map[string]string{"../db": directory(t)}
	if _, err := Run(t.Context(), cmd); err == nil {
		t.Error("a path in place of a name is accepted")
	}
}

func TestToolHasNoPrivileges(t *testing.T) {
	_, out := run(t, shell(t, `cat /proc/self/status`))
	got := map[string]string{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		got[name] = strings.Join(strings.Fields(value), " ")
	}
	user, none := strings.TrimSpace(strings.Repeat(strconv.Itoa(User)+" ", 4)), "0000000000000000"
	want := map[string]string{
		"Uid": user, "Gid": user, "Groups": "", "CapInh": none, "CapPrm": none, "CapEff": none, "CapBnd": none,
		"CapAmb": none, "NoNewPrivs": "1", "Seccomp": "2",
	}
	for name := range got {
		if _, wanted := want[name]; !wanted {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestToolSeesOnlyItsOwn(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"devices":          {`echo $(ls /dev)`, "full null random urandom zero\n"},
		"no network":       {`tail -n +3 /proc/self/net/dev | cut -d: -f1`, "    lo\n"},
		"no other process": {`set -- /proc/[0-9]*; echo $$ $*`, "1 /proc/1\n"},
		"environment": {`env | grep -v -e ^PWD= -e ^_= -e ^OLDPWD= -e ^SHLVL= | sort`,
			"HOME=/\nLC_ALL=C\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"},
		"descriptors": {
			`for f in 0 1 2 3 4 5 9 10 11 12 63 251 255; do (: <&$f) 2>/dev/null && echo $f; done; echo done`, "0\n1\n2\ndone\n",
		},
		"no configuration":  {`echo $(ls /etc)`, "ld.so.cache\n"},
		"writes to target":  {`echo hello > /target/file && cat /target/file`, "hello\n"},
		"writes to output":  {`echo hello > /out/file && cat /out/file`, "hello\n"},
		"device nodes work": {`head -c 3 /dev/zero | wc -c; echo x > /dev/null && echo ok`, "3\nok\n"},
		"program by name":   {`exec basename /a/b`, "b\n"},
		"shared memory":     {`ipcs -m | grep -c 0x`, "0\n"},
		"working directory": {`pwd`, "/\n"},
		"no writes to root": {`for d in / /usr /dev /proc /etc; do (: > $d/new) 2>/dev/null && echo $d; done; echo done`,
			"done\n"},
		"no mount": {`mount -t tmpfs none /target 2>/dev/null || echo refused`, "refused\n"},
		"no execution there": {`cp /bin/true /target/t && chmod +x /target/t; /target/t 2>/dev/null || echo refused`,
			"refused\n"},
		"no device nodes":  {`mknod /target/n c 1 3 2>/dev/null || echo refused`, "refused\n"},
		"hidden processes": {`ls /proc/sys /proc/kcore 2>/dev/null; echo done`, "done\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, got := run(t, shell(t, test.script)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRootHoldsSystemTargetAndOutput(t *testing.T) {
	want := []string{"dev", "etc", "out", "proc", "target"}
	_, out := run(t, shell(t, "ls /"))
	var got []string
	for _, name := range strings.Fields(out) {
		switch name {
		case "bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr":
		default:
			got = append(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNothingIsLeftOfTheRoot(t *testing.T) {
	cmd := shell(t, "true")
	run(t, cmd)
	entries, err := os.ReadDir(cmd.Root)
	if err != nil || len(entries) != 0 {
		t.Errorf("root holds %v, error %v", entries, err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || bytes.Contains(mounts, []byte(cmd.Root)) {
		t.Errorf("the root is still mounted here, error %v", err)
	}
}

func TestOutcome(t *testing.T) {
	tests := map[string]struct {
		script string
		want   Result
	}{
		"well":      {`true`, Result{}},
		"exit code": {`exit 3`, Result{ExitCode: 3}},
		// the first process of a namespace is safe from its children
		"signal":       {`(kill -9 $$) ; exit 4`, Result{ExitCode: 4}},
		"stdin closed": {`cat; exit 5`, Result{ExitCode: 5}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := run(t, shell(t, test.script))
			got.CPUTime = 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInputAndOutput(t *testing.T) {
	needRoot(t)
	cmd := shell(t, `cat; echo problem >&2`)
	cmd.Stdin = bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if _, err := Run(t.Context(), cmd); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), cmd.Stdin) || errOut.String() != "problem\n" {
		t.Errorf("%d bytes of output, stderr %q", out.Len(), &errOut)
	}
}

func TestOutputThatNobodyWants(t *testing.T) {
	needRoot(t)
	cmd := shell(t, `head -c 1000000 /dev/zero`)
	cmd.Stdout = brokenWriter{}
	got, err := Run(t.Context(), cmd)
	if err != nil || got.ExitCode != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestCPUTimeCountsChildren(t *testing.T) {
	busy, _ := run(t, shell(t, `i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done & wait`))
	idle, _ := run(t, shell(t, `true`))
	if busy.CPUTime < 20*time.Millisecond || idle.CPUTime > busy.CPUTime/2 {
		t.Errorf("busy %v, idle %v", busy.CPUTime, idle.CPUTime)
	}
}

func TestReadyComesBeforeTheTool(t *testing.T) {
	cmd := shell(t, `cat /target/mark`)
	calls := 0
	cmd.Ready = func() {
		calls++
		if err := os.WriteFile(filepath.Join(cmd.Target, "mark"), []byte("ready"), 0o644); err != nil {
			t.Error(err)
		}
	}
	if _, out := run(t, cmd); out != "ready" || calls != 1 {
		t.Errorf("%d calls, output %q", calls, out)
	}
}

func TestSetupErrors(t *testing.T) {
	needRoot(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		change func(*Command)
		want   string
	}{
		"no program": {func(c *Command) { c.Argv = []string{"no-such-program"} }, "no-such-program: program not found"},
		"no argv":    {func(c *Command) { c.Argv = nil }, "empty argument vector"},
		"relative path": {func(c *Command) {
			c.Argv = []string{"./fio"}
		}, "neither a program's name nor an absolute path"},
		"root's own user":  {func(c *Command) { c.UID = 0 }, "does not run as user 0"},
		"target is a file": {func(c *Command) { c.Target = file }, "neither a directory nor a block device"},
		"target missing":   {func(c *Command) { c.Target += "x" }, "no such file"},
		"output missing":   {func(c *Command) { c.Output += "x" }, "no such file"},
		"root missing":     {func(c *Command) { c.Root += "x" }, "no such file"},
		"not executable":   {func(c *Command) { c.Argv = []string{"/etc/ld.so.cache"} }, "not executable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := shell(t, "true")
			test.change(&cmd)
			_, err := Run(t.Context(), cmd)
			var setup *SetupError
			if !errors.As(err, &setup) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want a SetupError with %q", err, test.want)
			}
		})
	}
}

func TestEndOfContextKillsEverything(t *testing.T) {
	needRoot(t)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := shell(t, `trap '' TERM INT; sleep 987654 & sleep 987654`)
	cmd.Ready = func() { time.AfterFunc(200*time.Millisecond, cancel) }
	_, err := Run(ctx, cmd)
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrStuck) {
		t.Errorf("error %v", err)
	}
	if pids := sleepers(t, "987654"); len(pids) != 0 {
		t.Errorf("still there: %v", pids)
	}
	if _, err := Run(ctx, cmd); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
}

func TestDeathOfTheRunnerKillsEverything(t *testing.T) {
	needRoot(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	parent, err := os.StartProcess("/proc/self/exe", []string{"test", parentMode, t.TempDir()},
		&os.ProcAttr{Files: []*os.File{nil, w, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	awaitSleepers(t, "876543", 2)
	if err := parent.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := parent.Wait(); err != nil {
		t.Fatal(err)
	}
	awaitSleepers(t, "876543", 0)
}

// beParent runs a sandbox whose tool says on standard output when it runs.
func beParent(dir string) int {
	cmd := Command{
		Argv: []string{"/bin/sh", "-c", `sleep 876543 & echo x; exec sleep 876543`}, Target: dir, Root: dir, UID: User,
		GID: User, Stdout: os.Stdout,
	}
	if _, err := Run(context.Background(), cmd); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return 1
}

// awaitSleepers waits until exactly this many processes sleep this long.
func awaitSleepers(t *testing.T, seconds string, want int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for pids := sleepers(t, seconds); len(pids) != want; pids = sleepers(t, seconds) {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("processes %v, want %d", pids, want)
		}
	}
}

// sleepers are the processes on this machine that sleep this long.
func sleepers(t *testing.T, seconds string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err == nil && string(line) == "sleep\x00"+seconds+"\x00" {
			pids = append(pids, pid)
		}
	}
	return pids
}
