// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/validate"
)

// ConsentError says which consent is missing. Reason is v1alpha1.ReasonNoPolicy (no policy offers it) or
// ReasonPolicyMismatch (one does, but does not match). Message is complete sentences and says what the storage
// administrator has to write.
type ConsentError struct {
	Reason  string
	Message string
	// Hint is a manifest, in one line, of a BenchmarkDevicePolicy that would do once serials and sizes of disks are filled
	// in; empty unless one is missing. Message ends with it.
	Hint string
}

func (e *ConsentError) Error() string { return e.Message }

// Granted is what the policies grant a benchmark on one node.
type Granted struct {
	// Devices are the devices of the spec, with the disks of its classes, and the serial and size that the policy
	// promises.
	Devices []Device
	Scratch Scratch
	// MaxTimeout is the smallest limit of the configuration and all applying policies; 0 means no limit.
	MaxTimeout time.Duration
}

// Consent checks a valid benchmark's devices, module parameters, md arrays, StorageClasses, images and claims of
// corpora against the policies for one node. A path device needs a policy for this node, by name and UID, that lists
// its exact path and the benchmark's namespace. File devices need none, unless the configuration asks for one, and all
// of them must fit into the scratch directory's limit. The disks of a class are chosen among those that policies offer.
// A module parameter needs a policy for the node and the namespace that lists its name, an md array one that allows
// arrays, a volume of a StorageClass that exists one that lists the class with room for it, an image or a claim one
// that lists it. Policies that apply and contradict each other, or are not valid, consent to nothing. The error is a
// *ConsentError.
func Consent(in Input) (Granted, error) {
	b, node := in.Benchmark, in.Node
	applying := applyingPolicies(in)
	for i := range applying {
		if err := validate.Policy(&applying[i]).ToAggregate(); err != nil {
			return Granted{}, mismatch("BenchmarkDevicePolicy %s is not valid: %v.", applying[i].Name, err)
		}
	}
	devices, err := grantDevices(in, applying)
	if err != nil {
		return Granted{}, err
	}
	variants, err := expand(b.Spec)
	if err != nil {
		return Granted{}, err
	}
	if err := checkSizes(variants, b.Spec.Workloads, devices); err != nil {
		return Granted{}, err
	}
	if err := grantParameters(variants, b.Namespace, node, applying); err != nil {
		return Granted{}, err
	}
	if err := grantArrays(variants, b.Namespace, node, applying); err != nil {
		return Granted{}, err
	}
	if err := grantFilesystems(variants, b.Namespace, node, applying); err != nil {
		return Granted{}, err
	}
	if err := grantClasses(variants, b.Namespace, node, applying); err != nil {
		return Granted{}, err
	}
	if err := grantImages(b.Spec.Workloads, b.Namespace, node, applying); err != nil {
		return Granted{}, err
	}
	if err := grantCorpusClaims(b.Spec.Workloads, b.Namespace, node, applying); err != nil {
		return Granted{}, err
	}
	if err := grantFiles(in, applying); err != nil {
		return Granted{}, err
	}
	scratch, err := grantScratch(devices, node, applying, in.Defaults)
	if err != nil {
		return Granted{}, err
	}
	longest, err := grantTimeout(b, in.Defaults.MaxTimeout, applying)
	if err != nil {
		return Granted{}, err
	}
	return Granted{Devices: devices, Scratch: scratch, MaxTimeout: longest}, nil
}

// applyingPolicies are the policies for this node and namespace, sorted by name: messages then do not depend on the
// order in which they were listed.
func applyingPolicies(in Input) []v1alpha1.BenchmarkDevicePolicy {
	return slices.DeleteFunc(byName(in.Policies), func(p v1alpha1.BenchmarkDevicePolicy) bool {
		return !forNode(p, in.Node) || !slices.Contains(p.Spec.Namespaces, in.Benchmark.Namespace) ||
			anotherNamespace(p, in) != ""
	})
}

