// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"zfsbench.io/operator/internal/node/hostexec"
)

// probe is a system call, its arguments written in Perl, which calls the kernel as directly as C does and is part of
// every Debian. It wants texts in variables.
type probe struct {
	number    uintptr
	arguments string
}

// script prints the number of the call's error, 0 if it had none.
func (p probe) script() string {
	return fmt.Sprintf(`$! = 0; my $r = syscall(%d, %s); print($r == -1 ? $!+0 : 0)`, p.number, p.arguments)
}

// inside makes the call in the sandbox.
func (p probe) inside(t *testing.T, ioUring bool) string {
	t.Helper()
	cmd := shell(t, "")
	cmd.Argv, cmd.IOUring = []string{"perl", "-e", p.script()}, ioUring
	_, out := run(t, cmd)
	return out
}

// asRoot makes the call outside of it.
func (p probe) asRoot(t *testing.T) string {
	t.Helper()
	needRoot(t)
	out, err := hostexec.Local().Run(t.Context(), hostexec.Cmd{Args: []string{"perl", "-e", p.script()}})
	if err != nil {
		t.Fatal(err)
	}
	return string(out.Stdout)
}

func errno(e unix.Errno) string { return fmt.Sprint(int(e)) }

// TestRefusedSystemCalls makes calls whose arguments do no harm: root outside of the sandbox gets another answer, so
// that the sandbox's is no accident.
func TestRefusedSystemCalls(t *testing.T) {
	tests := map[string]probe{
		"add_key":                {unix.SYS_ADD_KEY, `0, 0, 0, 0, 0`},
		"bpf":                    {unix.SYS_BPF, `-1, 0, 0`},
		"chroot":                 {unix.SYS_CHROOT, `(my $s = "/no-such-directory")`},
		"clone, user namespace":  {unix.SYS_CLONE, fmt.Sprintf(`%d, 0, 0, 0, 0`, unix.CLONE_NEWUSER|unix.CLONE_FS)},
		"clone, mount namespace": {unix.SYS_CLONE, fmt.Sprintf(`%d, 0, 0, 0, 0`, unix.CLONE_NEWNS|unix.CLONE_FS)},
		"delete_module":          {unix.SYS_DELETE_MODULE, `(my $s = "no-such-module"), 0`},
		"fanotify_init":          {unix.SYS_FANOTIFY_INIT, `0x7fffffff, 0`},
		"fsopen":                 {unix.SYS_FSOPEN, `(my $s = "no-such-filesystem"), 0`},
		"init_module":            {unix.SYS_INIT_MODULE, `0, 0, 0`},
		"io_uring_enter":         {unix.SYS_IO_URING_ENTER, `-1, 0, 0, 0, 0, 0`},
		"io_uring_register":      {unix.SYS_IO_URING_REGISTER, `-1, 0, 0, 0`},
		"io_uring_setup":         {unix.SYS_IO_URING_SETUP, `1, 0`},
		"kcmp":                   {unix.SYS_KCMP, `-1, -1, 0, 0, 0`},
		"kexec_load":             {unix.SYS_KEXEC_LOAD, `0, 0, 0, 0x7fffffff`},
		"keyctl":                 {unix.SYS_KEYCTL, `-1, 0, 0, 0, 0`},
		"mount":                  {unix.SYS_MOUNT, `0, 0, 0, 0, 0`},
		"mount_setattr":          {unix.SYS_MOUNT_SETATTR, `-1, 0, 0x7fffffff, 0, 0`},
		"open_by_handle_at":      {unix.SYS_OPEN_BY_HANDLE_AT, `-1, 0, 0`},
		"open_tree":              {unix.SYS_OPEN_TREE, `-1, 0, 0x7fffffff`},
		"perf_event_open":        {unix.SYS_PERF_EVENT_OPEN, `0, 0, -1, -1, 0`},
		"personality, odd":       {unix.SYS_PERSONALITY, `0x0040000`},
		"pidfd_getfd":            {unix.SYS_PIDFD_GETFD, `-1, 0, 0`},
		"pivot_root":             {unix.SYS_PIVOT_ROOT, `(my $s = "/no-such-directory"), (my $t = "/no-such-directory")`},
		"process_vm_readv":       {unix.SYS_PROCESS_VM_READV, `1, 0, 0, 0, 0, 0`},
		"ptrace":                 {unix.SYS_PTRACE, fmt.Sprintf(`%d, -1, 0, 0`, unix.PTRACE_ATTACH)},
		"quotactl":               {unix.SYS_QUOTACTL, `-1, 0, 0, 0`},
		"reboot":                 {unix.SYS_REBOOT, `0, 0, 0, 0`},
		"setns":                  {unix.SYS_SETNS, `-1, 0`},
		"socket, AF_ALG":         {unix.SYS_SOCKET, fmt.Sprintf(`%d, %d, 0`, unix.AF_ALG, unix.SOCK_SEQPACKET)},
		"socket, AF_VSOCK":       {unix.SYS_SOCKET, fmt.Sprintf(`%d, %d, 0`, unix.AF_VSOCK, unix.SOCK_STREAM)},
		"swapon":                 {unix.SYS_SWAPON, `0, 0`},
		"umount":                 {unix.SYS_UMOUNT2, `(my $s = "/no-such-directory"), 0`},
		"unshare":                {unix.SYS_UNSHARE, `0`},
		"userfaultfd":            {unix.SYS_USERFAULTFD, `0x7fffffff`},
		"getpid of x32":          {0x40000000 | unix.SYS_GETPID, `0`},
	}
	for name, p := range tests {
		t.Run(name, func(t *testing.T) {
			if got := p.inside(t, false); got != errno(unix.EPERM) {
				t.Errorf("in the sandbox: error %s, want %s", got, errno(unix.EPERM))
			}
			if got := p.asRoot(t); got == errno(unix.EPERM) {
				t.Error("root is refused too: this call proves nothing")
			}
			if uring := strings.HasPrefix(name, "io_uring"); uring && p.inside(t, true) == errno(unix.EPERM) {
				t.Error("refused to a tool that needs io_uring")
			}
		})
	}
}

