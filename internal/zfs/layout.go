// SPDX-License-Identifier: Apache-2.0

package zfs

import (
	"fmt"

	"zfsbench.io/operator/api/v1alpha1"
)

// Layout returns the vdev arguments of `zpool create` for a pool: data vdevs first, then log, cache, special, dedup and spares, each word once. paths has the
// path of every device by name; a name without one is an *UnknownDeviceError. It is pure.
func Layout(pool v1alpha1.PoolSpec, paths map[string]string) ([]string, error) {
	spares := []v1alpha1.Vdev{{Type: v1alpha1.VdevStripe, Devices: pool.Spares}}
	groups := []struct {
		word  string
		vdevs []v1alpha1.Vdev
	}{
		{"", pool.Vdevs}, {"log", pool.Log}, {"cache", pool.Cache}, {"special", pool.Special}, {"dedup", pool.Dedup}, {"spare", spares},
	}
	var argv []string
	for _, group := range groups {
		var words []string
		for _, vdev := range group.vdevs {
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

// vdevArgs returns a vdev's type, if it has a word for it, and its paths.
func vdevArgs(vdev v1alpha1.Vdev, paths map[string]string) ([]string, error) {
	var words []string
	switch vdev.Type {
	case v1alpha1.VdevStripe:
	case v1alpha1.VdevDraid1, v1alpha1.VdevDraid2, v1alpha1.VdevDraid3:
		words = append(words, draidWord(vdev))
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

// draidWord is draid<parity>[:<data>d]:<children>c[:<spares>s]; the children make OpenZFS check the number of devices.
func draidWord(vdev v1alpha1.Vdev) string {
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
