// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// imageOf makes a root like a small image's: a shell, its libraries and a few files of its own.
func imageOf(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	var programs []string
	for _, pattern := range []string{"/bin/sh", "/lib64/ld-linux*", "/lib/ld-linux*", "/lib/*-linux-gnu*/libc.so.6"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, found...)
	}
	put := func(name string, data []byte) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range programs {
		data, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		put(program, data)
	}
	put("etc/release", []byte("somebody's\n"))
	put("tmp/left", nil)
	put("dev/sda", []byte("no device\n"))
	put("proc/secret", nil)
	put("sys/secret", nil)
	put("target/secret", nil)
	put("file", []byte("top\n"))
	if err := os.Symlink("etc/release", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	return root
}

// inImage runs a script in an image without output directory, as scripts are run.
func inImage(t *testing.T, script string) (Result, string) {
	t.Helper()
	cmd := shell(t, script)
	cmd.Argv[0], cmd.Image, cmd.Output = "sh", imageOf(t), ""
	return run(t, cmd)
}

// TestImage: a program of an image finds the image's files, its data and its memory, and nothing of the node.
func TestImage(t *testing.T) {
	const list = `for f in /* /dev/* /sys/* /tmp/* /target/*; do [ -e "$f" ] && echo "$f"; done; `
	got, out := inImage(
		t, list+`read x </etc/release; echo $x; read x </link; echo $x; echo $ZFSBENCH_DATA; echo data >$ZFSBENCH_DATA/f; echo tmp >/tmp/f; read x </tmp/f; echo $x`,
	)
	lib64 := ""
	if _, err := os.Stat("/lib64"); err == nil {
		lib64 = "/lib64\n"
	}
	want := "/bin\n/dev\n/etc\n/file\n/lib\n" + lib64 +
		"/link\n/proc\n/target\n/tmp\n/dev/full\n/dev/null\n/dev/random\n/dev/urandom\n/dev/zero\nsomebody's\nsomebody's\n" +
		"/target\ntmp\n"
	if got.ExitCode != 0 || out != want {
		t.Errorf("exit code %d, printed\n%swant\n%s", got.ExitCode, out, want)
	}
}

// TestImageIsReadOnly: whatever a program tries to write to but its data and its memory, it cannot.
func TestImageIsReadOnly(t *testing.T) {
	for _, path := range []string{"/new", "/file", "/etc/release", "/etc/new", "/bin/sh", "/dev/new", "/proc/new"} {
		if _, out := inImage(t, "(echo x >"+path+") 2>/dev/null || echo refused"); out != "refused\n" {
			t.Errorf("%s: %q", path, out)
		}
	}
	if _, out := inImage(t, "echo 'echo run' >/target/p; chmod 755 /target/p 2>/dev/null; (/target/p) 2>/dev/null || "+
		"echo refused"); out != "refused\n" {
		t.Errorf("a program in the data: %q", out)
	}
}

// TestImageMemory: files in /tmp have an end.
func TestImageMemory(t *testing.T) {
	line := strings.Repeat("x", 1<<16)
	script := fmt.Sprintf(
		`i=0; while [ $i -lt 1100 ]; do echo %s >>/tmp/f || break; i=$((i+1)); done 2>/dev/null; echo $i`, line,
	)
	_, out := inImage(t, script)
	var lines int
	if _, err := fmt.Sscan(out, &lines); err != nil || lines < 1000 || lines > TemporaryBytes/len(line) {
		t.Errorf("%q lines of %d bytes, %v", out, len(line), err)
	}
}

// TestImageFiles: so has their number.
func TestImageFiles(t *testing.T) {
	_, out := inImage(
		t, `i=0; while [ $i -lt 20000 ]; do true >/tmp/$i || break; i=$((i+1)); done 2>/dev/null; echo $i; (true >/tmp/f) 2>/dev/null || echo full`,
	)
	var files int
	if _, err := fmt.Sscan(out, &files); err != nil || files < 16000 || files > temporaryFiles ||
		!strings.HasSuffix(out, "full\n") {
		t.Errorf("%q files, %v", out, err)
	}
}

// TestImageOfManyFiles: each file in its root is a mount on the node.
func TestImageOfManyFiles(t *testing.T) {
	needRoot(t)
	cmd := shell(t, "")
	cmd.Image = imageOf(t)
	for i := range maxImageEntries {
		if err := os.Mkdir(filepath.Join(cmd.Image, fmt.Sprint("d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Run(t.Context(), cmd); err == nil || !strings.Contains(err.Error(), "in its root, and may have 256") {
		t.Errorf("error %v", err)
	}
}

// TestSource: data that a tool only reads from.
func TestSource(t *testing.T) {
	source := directory(t)
	if err := os.WriteFile(filepath.Join(source, "given"), []byte("theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := shell(t, `cat /source/given; (echo x >/source/new) 2>/dev/null || echo refused`)
	cmd.Source = source
	if _, out := run(t, cmd); out != "theirs\nrefused\n" {
		t.Errorf("printed %q", out)
	}
}

func TestNoProgramInImage(t *testing.T) {
	needRoot(t)
	cmd := shell(t, "")
	cmd.Image, cmd.Argv = imageOf(t), []string{"cat"}
	if _, err := Run(t.Context(), cmd); err == nil || err.Error() != "sandbox: cat: program not found" {
		t.Errorf("error %v", err)
	}
}