// TestOtherAnswers are calls that fail otherwise, or not at all.
func TestOtherAnswers(t *testing.T) {
	tests := map[string]struct {
		probe probe
		want  unix.Errno
	}{
		"clone3 is unknown, so that libraries use clone": {probe{unix.SYS_CLONE3, `0, 0`}, unix.ENOSYS},
		"a call of the future":                           {probe{900, `0`}, unix.ENOSYS},
		"another user":                                   {probe{unix.SYS_SETUID, `0`}, unix.EPERM},
		"the personality it has":                         {probe{unix.SYS_PERSONALITY, `0xffffffff`}, 0},
		"a socket": {probe{unix.SYS_SOCKET,
			fmt.Sprintf(`%d, %d, 0`, unix.AF_INET, unix.SOCK_STREAM)}, 0},
		"a higher limit": {probe{unix.SYS_SETRLIMIT,
			fmt.Sprintf(`%d, (my $s = pack("QQ", 1<<20, 1<<20))`, unix.RLIMIT_NPROC)}, unix.EPERM},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.probe.inside(t, false); got != errno(tt.want) {
				t.Errorf("error %s, want %s", got, errno(tt.want))
			}
		})
	}
}

// TestDeviceNode cannot be made, for want of a capability, and, where the kernel has Landlock, which answers first, by
// that.
func TestDeviceNode(t *testing.T) {
	node := probe{unix.SYS_MKNODAT,
		fmt.Sprintf(`-100, (my $s = "/target/n"), %d, %d`, unix.S_IFBLK|0o600, unix.Mkdev(8, 0))}
	if got := node.inside(t, false); got != errno(unix.EPERM) && got != errno(unix.EACCES) {
		t.Errorf("error %s, want %s or %s", got, errno(unix.EPERM), errno(unix.EACCES))
	}
}

