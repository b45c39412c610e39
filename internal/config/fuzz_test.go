// SPDX-License-Identifier: Apache-2.0

package config

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// FuzzDecode wants that what is accepted can be used as it is, and is the same when it is written and read again.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{
		"runner: {image: example/runner:v1}",
		"runnerNamespace: runners\nrunner: {image: a, imagePullPolicy: Always, tolerations: [{operator: Exists}]}\n" +
			"scratch: {directory: /a/b, sizeLimit: 1Gi}",
		"runner: {image: a}\nscratch: {sizeLimit: -1}",
		"runner: {image: a}\nmaxTimeout: 36h\nfileDevices: Policy",
		"runner: {image: a}\nscratch: {sizeLimit: 1e99999999}",
		"runner: {image: a}\nscratch: {directory: /a/../..}",
		"runner: &a {image: b}\nscratch: *a",
		"a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]",
		"\xff",
	} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		m, err := Decode(strings.NewReader(file))
		if err != nil {
			return
		}
		if len(validation.IsDNS1123Label(m.RunnerNamespace)) > 0 || !path.IsAbs(m.Scratch.Directory) ||
			path.Clean(m.Scratch.Directory) != m.Scratch.Directory ||
			m.Scratch.Directory == "/" || m.Scratch.SizeLimit.Value() <= 0 || m.Runner.Image == "" ||
			m.MaxTimeout.Duration <= 0 {
			t.Fatalf("accepted %+v", m)
		}
		text, err := yaml.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(strings.NewReader(string(text)))
		if diff := cmp.Diff(m, again); diff != "" || err != nil {
			t.Fatalf("error %v (-first +second):\n%s", err, diff)
		}
	})
}

func TestDecodeIsBounded(t *testing.T) {
	_, err := Decode(strings.NewReader(strings.Repeat("#", maxFileBytes+1)))
	if want := "read configuration: more than 1048576 bytes"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
