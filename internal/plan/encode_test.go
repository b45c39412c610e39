// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"zfsbench.io/operator/internal/testfiles"
)

// asTheyAre leaves devices as they are, which is what plans did before devicePreparation existed.
const asTheyAre = "devicePreparation: None\n"

// TestDigestIsStable checks that plans are encoded as in earlier builds: existing Jobs name their plan by digest. Run
// with -update only when Version changes.
func TestDigestIsStable(t *testing.T) {
	tests := map[string]struct {
		spec, file, digest string
	}{
		"disks": {onDisks + asTheyAre, "disks-v1.json",
			"sha256:bb958fe408c6b616d6c891876c205a549c6699d85a3ca4eac6061c160451b239"},
		"files": {onFiles + asTheyAre, "files-v1.json",
			"sha256:d463f2b01e7dcafcf7f2f54c9b03970863e5dbc00ee666a63931ead96a7814e5"},
		"discarded disks": {onDisks, "discarded-v1.json",
			"sha256:e152f402be9ee8b42cf96bfb3e9b1d2162f605b8787cae81a354f3f49631b70e"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := built(t, tt.spec)
			testfiles.Compare(t, tt.file, string(Encode(p)))
			if got := Digest(p); got != tt.digest {
				t.Errorf("Digest = %s; want %s", got, tt.digest)
			}
			read, err := Decode(strings.NewReader(testfiles.Read(t, "testdata", tt.file)))
			if err != nil {
				t.Fatal(err)
			}
			if Digest(read) != tt.digest {
				t.Errorf("the plan read back has digest %s; want %s", Digest(read), tt.digest)
			}
		})
	}
}

