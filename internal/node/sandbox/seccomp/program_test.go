// SPDX-License-Identifier: Apache-2.0

package seccomp

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const (
	allowing = unix.SECCOMP_RET_ALLOW
	refusing = unix.SECCOMP_RET_ERRNO | int(unix.EPERM)
	unknown  = unix.SECCOMP_RET_ERRNO | int(unix.ENOSYS)
)

// verdictOf runs a program on a call in the virtual machine of x/net/bpf, which reads big-endian words.
func verdictOf(t *testing.T, vm *bpf.VM, arch, number uint32, argument uint64) int {
	t.Helper()
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offsetNumber:], number)
	binary.BigEndian.PutUint32(data[offsetArchitecture:], arch)
	binary.BigEndian.PutUint32(data[offsetArgumentLow:], uint32(argument))
	binary.BigEndian.PutUint32(data[offsetArgumentHigh:], uint32(argument>>32))
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func machine(t *testing.T, arch string, ioUring bool) *bpf.VM {
	t.Helper()
	program, err := Program(arch, ioUring)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bpf.Assemble(program); err != nil {
		t.Fatal(err)
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// TestEveryNumber holds the search against the lists, number by number.
func TestEveryNumber(t *testing.T) {
	number := map[string]func(call) int{
		"amd64": func(c call) int { return c.amd64 },
		"arm64": func(c call) int { return c.arm64 },
	}
	audit := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}
	for arch, of := range number {
		for _, ioUring := range []bool{false, true} {
			want := map[int]int{}
			for _, c := range allowed {
				want[of(c)] = allowing
			}
			for _, c := range missing {
				want[of(c)] = unknown
			}
			for _, c := range uring {
				if ioUring {
					want[of(c)] = allowing
				}
			}
			for _, c := range conditions {
				want[of(c.call)] = allowing // with the argument 0
			}
			delete(want, -1)
			vm := machine(t, arch, ioUring)
			newest := 0
			for n := range want {
				newest = max(newest, n)
			}
			for n := range 1000 {
				w, named := want[n]
				switch {
				case n > newest:
					w = unknown
				case !named:
					w = refusing
				}
				if got := verdictOf(t, vm, audit[arch], uint32(n), 0); got != w {
					t.Errorf("%s, io_uring %t, call %d: got %#x, want %#x", arch, ioUring, n, got, w)
				}
				if got := verdictOf(t, vm, audit[arch], uint32(n)|x32, 0); got != refusing {
					t.Errorf("%s, io_uring %t, call %d of x32: got %#x", arch, ioUring, n, got)
				}
				if got := verdictOf(t, vm, unix.AUDIT_ARCH_I386, uint32(n), 0); got != refusing {
					t.Errorf("%s, io_uring %t, call %d of i386: got %#x", arch, ioUring, n, got)
				}
			}
		}
	}
}

func TestCalls(t *testing.T) {
	const high = 1 << 32
	tests := map[string]struct {
		amd64, arm64 uint32
		argument     uint64
		ioUring      bool
		want         int
	}{
		"read":                          {0, 63, 0, false, allowing},
		"write":                         {1, 64, 0, false, allowing},
		"execve":                        {59, 221, 0, false, allowing},
		"io_submit":                     {209, 2, 0, false, allowing},
		"shmget":                        {29, 194, 0, false, allowing},
		"mount":                         {165, 40, 0, false, refusing},
		"umount2":                       {166, 39, 0, false, refusing},
		"pivot_root":                    {155, 41, 0, false, refusing},
		"chroot":                        {161, 51, 0, false, refusing},
		"unshare":                       {272, 97, 0, false, refusing},
		"setns":                         {308, 268, 0, false, refusing},
		"ptrace":                        {101, 117, 0, false, refusing},
		"process_vm_readv":              {310, 270, 0, false, refusing},
		"bpf":                           {321, 280, 0, false, refusing},
		"keyctl":                        {250, 219, 0, false, refusing},
		"add_key":                       {248, 217, 0, false, refusing},
		"request_key":                   {249, 218, 0, false, refusing},
		"perf_event_open":               {298, 241, 0, false, refusing},
		"init_module":                   {175, 105, 0, false, refusing},
		"finit_module":                  {313, 273, 0, false, refusing},
		"kexec_load":                    {246, 104, 0, false, refusing},
		"userfaultfd":                   {323, 282, 0, false, refusing},
		"open_by_handle_at":             {304, 265, 0, false, refusing},
		"swapon":                        {167, 224, 0, false, refusing},
		"quotactl":                      {179, 60, 0, false, refusing},
		"reboot":                        {169, 142, 0, false, refusing},
		"io_uring_setup":                {425, 425, 0, false, refusing},
		"io_uring_enter":                {426, 426, 0, false, refusing},
		"io_uring_register":             {427, 427, 0, false, refusing},
		"io_uring_setup, asked for":     {425, 425, 0, true, allowing},
		"io_uring_enter, asked for":     {426, 426, 0, true, allowing},
		"io_uring_register, asked for":  {427, 427, 0, true, allowing},
		"clone3":                        {435, 435, 0, false, unknown},
		"clone, a thread":               {56, 220, 0x3d0f00, false, allowing},
		"clone, a process":              {56, 220, 0x1200011, false, allowing},
		"clone, user namespace":         {56, 220, unix.CLONE_NEWUSER, false, refusing},
		"clone, mounts, among others":   {56, 220, 0x3d0f00 | unix.CLONE_NEWNS, false, refusing},
		"socket, unix":                  {41, 198, unix.AF_UNIX, false, allowing},
		"socket, packet":                {41, 198, unix.AF_PACKET, false, allowing},
		"socket, AF_ALG":                {41, 198, unix.AF_ALG, false, refusing},
		"socket, AF_VSOCK":              {41, 198, unix.AF_VSOCK, false, refusing},
		"socket, a high bit":            {41, 198, unix.AF_UNIX | high, false, refusing},
		"personality, Linux":            {135, 92, 0, false, allowing},
		"personality, asking":           {135, 92, 0xffffffff, false, allowing},
		"personality, no randomisation": {135, 92, 0x0040000, false, refusing},
		"personality, all bits":         {135, 92, 1<<64 - 1, false, refusing},
		"a call of the future":          {900, 900, 0, false, unknown},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := verdictOf(t, machine(t, "amd64", tt.ioUring), unix.AUDIT_ARCH_X86_64, tt.amd64,
				tt.argument); got != tt.want {
				t.Errorf("amd64: got %#x, want %#x", got, tt.want)
			}
			if got := verdictOf(t, machine(t, "arm64", tt.ioUring), unix.AUDIT_ARCH_AARCH64, tt.arm64,
				tt.argument); got != tt.want {
				t.Errorf("arm64: got %#x, want %#x", got, tt.want)
			}
		})
	}
}

func TestOtherArchitectures(t *testing.T) {
	if _, err := Program("riscv64", false); err == nil {
		t.Error("there is a filter for riscv64")
	}
}
