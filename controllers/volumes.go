// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/api/v1alpha1"
)

const (
	// volumeIndex finds PersistentVolumes in the cache by what indexVolume says.
	volumeIndex = "zfsbench.io/names"
	// volumePollInterval is how often the manager checks whether a PersistentVolume that blocks a benchmark is gone.
	volumePollInterval = 30 * time.Second
	// minHandle is how long a volume's handle must be to be compared with serial numbers.
	minHandle = 8
)

// volumeNames is how a PersistentVolume names the device that it is on.
type volumeNames struct {
	name string
	// paths are on the node; handles are the storage system's names for the volume, in letters and digits only.
	paths, handles []string
}

// namesOf are a volume's names for its device, whatever its phase: local, hostPath, and what a CSI or Fibre Channel
// volume says about it.
func namesOf(volume *corev1.PersistentVolume) volumeNames {
	found := volumeNames{name: volume.Name}
	source := volume.Spec.PersistentVolumeSource
	if source.Local != nil {
		found.paths = append(found.paths, source.Local.Path)
	}
	if source.HostPath != nil {
		found.paths = append(found.paths, source.HostPath.Path)
	}
	if csi := source.CSI; csi != nil {
		for _, text := range append(slices.Sorted(maps.Values(csi.VolumeAttributes)), csi.VolumeHandle) {
			if strings.HasPrefix(text, "/dev/") {
				found.paths = append(found.paths, text)
			}
		}
		found.addHandles(csi.VolumeHandle, path.Base(csi.VolumeHandle))
	}
	if source.FC != nil {
		found.addHandles(source.FC.WWIDs...)
	}
	return found
}

func (v *volumeNames) addHandles(handles ...string) {
	for _, handle := range handles {
		if plain := plainHandle(handle); len(plain) >= minHandle && !slices.Contains(v.handles, plain) {
			v.handles = append(v.handles, plain)
		}
	}
}

// plainHandle removes the characters in which a volume's handle and its disk's serial number differ: EBS says vol-0abc
// where NVMe says vol0abc.
func plainHandle(handle string) string {
	return strings.ToLower(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(handle, ""))
}

// indexVolume lists the keys of a volume: the nodes that its paths may be on, and its handles.
func indexVolume(object client.Object) []string {
	volume := object.(*corev1.PersistentVolume)
	names := namesOf(volume)
	var keys []string
	if len(names.paths) > 0 {
		for _, host := range hostsOf(volume) {
			keys = append(keys, hostKey(host))
		}
	}
	for _, handle := range names.handles {
		keys = append(keys, handleKey(handle))
	}
	return keys
}

func hostKey(host string) string     { return "host:" + host }
func handleKey(handle string) string { return "handle:" + handle }

// anyHost is the key of volumes that may be on any node.
const anyHost = "*"

// hostsOf are the hostnames that a volume's affinity names; anyHost if any of its terms names none.
func hostsOf(volume *corev1.PersistentVolume) []string {
	var hosts []string
	for _, term := range termsOf(volume) {
		i := slices.IndexFunc(term.MatchExpressions, func(e corev1.NodeSelectorRequirement) bool {
			return e.Key == corev1.LabelHostname && e.Operator == corev1.NodeSelectorOpIn
		})
		if i < 0 {
			return []string{anyHost}
		}
		hosts = append(hosts, term.MatchExpressions[i].Values...)
	}
	if len(hosts) == 0 {
		return []string{anyHost}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

func termsOf(volume *corev1.PersistentVolume) []corev1.NodeSelectorTerm {
	if a := volume.Spec.NodeAffinity; a != nil && a.Required != nil {
		return a.Required.NodeSelectorTerms
	}
	return nil
}

// stripVolume keeps what the cache needs of a PersistentVolume.
func stripVolume(object any) (any, error) {
	volume, ok := object.(*corev1.PersistentVolume)
	if !ok {
		return object, nil
	}
	small := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: volume.Name, UID: volume.UID, ResourceVersion: volume.ResourceVersion},
	}
	source, names := volume.Spec.PersistentVolumeSource, namesOf(volume)
	if len(names.paths) > 0 {
		small.Spec.NodeAffinity = volume.Spec.NodeAffinity
	}
	small.Spec.Local, small.Spec.HostPath, small.Spec.FC = source.Local, source.HostPath, source.FC
	if csi := source.CSI; csi != nil {
		kept := map[string]string{}
		for key, value := range csi.VolumeAttributes {
			if strings.HasPrefix(value, "/dev/") {
				kept[key] = value
			}
		}
		small.Spec.CSI = &corev1.CSIPersistentVolumeSource{VolumeHandle: csi.VolumeHandle, VolumeAttributes: kept}
	}
	return small, nil
}

// loadVolumes reads, from the cache, the PersistentVolumes that may be on these nodes, or whose handle matches a disk
// of the benchmark.
func (r *Reconciler) loadVolumes(ctx context.Context, s *scope, names []string) error {
	s.volumes = map[string][]volumeNames{}
	for _, name := range names {
		node := s.nodes[name]
		disks := disksOf(r.devicesOn(s, name))
		if node == nil || len(disks) == 0 {
			continue
		}
		found, err := r.volumesMaybeOn(ctx, node, s.handlesOf(disks))
		if err != nil {
			return err
		}
		s.volumes[name] = found
	}
	return nil
}

// volumesMaybeOn are the PersistentVolumes that may be on a node, or that have one of the handles.
func (r *Reconciler) volumesMaybeOn(ctx context.Context, node *corev1.Node, handles []string) ([]volumeNames, error) {
	keys := []string{hostKey(anyHost), hostKey(cmp.Or(node.Labels[corev1.LabelHostname], node.Name))}
	for _, handle := range handles {
		keys = append(keys, handleKey(handle))
	}
	var found []volumeNames
	for _, key := range keys {
		var list corev1.PersistentVolumeList
		if err := r.List(ctx, &list, client.MatchingFields{volumeIndex: key}); err != nil {
			return nil, fmt.Errorf("list PersistentVolumes: %w", err)
		}
		for i := range list.Items {
			if mayBeOn(&list.Items[i], node) {
				found = append(found, namesOf(&list.Items[i]))
			}
		}
	}
	return found, nil
}

// disksOf are the paths of the disks among devices.
func disksOf(devices []v1alpha1.Device) []string {
	var paths []string
	for _, d := range devices {
		if d.Path != "" {
			paths = append(paths, d.Path)
		}
	}
	return paths
}

// handlesOf are the possible handles of volumes on these disks: from the serial number that a policy promises, and from
// the end of the disk's path.
func (s *scope) handlesOf(disks []string) []string {
	var handles []string
	add := func(text string) {
		if plain := plainHandle(text); len(plain) >= minHandle {
			handles = append(handles, plain)
		}
	}
	for _, disk := range disks {
		base := path.Base(disk)
		add(base)
		for i, c := range base {
			if c == '-' || c == '_' {
				add(base[i+1:])
			}
		}
		for _, policy := range s.policies {
			for _, d := range policy.Spec.Devices {
				if d.Path == disk {
					add(d.Serial)
				}
			}
		}
	}
	slices.Sort(handles)
	return slices.Compact(handles)
}
