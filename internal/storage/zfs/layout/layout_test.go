// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zfsbench.io/operator/api/v1alpha1"
)

func vdev(kind v1alpha1.VdevType, devices ...string) v1alpha1.Vdev {
	return v1alpha1.Vdev{Type: kind, Devices: devices}
}

func TestVdevs(t *testing.T) {
	paths := map[string]string{}
	for _, name := range strings.Fields("a b c d e f g h") {
		paths[name] = "/p/" + name
	}
	two := int32(2)
	tests := map[string]struct {
		pool v1alpha1.PoolSpec
		want string
	}{
		"stripe of one": {pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, "a")}}, want: "/p/a"},
		"stripe of two": {pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, "b", "a")}},
			want: "/p/b /p/a"},
		"mirror": {pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, "a", "b")}},
			want: "mirror /p/a /p/b"},
		"two mirrors": {pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, "a", "b"),
			vdev(v1alpha1.VdevMirror, "c", "d")}}, want: "mirror /p/a /p/b mirror /p/c /p/d"},
		"raidz": {pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevRaidz2, "a", "b", "c", "d")}},
			want: "raidz2 /p/a /p/b /p/c /p/d"},
		"draid defaults": {pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevDraid1, "a", "b", "c")}},
			want: "draid1:3c /p/a /p/b /p/c"},
		"draid": {
			pool: v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{{
				Type: v1alpha1.VdevDraid2, Devices: []string{"a", "b", "c", "d", "e"},
				Draid: &v1alpha1.DraidSpec{Data: &two, Spares: 1},
			}}},
			want: "draid2:2d:5c:1s /p/a /p/b /p/c /p/d /p/e",
		},
		"every class": {
			pool: v1alpha1.PoolSpec{
				Vdevs:   []v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, "a", "b")},
				Log:     []v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, "c"), vdev(v1alpha1.VdevStripe, "d")},
				Cache:   []v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, "e")},
				Special: []v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, "f", "g")},
				Dedup:   []v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, "h")},
				Spares:  []string{"a", "b"},
			},
			want: "mirror /p/a /p/b log /p/c /p/d cache /p/e special mirror /p/f /p/g dedup /p/h spare /p/a /p/b",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Vdevs(test.pool, paths)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("layout (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAdditions: what has an ashift of its own is not created with the pool, but added to it.
func TestAdditions(t *testing.T) {
	thirteen, nine := int32(13), int32(9)
	log := vdev(v1alpha1.VdevMirror, "b", "c")
	log.Ashift = &thirteen
	cache := vdev(v1alpha1.VdevStripe, "e")
	cache.Ashift = &nine
	pool := v1alpha1.PoolSpec{
		Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, "a")}, Log: []v1alpha1.Vdev{log},
		Cache: []v1alpha1.Vdev{vdev(v1alpha1.VdevStripe, "d"), cache},
	}
	paths := map[string]string{"a": "/p/a", "b": "/p/b", "c": "/p/c", "d": "/p/d", "e": "/p/e"}
	layout, err := Vdevs(pool, paths)
	if diff := cmp.Diff("/p/a cache /p/d", strings.Join(layout, " ")); diff != "" || err != nil {
		t.Errorf("error %v, layout (-want +got):\n%s", err, diff)
	}
	additions, err := Additions("zbfix", pool, paths)
	want := []Addition{{Pool: "zbfix", Ashift: 13, Vdev: []string{"log", "mirror", "/p/b", "/p/c"}},
		{Pool: "zbfix", Ashift: 9, Vdev: []string{"cache", "/p/e"}}}
	if diff := cmp.Diff(want, additions); diff != "" || err != nil {
		t.Errorf("error %v, additions (-want +got):\n%s", err, diff)
	}
	delete(paths, "e")
	if _, err := Additions("zbfix", pool, paths); err == nil {
		t.Error("an unknown device is added")
	}
}

func TestUnknownDevice(t *testing.T) {
	_, err := Vdevs(v1alpha1.PoolSpec{Vdevs: []v1alpha1.Vdev{vdev(v1alpha1.VdevMirror, "a", "b")}},
		map[string]string{"a": "/p/a"})
	if diff := cmp.Diff(error(&UnknownDeviceError{Name: "b"}), err); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}