// anotherNamespace is the UID that a policy names for the benchmark's namespace, if the namespace has another UID.
// Outside Kubernetes a namespace has none.
func anotherNamespace(p v1alpha1.BenchmarkDevicePolicy, in Input) string {
	for _, n := range p.Spec.NamespaceUIDs {
		if n.Name == in.Benchmark.Namespace && in.NamespaceUID != "" && n.UID != in.NamespaceUID {
			return n.UID
		}
	}
	return ""
}

func byName(policies []v1alpha1.BenchmarkDevicePolicy) []v1alpha1.BenchmarkDevicePolicy {
	return slices.SortedFunc(slices.Values(policies), func(a, b v1alpha1.BenchmarkDevicePolicy) int {
		return cmp.Compare(a.Name, b.Name)
	})
}

// forNode compares the UID only where there is one: outside Kubernetes a node has none.
func forNode(p v1alpha1.BenchmarkDevicePolicy, node Node) bool {
	return p.Spec.Node.Name == node.Name && (node.UID == "" || p.Spec.Node.UID == node.UID)
}

// grantDevices finds the promises for every device, or says for all devices without one what is missing.
func grantDevices(in Input, applying []v1alpha1.BenchmarkDevicePolicy) ([]Device, error) {
	var granted []Device
	var lacking []v1alpha1.Device
	devices, err := assign(in, applying)
	if err != nil {
		return nil, err
	}
	for _, d := range devices {
		if d.File != nil {
			granted = append(granted, Device{Name: d.Name, FileSizeBytes: d.File.Size.Value()})
			continue
		}
		promised, err := promise(d, in.Node, applying)
		if err != nil {
			return nil, err
		}
		if promised == nil {
			lacking = append(lacking, d)
			continue
		}
		granted = append(granted, *promised)
	}
	if len(lacking) > 0 {
		return nil, explain(lacking, in)
	}
	return granted, nil
}

// promise is what the applying policies say about a disk: nil if none lists it, an error if they contradict each other.
func promise(d v1alpha1.Device, node Node, applying []v1alpha1.BenchmarkDevicePolicy) (*Device, error) {
	var found *Device
	from := ""
	for _, p := range applying {
		i := slices.IndexFunc(p.Spec.Devices, func(pd v1alpha1.PolicyDevice) bool { return pd.Path == d.Path })
		if i < 0 {
			continue
		}
		offer := p.Spec.Devices[i]
		promised := Device{
			Name: d.Name, Class: d.Class, Path: d.Path, Serial: offer.Serial, SizeBytes: offer.Size.Value(),
			OverwriteUnsigned: offer.UnsignedData == v1alpha1.UnsignedDataOverwrite,
			FullScan:          offer.Content == v1alpha1.ContentFull,
			Partitions:        partitionsOf(d),
		}
		if found != nil && !reflect.DeepEqual(*found, promised) {
			return nil, mismatch("BenchmarkDevicePolicies %s and %s contradict each other about the serial, the size, the "+
				"unsigned data or the content of %s on node %s: correct one of them.",
				from, p.Name, d.Path, node.Name)
		}
		found, from = &promised, p.Name
	}
	return found, nil
}

// partitionsOf are the partitions of a device, with their sizes.
func partitionsOf(d v1alpha1.Device) []Partition {
	var partitions []Partition
	for _, p := range d.Partitions {
		size := int64(0)
		if p.Size != nil {
			size = p.Size.Value()
		}
		partitions = append(partitions, Partition{p.Name, size})
	}
	return partitions
}

// hasRoom says whether a disk that is split has room for its partitions.
func hasRoom(d Device) bool {
	return len(d.Partitions) == 0 || !slices.ContainsFunc(d.Parts(), func(p Part) bool {
		return p.SizeBytes < validate.MinDeviceBytes
	})
}