// TestLandlock tries what an unprivileged process may do in this root, and what only Landlock refuses it.
func TestLandlock(t *testing.T) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || abi < 2 {
		t.Skipf("this kernel has no Landlock that knows renames between directories (ABI %d, %v)", abi, errno)
	}
	tests := map[string]struct{ script, want string }{
		"a whiteout device": {
			fmt.Sprintf(`perl -e '$! = 0; syscall(%d, -100, (my $s = "/target/n"), %d, 0); print $!+0'`,
				unix.SYS_MKNODAT, unix.S_IFCHR|0o600),
			fmt.Sprint(int(unix.EACCES)),
		},
		"a file of proc": {`echo 1000 2>/dev/null > /proc/self/oom_score_adj || echo refused`, "refused\n"},
		"files in all that it has": {`echo x > /target/f && echo x > /out/f && echo x > /dev/null && cat /target/f /out/f`,
			"x\nx\n"},
		"a rename between its own": {
			`mkdir /target/a /target/b && echo x > /target/a/f && perl -e 'rename "/target/a/f", "/target/b/g" or die $!' && cat /target/b/g`, "x\n",
		},
		"a link between its own": {`mkdir /target/a && echo x > /target/f && ln /target/f /target/a/f && cat /target/a/f`,
			"x\n"},
		"truncating, removing them": {
			`echo xx > /target/f && truncate -s 1 /target/f && stat -c %s /target/f && rm /target/f && ls /target`, "1\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, got := run(t, shell(t, test.script)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	// Pages that nothing is written to cost no memory, but count.
	mapping := func(bytes int, flags int) probe {
		return probe{unix.SYS_MMAP, fmt.Sprintf(`0, %d, %d, %d, -1, 0`, bytes, unix.PROT_READ|unix.PROT_WRITE,
			flags|unix.MAP_ANONYMOUS)}
	}
	tests := map[string]struct {
		probe probe
		need  int64
		want  unix.Errno
	}{
		"within the base":      {mapping(baseDataBytes/2, unix.MAP_PRIVATE), 0, 0},
		"beyond the base":      {mapping(baseDataBytes, unix.MAP_PRIVATE), 0, unix.ENOMEM},
		"within what it needs": {mapping(baseDataBytes, unix.MAP_PRIVATE), baseDataBytes, 0},
		"beyond what it needs": {mapping(2*baseDataBytes, unix.MAP_PRIVATE), baseDataBytes, unix.ENOMEM},
		"shared":               {mapping(2*baseDataBytes, unix.MAP_SHARED), 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cmd := shell(t, "")
			cmd.Argv, cmd.Limits.DataBytes = []string{"perl", "-e", tt.probe.script()}, tt.need
			if _, got := run(t, cmd); got != errno(tt.want) {
				t.Errorf("error %s, want %s", got, errno(tt.want))
			}
		})
	}
}

func TestTaskLimit(t *testing.T) {
	for name, tasks := range map[string]int{"the base": 0, "more": 100} {
		t.Run(name, func(t *testing.T) {
			cmd := shell(t, "")
			// A user that no other test runs as: the kernel counts by user.
			cmd.UID, cmd.Limits.Tasks = User+1+tasks, tasks
			cmd.Argv = []string{"perl", "-e",
				`my $n = 1; while ($n < 1000) { my $p = fork; last if !defined $p; if (!$p) { sleep 1000; exit } $n++ } print "$n ", $!+0`}
			if _, got := run(t, cmd); got != fmt.Sprintf("%d %s", baseTasks+tasks, errno(unix.EAGAIN)) {
				t.Errorf("number of processes and error: %s", got)
			}
		})
	}
}

// TestReach tries what needs no privilege to reach beyond the target.
func TestReach(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"the first process is the tool": {`tr '\0' ' ' < /proc/1/cmdline | cut -d' ' -f1`, "/bin/sh\n"},
		"the environment of the first":  {`tr '\0' '\n' < /proc/1/environ | wc -l`, "3\n"},
		"no process of the node":        {`kill -0 2 2>/dev/null || echo none`, "none\n"},
		"no network": {
			`perl -MIO::Socket::INET -e 'IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => 1) or print $!+0'`,
			errno(unix.ENETUNREACH),
		},
		"no way up from the target": {`ls /target/../.. | tr '\n' ' ' | grep -c root`, "0\n"},
		"no kernel settings":        {`cat /proc/sys/kernel/hostname 2>/dev/null || echo none`, "none\n"},
		"no set-user-id": {
			`cp /bin/sh /target/sh && chmod u+s /target/sh; stat -f -c %t /target >/dev/null; /target/sh -c id 2>/dev/null || echo refused`, "refused\n",
		},
		"ended first when memory is out": {`cat /proc/self/oom_score_adj`, "1000\n"},
		"the limits": {
			`ulimit -d; ulimit -p 2>/dev/null || grep -c 'Max processes *64 *64 ' /proc/self/limits`, "524288\n64\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, got := run(t, shell(t, test.script)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