func TestDigestDiffers(t *testing.T) {
	seen := map[string]string{}
	for name, spec := range map[string]string{
		"as is":      onDisks,
		"ashift":     strings.Replace(onDisks, "ashift: 12", "ashift: 13", 1),
		"recordsize": strings.Replace(onDisks, "recordsize: 1M", "recordsize: 2M", 1),
		"dry run":    onDisks + "dryRun: true\n",
		"no discard": onDisks + asTheyAre,
		"parameters": onDisks + "moduleParameters: {zfs_txg_timeout: \"7\"}\n",
	} {
		digest := Digest(built(t, spec))
		if other, ok := seen[digest]; ok {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[digest] = name
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := string(Encode(built(t, onDisks)))
	fromFiles := string(Encode(built(t, onFiles)))
	patched := func(document, patch string) string {
		merged, err := jsonpatch.MergePatch([]byte(document), []byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		return string(merged)
	}
	tests := map[string]struct {
		document, want string
	}{
		"nothing":          {"", "decode plan"},
		"null":             {"null", "version is 0"},
		"no plan":          {"[]", "decode plan"},
		"another version":  {patched(good, `{"version": 2}`), "its version is 2, this build reads version 1"},
		"an unknown field": {patched(good, `{"shell": "rm"}`), `unknown field "shell"`},
		"unknown, nested":  {patched(good, `{"node": {"address": "x"}}`), `unknown field "node.address"`},
		"another case": {strings.Replace(good, `"timeoutSeconds"`, `"TimeoutSeconds"`, 1),
			`unknown field "TimeoutSeconds"`},
		"a field twice": {strings.Replace(good, `{"version":1`, `{"version":1,"version":1`, 1),
			`duplicate field "version"`},
		"something after": {good + "{}", "decode plan"},
		"no UID":          {patched(good, `{"benchmark": {"uid": ""}}`), "is not a UUID"},
		"a parameter's name": {strings.Replace(good, `"dataset":{`, `"moduleParameters":{"../x":"1"},"dataset":{`, 1),
			"moduleParameters must have names of parameters"},
		"one that sticks": {strings.Replace(good, `"dataset":{`,
			`"moduleParameters":{"zfs_arc_grow_retry":"1"},"dataset":{`, 1), "cannot be restored after a trial"},
		"a UID with a slash":   {patched(good, `{"benchmark": {"uid": "../../etc"}}`), "is not a UUID"},
		"a namespace":          {patched(good, `{"benchmark": {"namespace": "a/b"}}`), "is not a namespace"},
		"a name":               {patched(good, `{"benchmark": {"name": "a\nb"}}`), "benchmark.name"},
		"a node":               {patched(good, `{"node": {"name": ""}}`), "node.name"},
		"a node's UID":         {patched(good, `{"node": {"uid": "a b"}}`), "node.uid"},
		"no timeout":           {patched(good, `{"timeoutSeconds": 0}`), "timeoutSeconds is 0"},
		"a timeout of years":   {patched(good, `{"timeoutSeconds": 99999999}`), "timeoutSeconds is 99999999"},
		"relative scratch":     {patched(good, `{"scratch": {"directory": "var/lib"}}`), "not a clean absolute path"},
		"scratch with ..":      {patched(good, `{"scratch": {"directory": "/var/../etc"}}`), "not a clean absolute path"},
		"scratch with a space": {patched(good, `{"scratch": {"directory": "/var/l ib"}}`), "not a clean absolute path"},
		"scratch is /":         {patched(good, `{"scratch": {"directory": "/"}}`), "not a clean absolute path"},
		"scratch negative":     {patched(good, `{"scratch": {"limitBytes": -1}}`), "scratch.limitBytes is -1"},
		"scratch too small": {patched(fromFiles, `{"scratch": {"limitBytes": 1}}`), "scratch.limitBytes is 1, the " +
			"file devices take 2147483648"},
		"no devices": {patched(good, `{"devices": []}`), "devices"},
		"a device too many": {strings.Replace(good, `"devices":[`,
			`"devices":[{"name":"d9","path":"/dev/disk/by-id/x","serial":"S9","sizeBytes":1},`, 1),
			`device "d9" is in no variant`},
		"a device twice": {strings.Replace(good, `"name":"d1"`, `"name":"d0"`, 1), "Duplicate value"},
		"a path twice":   {strings.Replace(good, `by-id/wwn-1`, `by-id/wwn-0`, 1), "more than once"},
		"a path elsewhere": {strings.Replace(good, `/dev/disk/by-id/wwn-1`, `/dev/sda`, 1), "path must be a disk's " +
			"stable path"},
		"a path with ..": {strings.Replace(good, `/dev/disk/by-id/wwn-1`, `/dev/disk/by-id/../../sda`, 1), "path must be " +
			"a disk's stable path"},
		"no serial": {strings.Replace(good, `"serial":"S1",`, ``, 1), "needs the serial"},
		"no size": {strings.Replace(good, `"sizeBytes":8589934592`, `"sizeBytes":0`, 1), "needs the serial " +
			"and the sizeBytes"},
		"neither path nor file": {strings.Replace(good, `"path":"/dev/disk/by-id/wwn-1",`, ``, 1), "exactly one of path " +
			"and fileSizeBytes"},
		"a file with a serial": {strings.Replace(fromFiles, `{"name":"f1",`, `{"name":"f1","serial":"S",`, 1),
			"a file has neither serial nor sizeBytes"},
		"a file too small": {strings.Replace(fromFiles, `"fileSizeBytes":1073741824`, `"fileSizeBytes":-1073741824`, 1),
			"size must be a whole number of bytes from 64Mi"},
		"no variants":      {patched(good, `{"variants": []}`), "variants is empty"},
		"a variant's name": {strings.Replace(good, `"name":"default"`, `"name":"../x"`, 1), "variant name"},
		"a pool of nothing": {strings.Replace(good, `"devices":["d0","d1"]`, `"devices":["d0","d7"]`, 1),
			"which is not in spec.devices"},
		"a layout in place of vdevs": {strings.Replace(good, `"vdevs":[{"type":"mirror","devices":["d0","d1"]}]`,
			`"layout":"Mirror","devices":["d0","d1"]`, 1), `pool.layout is "Mirror", a plan lists the vdevs`},
		"vdevs and devices": {strings.Replace(good, `"vdevs":[{"type":"mirror","devices":["d0","d1"]}]`,
			`"vdevs":[{"type":"mirror","devices":["d0","d1"]}],"devices":["d0","d1"]`, 1),
			"exactly one of vdevs and layout must be set"},
		"no vdevs": {strings.Replace(good, `"vdevs":[{"type":"mirror","devices":["d0","d1"]}]`, `"spares":["d0","d1"]`, 1),
			"exactly one of vdevs and layout must be set"},
		"a pool to force": {strings.Replace(good, `"type":"mirror"`, `"type":"raidz3"`, 1),
			"devices must be at least 4"},
		"a property": {strings.Replace(good, `"autotrim":"off"`, `"altroot":"/etc"`, 1), "altroot belongs to " +
			"the runner alone"},
		"a property's value": {strings.Replace(good, `"recordsize":"1M"`, `"recordsize":"100K"`, 1), "recordsize must " +
			"be a power of two"},
		"no workloads":        {patched(good, `{"workloads": []}`), "workloads"},
		"a workload's engine": {strings.Replace(good, `"ioEngine":"psync"`, `"ioEngine":"exec"`, 1), "ioEngine"},
		"a preparation": {patched(good, `{"devicePreparation": "Precondition"}`),
			`devicePreparation is "Precondition"`},
		"none, in words":      {patched(good, `{"devicePreparation": "None"}`), `devicePreparation is "None"`},
		"a fresh pool":        {patched(good, `{"freshPool": "Weekly"}`), `freshPool is "Weekly"`},
		"a default, in words": {patched(good, `{"freshPool": "PerRepetition"}`), `freshPool is "PerRepetition"`},
		"no trials":           {patched(good, `{"trials": []}`), "trials is empty"},
		"a trial's index":     {strings.Replace(good, `"index":1`, `"index":7`, 1), "trial 1 has index 7"},
		"a trial's variant": {strings.Replace(good, `"index":1,"variant":"default"`, `"index":1,"variant":"other"`, 1),
			`variant "other"`},
		"a trial twice": {strings.Replace(good, `"repetition":2`, `"repetition":1`, 1), "there twice"},
		"a trial that closes": {strings.Replace(good, `"repetition":2`, `"repetition":2,"closing":true`, 1),
			"does not begin it"},
		"a reference": {strings.Replace(good, `"name":"default"`, `"name":"default","reference":"other"`, 1),
			`reference "other" is not a variant`},
		"a reference of itself": {strings.Replace(good, `"name":"default"`, `"name":"default","reference":"default"`, 1),
			"compared with another"},
		"stopping at the end": {patched(good, `{"stopping": {"minRepetitions": 2, "targetRelativeError": 0.1}}`),
			"makes no sense"},
		"stopping at nothing": {patched(good, `{"stopping": {"minRepetitions": 1, "targetRelativeError": 0}}`),
			"makes no sense"},
		"stopping in sequence":  {patched(good, `{"order": {"kind": "Sequential"}, "stopping": {"minRepetitions": 1, "targetRelativeError": 0.1}}`), "sequential order"},
		"confirming too little": {patched(good, `{"confirmingRepetitions": 1}`), "it must be from 6 to 100"},
		"confirming alone":      {patched(good, `{"confirmingRepetitions": 6}`), "no repetition comes before"},
		"a trial's repetition":  {strings.Replace(good, `"repetition":2`, `"repetition":0`, 1), "repetition 0"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.document == good || tt.document == fromFiles {
				t.Fatal("the document is unchanged")
			}
			_, err := Decode(strings.NewReader(tt.document))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Decode: %v; want %q", err, tt.want)
			}
		})
	}
}

func TestDecodeBoundsItsInput(t *testing.T) {
	good := string(Encode(built(t, onDisks)))
	fits := good + strings.Repeat(" ", maxBytes-len(good))
	if _, err := Decode(strings.NewReader(fits)); err != nil {
		t.Errorf("Decode of %d bytes: %v", len(fits), err)
	}
	if _, err := Decode(strings.NewReader(fits + " ")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Decode of %d bytes: %v; want ErrTooLarge", len(fits)+1, err)
	}
}

// FuzzDecode checks that whatever Decode accepts has one encoding and one digest, and is accepted again.
func FuzzDecode(f *testing.F) {
	for _, spec := range []string{onDisks, onFiles} {
		f.Add(Encode(built(f, spec)))
	}
	f.Add([]byte(`{"version":1}`))
	f.Add(bytes.Replace(Encode(built(f, onFiles)), []byte(`"64Mi"`), []byte(`"1e99999999"`), 1))
	f.Add([]byte(`{"version":1,"workloads":[{"name":"a","fio":{"rw":"read","size":"1.5Gi","runtime":"1h"}}]}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		p, err := Decode(bytes.NewReader(document))
		if err != nil {
			return
		}
		encoded := Encode(p)
		if !json.Valid(encoded) {
			t.Fatalf("not JSON: %s", encoded)
		}
		again, err := Decode(bytes.NewReader(encoded))
		if err != nil {
			t.Fatalf("%v, of\n%s", err, encoded)
		}
		if diff := cmp.Diff(string(encoded), string(Encode(again))); diff != "" {
			t.Errorf("encoded again (-first +second):\n%s", diff)
		}
		if Digest(p) != Digest(again) {
			t.Error("two digests of one plan")
		}
		ResultsShards(p)
		if DefaultTimeout(p) <= 0 || GracePeriod(p) <= 0 || EstimateTrialDuration(Expand(p, nil)) <= 0 {
			t.Error("a duration is not positive")
		}
	})
}