// checkSizes refuses disks whose sizes zpool accepts in one vdev only with -f, md arrays of such disks, and disks that
// are too small for their partitions. Validation has checked the sizes of files.
func checkSizes(variants []Variant, workloads []v1alpha1.Workload, devices []Device) error {
	sizes := map[string]int64{}
	for _, d := range devices {
		if d.Path == "" {
			continue
		}
		if !hasRoom(d) {
			return mismatch("The partitions of device %s do not fit on it: the policy promises a disk of %d bytes. Each "+
				"takes at least 64Mi, and the partition table 2Mi.", d.Name, d.SizeBytes)
		}
		for _, part := range d.Parts() {
			sizes[part.Name] = part.SizeBytes
		}
	}
	for _, variant := range variants {
		if _, v := validate.UnequalSizes(&variant.Pool, sizes); v != nil {
			return mismatch("The disks %s of a %s vdev are not of one size, to 16Mi, by what the policies promise: zpool "+
				"takes such disks only with -f.",
				strings.Join(v.Devices, ", "), v.Type)
		}
	}
	if err := checkReplacements(workloads, sizes); err != nil {
		return err
	}
	return checkArraySizes(variants, sizes)
}

// grantScratch takes the directory and limit of the policy that sets them, or the defaults.
func grantScratch(devices []Device, node Node, applying []v1alpha1.BenchmarkDevicePolicy, defaults Defaults) (Scratch,
	error) {
	scratch, from := defaults.Scratch, ""
	for _, p := range applying {
		if p.Spec.Scratch == nil {
			continue
		}
		set := Scratch{Directory: p.Spec.Scratch.Directory, LimitBytes: p.Spec.Scratch.TotalSize.Value()}
		if from != "" && set != scratch {
			return Scratch{}, mismatch("BenchmarkDevicePolicies %s and %s set different scratch directories or sizes for "+
				"node %s: correct one of them.",
				from, p.Name, node.Name)
		}
		scratch, from = set, p.Name
	}
	if total := fileBytes(devices); total > scratch.LimitBytes {
		return Scratch{}, mismatch("The file devices need %d bytes, the scratch directory %s of node %s may hold %d: make "+
			"them smaller, or set spec.scratch.totalSize in a BenchmarkDevicePolicy.",
			total, scratch.Directory, node.Name, scratch.LimitBytes)
	}
	return scratch, nil
}

// fileBytes is the space that all file devices take together.
func fileBytes(devices []Device) int64 {
	var total int64
	for _, d := range devices {
		total += d.FileSizeBytes
	}
	return total
}

// grantTimeout refuses a timeout above configured, the limit of all benchmarks, or above the smallest maximum of the
// applying policies.
func grantTimeout(
	b *v1alpha1.ZfsBenchmark, configured time.Duration, applying []v1alpha1.BenchmarkDevicePolicy,
) (time.Duration, error) {
	exceeds := func(limit time.Duration) bool { return b.Spec.Timeout != nil && b.Spec.Timeout.Duration > limit }
	smallest := configured
	if smallest > 0 && exceeds(smallest) {
		return 0, mismatch("spec.timeout is %s, and the operator's configuration allows at most %s (maxTimeout): "+
			"create a new benchmark with a smaller timeout, or let a cluster administrator raise maxTimeout.",
			b.Spec.Timeout.Duration, smallest)
	}
	for _, p := range applying {
		if p.Spec.MaxTimeout == nil {
			continue
		}
		limit := p.Spec.MaxTimeout.Duration
		if exceeds(limit) {
			return 0, mismatch("spec.timeout is %s, BenchmarkDevicePolicy %s allows at most %s.", b.Spec.Timeout.Duration,
				p.Name, limit)
		}
		if smallest == 0 || limit < smallest {
			smallest = limit
		}
	}
	return smallest, nil
}

func mismatch(format string, args ...any) error {
	return &ConsentError{Reason: v1alpha1.ReasonPolicyMismatch, Message: fmt.Sprintf(format, args...)}
}
