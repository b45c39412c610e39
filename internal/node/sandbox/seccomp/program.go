// SPDX-License-Identifier: Apache-2.0

package seccomp

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// call is a system call with its number on each architecture, -1 where there is none.
type call struct {
	name         string
	amd64, arm64 int
}

// operator compares a call's first argument.
type operator int

const (
	equal operator = iota
	less
	// noneOf holds if none of the value's bits is set.
	noneOf
)

// condition allows a call if the comparison of its first argument with the value holds.
type condition struct {
	call  call
	op    operator
	value uint32
}

// Offsets in the kernel's struct seccomp_data; amd64 and arm64 are little-endian.
const (
	offsetNumber       = 0
	offsetArchitecture = 4
	offsetArgumentLow  = 16
	offsetArgumentHigh = 20
)

// x32 is the bit that distinguishes calls of the x32 ABI from calls of amd64. Other architectures have no numbers this
// high.
const x32 = 0x40000000

// verdict is what a filter does with a call: one instruction, or several, each branch of which ends in a verdict.
type verdict []bpf.Instruction

func allow() verdict { return verdict{bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}} }

func fail(errno unix.Errno) verdict {
	return verdict{bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}}
}

// segment is a range of numbers with one verdict, which ends where the next one starts.
type segment struct {
	first   uint32
	verdict verdict
}

// Program returns the filter for an architecture, amd64 or arm64. Calls that are not allowed fail with EPERM. Calls
// newer than the profile fail with ENOSYS, as with runc, so that libraries fall back to older ones. For most calls the
// verdict depends only on the number, so kernels since 5.11 cache it, and the filter does not slow the measured program
// down.
func Program(arch string, ioUring bool) ([]bpf.Instruction, error) {
	audit := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[arch]
	if audit == 0 {
		return nil, fmt.Errorf("there is no system call filter for %s, only for amd64 and arm64", arch)
	}
	search, err := decide(segments(verdicts(arch, ioUring)))
	if err != nil {
		return nil, err
	}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArchitecture, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: audit, SkipTrue: 1},
		fail(unix.EPERM)[0],
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
	}
	return append(program, search...), nil
}

// verdicts are the verdicts of all calls that the profile names, by number.
func verdicts(arch string, ioUring bool) map[uint32]verdict {
	named := map[uint32]verdict{}
	set := func(c call, v verdict) {
		number := c.amd64
		if arch == "arm64" {
			number = c.arm64
		}
		if number >= 0 {
			named[uint32(number)] = v
		}
	}
	for _, c := range allowed {
		set(c, allow())
	}
	for _, c := range missing {
		set(c, fail(unix.ENOSYS))
	}
	for _, c := range uring {
		set(c, fail(unix.EPERM))
		if ioUring {
			set(c, allow())
		}
	}
	for _, c := range conditions {
		set(c.call, allowIf(c.call))
	}
	return named
}

// allowIf allows a call if one of its conditions holds.
func allowIf(c call) verdict {
	var tests verdict
	low := false
	for _, condition := range conditions {
		if condition.call != c {
			continue
		}
		test := map[operator]bpf.JumpTest{equal: bpf.JumpEqual, less: bpf.JumpLessThan,
			noneOf: bpf.JumpBitsNotSet}[condition.op]
		low = low || condition.op != noneOf
		tests = append(append(tests, bpf.JumpIf{Cond: test, Val: condition.value, SkipFalse: 1}), allow()...)
	}
	var v verdict
	if low {
		// An argument has 64 bits. If a high bit is set, it equals none of the values and is less than none of them.
		v = append(v, bpf.LoadAbsolute{Off: offsetArgumentHigh, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, fail(unix.EPERM)[0])
	}
	v = append(append(v, bpf.LoadAbsolute{Off: offsetArgumentLow, Size: 4}), tests...)
	return append(v, fail(unix.EPERM)...)
}

// segments cover all numbers, without gaps and in order.
func segments(named map[uint32]verdict) []segment {
	var newest uint32
	for number := range named {
		newest = max(newest, number)
	}
	parts := []segment{}
	add := func(first uint32, v verdict) {
		if len(parts) == 0 || !slices.Equal(parts[len(parts)-1].verdict, v) {
			parts = append(parts, segment{first, v})
		}
	}
	for number := range newest + 1 {
		v, known := named[number]
		if !known {
			v = fail(unix.EPERM)
		}
		add(number, v)
	}
	add(newest+1, fail(unix.ENOSYS))
	add(x32, fail(unix.EPERM))
	return parts
}

// decide searches for the number in the accumulator by bisection.
func decide(parts []segment) ([]bpf.Instruction, error) {
	if len(parts) == 1 {
		return parts[0].verdict, nil
	}
	half := len(parts) / 2
	below, err := decide(parts[:half])
	if err != nil {
		return nil, err
	}
	above, err := decide(parts[half:])
	if err != nil {
		return nil, err
	}
	if len(below) > math.MaxUint8 {
		return nil, fmt.Errorf("the system call filter needs a jump over %d instructions, which BPF does not have",
			len(below))
	}
	jump := bpf.JumpIf{Cond: bpf.JumpGreaterOrEqual, Val: parts[half].first, SkipTrue: uint8(len(below))}
	return slices.Concat([]bpf.Instruction{jump}, below, above), nil
}
