// SPDX-License-Identifier: Apache-2.0

package offer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/plugin/disks"
	"zfsbench.io/operator/internal/text/human"
)

// Input is what a policy is made from.
type Input struct {
	// Storage is the node's NodeStorage.
	Storage v1alpha1.NodeStorage
	// Policies are all policies that exist.
	Policies []v1alpha1.BenchmarkDevicePolicy
	// Namespace may overwrite the disks. NamespaceUID is empty if it is not known.
	Namespace, NamespaceUID string
	// Name is the name of the policy; empty for one made of node and namespace.
	Name string
	// Class is a name for all of the disks; empty for none.
	Class string
	// Devices are stable paths of the disks; empty for every disk that is blank and not offered yet.
	Devices []string
}

// Offer is a policy, with the disks that it offers in the order of the policy.
type Offer struct {
	Policy v1alpha1.BenchmarkDevicePolicy
	Disks  []v1alpha1.NodeDisk
	// Seen is when the node was looked at.
	Seen metav1.Time
	// Skipped says for each blank disk that is not in the policy why it is not.
	Skipped []string
}

// ErrOffered says that the namespace may overwrite all disks already, under the same terms.
var ErrOffered = errors.New("there is nothing to allow")

// Of makes a policy. It refuses a disk that is not blank, that a policy cannot name, or that other policies offer to
// the namespace under other terms. The error names each disk and its reason.
func Of(in Input) (Offer, error) {
	status := in.Storage.Status
	if err := usable(in.Storage); err != nil {
		return Offer{}, err
	}
	chosen, err := in.choose()
	if err != nil {
		return Offer{}, err
	}
	o := Offer{Policy: in.policy(), Seen: *status.ObservedAt}
	var refused []error
	offered := 0
	for _, d := range chosen {
		err := in.check(d)
		switch {
		case err == nil:
			o.add(d, in.Class)
		case errors.Is(err, errSameTerms):
			offered++
			fallthrough
		case len(in.Devices) == 0:
			o.Skipped = append(o.Skipped, human.Sentence(err.Error()))
		default:
			refused = append(refused, err)
		}
	}
	switch {
	case len(refused) > 0:
		return Offer{}, errors.Join(refused...)
	case len(o.Disks) > 0:
		return o, nil
	case offered > 0 && offered == len(chosen):
		return Offer{}, fmt.Errorf("%w: %s", ErrOffered, strings.Join(o.Skipped, " "))
	}
	return Offer{}, errors.New(strings.TrimSpace(fmt.Sprintf("node %s has no blank disk that can be offered. %s",
		in.Storage.Name, strings.Join(o.Skipped, " "))))
}

// usable refuses a list that says nothing about the node of today. While a benchmark uses the node, the list is as
// current as it can be.
func usable(s v1alpha1.NodeStorage) error {
	current := disks.Current(s)
	switch {
	case s.Status.ObservedAt == nil || s.Status.NodeUID == "":
		return fmt.Errorf("node %s has not been looked at yet: wait for it with `kubectl zfsbench devices %s --wait`", s.Name,
			s.Name)
	case current.Status != metav1.ConditionTrue && !disks.IsTaken(s):
		return fmt.Errorf("what is known about node %s may no longer be true: %s Ask for a new discovery with `kubectl "+
			"zfsbench devices %s --discover --wait`", s.Name, current.Message, s.Name)
	}
	return nil
}

// choose finds the disks that are asked for, each once.
func (in Input) choose() ([]v1alpha1.NodeDisk, error) {
	all := in.Storage.Status.Disks
	if len(in.Devices) == 0 {
		return slices.DeleteFunc(slices.Clone(all), func(d v1alpha1.NodeDisk) bool {
			return d.Verdict != v1alpha1.DiskBlank
		}), nil
	}
	var chosen []v1alpha1.NodeDisk
	var unknown []error
	for _, path := range in.Devices {
		i := slices.IndexFunc(all, func(d v1alpha1.NodeDisk) bool { return d.HasPath(path) })
		if i < 0 {
			unknown = append(unknown, in.unknown(path))
			continue
		}
		twice := slices.ContainsFunc(chosen, func(d v1alpha1.NodeDisk) bool { return d.Path == all[i].Path })
		if !twice {
			chosen = append(chosen, all[i])
		}
	}
	return chosen, errors.Join(unknown...)
}

// unknown says what is known about a path that no disk has.
func (in Input) unknown(path string) error {
	for _, d := range in.Storage.Status.Disks {
		if d.Device == path && d.Path != "" {
			return fmt.Errorf("%s is a name that another disk may have after a reboot: use %s, its stable path", path, d.Path)
		}
	}
	return fmt.Errorf("%s: node %s had no such disk %s: see `kubectl zfsbench devices %s`", path, in.Storage.Name,
		"when it was looked at", in.Storage.Name)
}

// policy is the policy without disks. Every field that the API would fill in is filled in.
func (in Input) policy() v1alpha1.BenchmarkDevicePolicy {
	p := v1alpha1.BenchmarkDevicePolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BenchmarkDevicePolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: in.Name},
		Spec: v1alpha1.BenchmarkDevicePolicySpec{
			Node:       v1alpha1.PolicyNode{Name: in.Storage.Name, UID: in.Storage.Status.NodeUID},
			Namespaces: []string{in.Namespace}, MDArrays: v1alpha1.MDArraysForbidden,
		},
	}
	if p.Name == "" {
		p.Name = in.Storage.Name + "-" + in.Namespace
	}
	if in.NamespaceUID != "" {
		p.Spec.NamespaceUIDs = []v1alpha1.PolicyNamespaceUID{{Name: in.Namespace, UID: in.NamespaceUID}}
	}
	return p
}

func (o *Offer) add(d v1alpha1.NodeDisk, class string) {
	o.Disks = append(o.Disks, d)
	o.Policy.Spec.Devices = append(o.Policy.Spec.Devices, v1alpha1.PolicyDevice{
		Path: d.Path, Serial: d.Serial, Size: *resource.NewQuantity(d.SizeBytes, resource.DecimalSI),
		UnsignedData: v1alpha1.UnsignedDataRefuse, Content: v1alpha1.ContentSampled, Class: class,
	})
}
