// SPDX-License-Identifier: Apache-2.0

package layout

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
)

// class is the vdevs of one role, with zpool's word for it.
type class struct {
	word  string
	vdevs []v1alpha1.Vdev
}

func classes(pool v1alpha1.PoolSpec) []class {
	spares := []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: pool.Spares}}
	return []class{{"", pool.Vdevs}, {"log", pool.Log}, {"cache", pool.Cache}, {"special", pool.Special},
		{"dedup", pool.Dedup}, {"spare", spares}}
}

// Vdevs returns the vdev arguments of `zpool create` for a pool: data vdevs first, then log, cache, special, dedup and
// spares, each word once. It leaves out vdevs with their own ashift: see Additions. paths has the path of every device
// by name; a name without a path is an *UnknownDeviceError.
func Vdevs(pool v1alpha1.PoolSpec, paths map[string]string) ([]string, error) {
	var argv []string
	for _, group := range classes(pool) {
		var words []string
		for _, vdev := range group.vdevs {
			if vdev.Ashift != nil {
				continue
			}
			vdevWords, err := vdevArgs(vdev, paths)
			if err != nil {
				return nil, err
			}
			words = append(words, vdevWords...)
		}
		if len(words) > 0 && group.word != "" {
			argv = append(argv, group.word)
		}
		argv = append(argv, words...)
	}
	return argv, nil
}

// Addition is one vdev to add to a pool, as the arguments of `zpool add`.
type Addition struct {
	Pool   string
	Ashift int32
	Vdev   []string
}

// Additions are the vdevs of a pool that have their own ashift. `zpool create` takes one ashift for all vdevs, so these
// are added one by one.
func Additions(name string, pool v1alpha1.PoolSpec, paths map[string]string) ([]Addition, error) {
	var additions []Addition
	for _, group := range classes(pool) {
		for _, vdev := range group.vdevs {
			if vdev.Ashift == nil {
				continue
			}
			words, err := vdevArgs(vdev, paths)
			if err != nil {
				return nil, err
			}
			additions = append(additions, Addition{Pool: name, Ashift: *vdev.Ashift,
				Vdev: append([]string{group.word}, words...)})
		}
	}
	return additions, nil
}

// vdevArgs returns a vdev's type, unless it is a plain stripe, and its paths.
func vdevArgs(vdev v1alpha1.Vdev, paths map[string]string) ([]string, error) {
	var words []string
	switch vdev.Type {
	case v1alpha1.VdevStripe:
	case v1alpha1.VdevDraid1, v1alpha1.VdevDraid2, v1alpha1.VdevDraid3:
		words = append(words, DraidWord(vdev))
	default:
		words = append(words, string(vdev.Type))
	}
	for _, name := range vdev.Devices {
		path := paths[name]
		if path == "" {
			return nil, &UnknownDeviceError{Name: name}
		}
		words = append(words, path)
	}
	return words, nil
}

// DraidWord is draid<parity>[:<data>d]:<children>c[:<spares>s]; the children make OpenZFS check the number of devices.
func DraidWord(vdev v1alpha1.Vdev) string {
	word := string(vdev.Type)
	if vdev.Draid != nil && vdev.Draid.Data != nil {
		word += fmt.Sprintf(":%dd", *vdev.Draid.Data)
	}
	word += fmt.Sprintf(":%dc", len(vdev.Devices))
	if vdev.Draid != nil && vdev.Draid.Spares > 0 {
		word += fmt.Sprintf(":%ds", vdev.Draid.Spares)
	}
	return word
}

// UnknownDeviceError is a device name in a layout without a path.
type UnknownDeviceError struct{ Name string }

func (e *UnknownDeviceError) Error() string { return fmt.Sprintf("device %q has no path", e.Name) }
