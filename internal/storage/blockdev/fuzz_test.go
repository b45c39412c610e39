// SPDX-License-Identifier: Apache-2.0

package blockdev

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/internal/node/hostexec"
	"zfsbench.io/operator/internal/storage/mdraid"
	"zfsbench.io/operator/internal/text/lines"
)

// outputs are the captured outputs whose names begin with the prefix.
func outputs(t testing.TB, prefix string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", prefix+"-*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, error %v", prefix, len(files), err)
	}
	var found []string
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, string(content))
	}
	return found
}

const (
	seedMountinfo = "36 35 98:0 /mnt1 /mnt\\040two rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n37 35 0:30 " +
		"/ /run rw - tmpfs tmpfs rw\n"
	seedSwaps = "Filename\tType\tSize\n/swap\\040file file 1 0 -2\n/dev/vdd2 partition 1 0 -2\n"
)

// refuses wants the text to be an error, or to mean the same as the whole.
func refuses[T any](t *testing.T, parse func(io.Reader) (T, error), whole string) {
	t.Helper()
	want, err := parse(strings.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	for length := range len(whole) {
		got, err := parse(strings.NewReader(whole[:length]))
		if err == nil && length > 0 && whole[length-1] != '\n' && cmp.Diff(want, got) != "" {
			t.Fatalf("%d of %d bytes are read as %v", length, len(whole), got)
		}
	}
}

// TestNothingFromAPart reads every part of every captured output, from the beginning: one that ends within a line or a
// document proves nothing.
func TestNothingFromAPart(t *testing.T) {
	refuses(t, parseMountinfo, seedMountinfo)
	refuses(t, parseSwaps, seedSwaps)
	for _, whole := range outputs(t, "blkid") {
		refuses(t, parseExport, whole)
	}
	for _, whole := range outputs(t, "wipefs") {
		refuses(t, parseWipefs, whole)
	}
	for _, whole := range outputs(t, "lsblk") {
		refuses(t, parseLsblk, whole)
	}
	for _, whole := range outputs(t, "serials-lsblk") {
		refuses(t, parseSerials, whole)
	}
	for _, whole := range outputs(t, "mdadm") {
		refuses(t, parseTags, whole)
	}
}

func TestOutputsAreBounded(t *testing.T) {
	tests := map[string]error{
		"mountinfo": second(parseMountinfo(strings.NewReader(strings.Repeat("x", lines.MaxLineBytes+1)))),
		"swaps":     second(parseSwaps(strings.NewReader(strings.Repeat("x", lines.MaxLineBytes+1)))),
		"blkid":     second(parseExport(strings.NewReader(strings.Repeat("x", lines.MaxLineBytes+1)))),
		"mdadm":     third(parseArray(strings.NewReader(strings.Repeat("x", lines.MaxLineBytes+1)))),
		"wipefs":    second(parseWipefs(strings.NewReader(strings.Repeat(" ", hostexec.OutputLimitBytes+1)))),
		"lsblk":     second(parseLsblk(strings.NewReader(strings.Repeat(" ", hostexec.OutputLimitBytes+1)))),
		"serials":   second(parseSerials(strings.NewReader(strings.Repeat(" ", hostexec.OutputLimitBytes+1)))),
	}
	for name, err := range tests {
		var limit *lines.LimitError
		if !errors.As(err, &limit) {
			t.Errorf("%s: got %v, want a LimitError", name, err)
		}
	}
	root := plant(t, "file\t/sys/block/vdz/dev\t"+strings.Repeat("1", maxAttributeBytes+1)+"\n")
	var limit *lines.LimitError
	if _, err := (machine{root: root}).readTree(); !errors.As(err, &limit) {
		t.Errorf("sysfs: got %v, want a LimitError", err)
	}
}

func second[T any](_ T, err error) error { return err }

func third[T, U any](_ T, _ U, err error) error { return err }

func FuzzParseMountinfo(f *testing.F) {
	f.Add(seedMountinfo)
	f.Add("36 35 98:-1 / / rw - ext4 /dev/a rw\n")
	f.Add("36 35 4294967296:0 / / rw - ext4 /dev/a rw\n")
	f.Fuzz(func(t *testing.T, text string) {
		mounts, err := parseMountinfo(strings.NewReader(text))
		if err == nil && len(mounts) != strings.Count(text, "\n") {
			t.Fatalf("%d mounts of %q", len(mounts), text)
		}
		for _, m := range mounts {
			if again, err := parseNumber(m.Number.String()); err != nil || again != m.Number || m.Type == "" {
				t.Fatalf("mount %+v", m)
			}
		}
	})
}

func FuzzParseSwaps(f *testing.F) {
	f.Add(seedSwaps)
	f.Add("/dev/vdd2\n")
	f.Fuzz(func(t *testing.T, text string) {
		swaps, err := parseSwaps(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, s := range swaps {
			if !strings.HasPrefix(s.Path, "/") {
				t.Fatalf("swap %+v", s)
			}
		}
	})
}

// FuzzParseExport wants that nothing blkid says is lost: what is not blank never becomes blank.
func FuzzParseExport(f *testing.F) {
	for _, output := range outputs(f, "blkid") {
		f.Add(output)
	}
	f.Add("TYPE")
	f.Add("=\n")
	f.Fuzz(func(t *testing.T, text string) {
		tags, err := parseExport(strings.NewReader(text))
		if err == nil && (len(tags) == 0) != (text == "") {
			t.Fatalf("%q has tags %v", text, tags)
		}
		if err == nil && text != "" && len(describe(tags, "")) == 0 {
			t.Fatalf("%q is blank", text)
		}
	})
}

// FuzzParseArray wants that no UUID is read that mdadm has not said.
func FuzzParseArray(f *testing.F) {
	for _, output := range outputs(f, "mdadm") {
		f.Add(output)
	}
	f.Add("MD_UUID=\n")
	f.Add("MD_UUID=00000000:00000000:00000000:00000000\n")
	f.Fuzz(func(t *testing.T, text string) {
		uuid, known, err := parseArray(strings.NewReader(text))
		if known != (uuid != mdraid.UUID{}) || known && err != nil {
			t.Fatalf("%q: UUID %s, known %t, error %v", text, uuid, known, err)
		}
		plain := strings.NewReplacer(":", "", "-", "")
		if known && !strings.Contains(strings.ToLower(plain.Replace(text)), plain.Replace(uuid.String())) {
			t.Fatalf("%q has the UUID %s", text, uuid)
		}
	})
}

// FuzzParseWipefs wants that only a document with an empty list, or no document, is a blank disk.
func FuzzParseWipefs(f *testing.F) {
	for _, output := range outputs(f, "wipefs") {
		f.Add(output)
	}
	f.Add("null")
	f.Add(`{"signatures":[{}]}x`)
	f.Fuzz(func(t *testing.T, text string) {
		found, err := parseWipefs(strings.NewReader(text))
		if err == nil && len(found) == 0 && strings.TrimSpace(text) != "" && !strings.Contains(text, "[") {
			t.Fatalf("%q is blank", text)
		}
	})
}

// FuzzLsblk wants that only a device that lsblk describes as the kernel does, and as empty, is blank.
func FuzzLsblk(f *testing.F) {
	for _, output := range outputs(f, "lsblk") {
		f.Add(output)
	}
	f.Add(`{"blockdevices":[{"name":"vdc","size":1e9,"ro":null}]}`)
	kernel := block{Name: "vdc", Number: Number{254, 32}, SizeBytes: gibibyte}
	f.Fuzz(func(t *testing.T, text string) {
		listed, err := parseLsblk(strings.NewReader(text))
		if err != nil || len(listed.against(kernel)) > 0 {
			return
		}
		if listed.Name != "vdc" || listed.Number != "254:32" || listed.Type != "disk" || len(listed.Children) > 0 ||
			slices.ContainsFunc(listed.MountPoints, func(p *string) bool { return p != nil && *p != "" }) {
			t.Fatalf("%q is blank", text)
		}
	})
}

// FuzzParseSerials wants exactly the disks and serial numbers of a document, and none of one that goes on after its
// end.
func FuzzParseSerials(f *testing.F) {
	f.Add("vda", " S4EV NX0 ")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, name, serial string) {
		type device struct {
			Name   string `json:"kname"`
			Serial string `json:"serial"`
		}
		text, err := json.Marshal(map[string][]device{"blockdevices": {{"vda", "one"}, {name, serial}}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"vda": "one"}
		want[strings.ToValidUTF8(name, "\uFFFD")] = strings.TrimSpace(strings.ToValidUTF8(serial, "\uFFFD"))
		got, err := parseSerials(bytes.NewReader(text))
		if isNamed := name != ""; (err == nil) != isNamed || isNamed && len(got) != len(want) {
			t.Fatalf("%s: got %q, error %v, want %q", text, got, err, want)
		}
		if _, err := parseSerials(bytes.NewReader(append(text, '1'))); err == nil {
			t.Fatalf("%s1 is read", text)
		}
	})
}

// FuzzCompare changes the ends of a disk with the benchmark's partition table: only the very table is complete, only
// zeros are blank, and only a disk with the mark and nothing in its first MiB was never seen with partitions.
func FuzzCompare(f *testing.F) {
	ours := mustTable(f, gibibyte, 512, onePartition(testDiskGUID, testPartitionGUID))
	want := ours.image()
	const last = 2*mebibyte - 512
	f.Add(uint32(0), []byte{0xeb}, false, false)
	f.Add(uint32(512+60), []byte{1}, false, false)
	f.Add(uint32(mebibyte), make([]byte, 512), true, true)
	f.Add(uint32(last), make([]byte, 512), false, false)
	f.Add(uint32(last), ours.mark(), true, true)
	f.Add(uint32(last), ours.mark(), true, false)
	f.Add(uint32(last), ours.mark(), false, false)
	f.Add(uint32(last), []byte(markSignature), true, false)
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, headErased, tailErased bool) {
		have := ours.image()
		if headErased {
			clear(have.head)
		}
		if tailErased {
			clear(have.tail)
		}
		for i, b := range patch {
			offset := (int(at) + i) % (2 * mebibyte)
			if offset < mebibyte {
				have.head[offset] = b
			} else {
				have.tail[offset-mebibyte] = b
			}
		}
		got, err := ours.compare(have)
		same := slices.Equal(have.head, want.head) && slices.Equal(have.tail, want.tail)
		_, headUsed := firstNonZero(have.head)
		isMarked := slices.Equal(have.tail[mebibyte-512:], ours.mark())
		if got == begun && (headUsed || !isMarked) {
			t.Fatalf("it was begun: data in the first MiB: %t, the mark: %t", headUsed, isMarked)
		}
		if (got == complete) != same || (got == blank) != (have.blank() == nil) || (got == foreign) != (err != nil) {
			t.Fatalf("got %d, error %v, the very table: %t", got, err, same)
		}
	})
}

func FuzzParseGUID(f *testing.F) {
	for _, seed := range []string{testDiskGUID, "{10000000-0000-4000-8000-000000000000}",
		"1000000-00000-4000-8000-000000000000", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := parseGUID(text)
		if err == nil && !strings.EqualFold(g.String(), text) {
			t.Fatalf("%q is read as %s", text, g)
		}
	})
}

func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{"254:32", "0:0", "-1:0", "08:1", "4294967296:1", "1:2 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := parseNumber(text); err == nil && n.String() != text {
			t.Fatalf("%q is read as %s", text, n)
		}
	})
}
