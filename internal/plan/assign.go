// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
)

// Assign returns the devices of a valid benchmark on one node: those of the spec, with the disks of its classes and
// their paths in place of the devices that ask for them. The same input gives the same disks. Only disks that policies
// offer are chosen. What the discovery found may exclude one of them, and can add none. Disks that were chosen before
// stay. The error is a *ConsentError.
func Assign(in Input) ([]v1alpha1.Device, error) { return assign(in, applyingPolicies(in)) }

func assign(in Input, applying []v1alpha1.BenchmarkDevicePolicy) ([]v1alpha1.Device, error) {
	chosen := in.Chosen
	if chosen == nil {
		var err error
		if chosen, err = choose(in, applying); err != nil {
			return nil, err
		}
	}
	var devices []v1alpha1.Device
	for _, d := range in.Benchmark.Spec.Devices {
		for _, disk := range d.Numbered() {
			if d.Class != "" {
				disk.Path = chosen[disk.Name]
				if disk.Path == "" {
					return nil, mismatch("Which disk of node %s is %s of class %s was decided when the benchmark was accepted, "+
						"and its status no longer says so: create a new benchmark.", in.Node.Name, disk.Name, d.Class)
				}
			}
			devices = append(devices, disk)
		}
	}
	return devices, nil
}

// choose returns the paths of disks for all classes, by the device's name.
func choose(in Input, applying []v1alpha1.BenchmarkDevicePolicy) (map[string]string, error) {
	if !in.Benchmark.Spec.HasClasses() {
		return nil, nil
	}
	named := map[string][]string{}
	for _, d := range in.Benchmark.Spec.Devices {
		for _, disk := range d.Numbered() {
			named[d.Class] = append(named[d.Class], disk.Name)
		}
	}
	taken := namedByPath(in, applying)
	chosen := map[string]string{}
	for _, d := range in.Benchmark.Spec.Devices {
		names := named[d.Class]
		if d.Class == "" || chosen[names[0]] != "" {
			continue
		}
		s := supplyOf(d.Class, taken, in, applying)
		if len(s.free) < len(names) {
			return nil, s.tooFew(len(names), in)
		}
		for i, name := range names {
			chosen[name], taken[s.free[i].Serial] = s.free[i].Path, "chosen for class "+d.Class
		}
	}
	return chosen, nil
}

// namedByPath are the serial numbers of the disks that the benchmark names, with the reason why they are not free.
func namedByPath(in Input, applying []v1alpha1.BenchmarkDevicePolicy) map[string]string {
	taken := map[string]string{}
	for _, d := range in.Benchmark.Spec.Devices {
		if promised, _ := promise(d, in.Node, applying); d.Path != "" && promised != nil {
			taken[promised.Serial] = "named by path in the benchmark"
		}
	}
	return taken
}

// supply is what a node has of a class.
type supply struct {
	class   string
	offered int
	// free are the disks that may be chosen, in the order of their paths.
	free []v1alpha1.PolicyDevice
	// excluded counts the others by the reason; asFound says that a discovery is the reason for some.
	excluded map[string]int
	asFound  bool
}

// supplyOf finds the disks of a class that may be chosen. taken are serial numbers that may not, with the reason. Of
// two paths with one serial number, only the first is free: they may lead to one disk.
func supplyOf(class string, taken map[string]string, in Input, applying []v1alpha1.BenchmarkDevicePolicy) supply {
	offers := offersOf(class, applying)
	s := supply{class: class, offered: len(offers), excluded: map[string]int{}}
	serials := map[string]bool{}
	for _, offer := range offers {
		why := taken[offer.Serial]
		if _, err := promise(v1alpha1.Device{Path: offer.Path}, in.Node, applying); why == "" && err != nil {
			why = "listed differently by two policies"
		}
		if why == "" {
			why = in.asFound(offer)
			s.asFound = s.asFound || why != ""
		}
		if why == "" && serials[offer.Serial] {
			why = "with the serial number of another"
		}
		if why != "" {
			s.excluded[why]++
			continue
		}
		serials[offer.Serial] = true
		s.free = append(s.free, offer)
	}
	return s
}

// offersOf are the disks that policies offer with a class, each path once, sorted by path.
func offersOf(class string, applying []v1alpha1.BenchmarkDevicePolicy) []v1alpha1.PolicyDevice {
	var offers []v1alpha1.PolicyDevice
	for _, p := range applying {
		for _, d := range p.Spec.Devices {
			if d.Class == class {
				offers = append(offers, d)
			}
		}
	}
	slices.SortStableFunc(offers, func(a, b v1alpha1.PolicyDevice) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(offers, func(a, b v1alpha1.PolicyDevice) bool { return a.Path == b.Path })
}

// asFound says why an offered disk is not chosen because of what a discovery found; empty if it may be.
func (in Input) asFound(offer v1alpha1.PolicyDevice) string {
	if !in.discovered() {
		return ""
	}
	found := in.Storage.Status.NodeInventory
	switch StateOf(offer, found).State {
	case v1alpha1.PolicyDeviceMissing:
		if found.OmittedDisks > 0 {
			return "" // it may be one of them
		}
		return "missing"
	case v1alpha1.PolicyDeviceMismatch:
		return "with another serial number or size"
	case v1alpha1.PolicyDeviceInUse:
		return "in use or not blank"
	case v1alpha1.PolicyDeviceRefused:
		return "refused"
	}
	return ""
}

// discovered says whether a discovery has looked at this very node. How long ago does not matter. A disk that could not
// be used then may be free now, and the benchmark waits for the next discovery. To choose a disk that cannot be used
// would be worse: the benchmark would fail, since the choice is final.
func (in Input) discovered() bool {
	return in.Storage != nil && in.Storage.Status.ObservedAt != nil && in.Storage.Name == in.Node.Name &&
		in.Storage.Status.NodeUID == in.Node.UID
}

// tooFew says how many disks are needed, free, offered and excluded, and what would help.
func (s supply) tooFew(needed int, in Input) error {
	numbers := []string{fmt.Sprintf("%d offered to namespace %s", s.offered, in.Benchmark.Namespace)}
	for _, why := range slices.Sorted(maps.Keys(s.excluded)) {
		numbers = append(numbers, fmt.Sprintf("%d %s", s.excluded[why], why))
	}
	needs := fmt.Sprintf("%d disks are needed", needed)
	if needed == 1 {
		needs = "1 disk is needed"
	}
	message := fmt.Sprintf("Node %s: class %s: %s, %d free: %s.", in.Node.Name, s.class, needs, len(s.free),
		strings.Join(numbers, ", "))
	if s.offered < needed {
		message += fmt.Sprintf(" The storage administrator could list more disks with `class: %s` in a "+
			"BenchmarkDevicePolicy for the node.", s.class)
	}
	if s.asFound {
		message += fmt.Sprintf(" NodeStorage %s says why, as of %s. To look again: `kubectl annotate --overwrite "+
			"nodestorage %s %s=$(date +%%s)`.", in.Node.Name, in.Storage.Status.ObservedAt.UTC().Format(time.RFC3339),
			in.Node.Name, v1alpha1.AnnotationDiscover)
	}
	return &ConsentError{Reason: v1alpha1.ReasonTooFewDisks, Message: message}
}
