// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/spec/matrix"
	"zfsbench.io/operator/internal/spec/validate"
)

const (
	maxTimeoutSeconds = int64(maxTimeout / time.Second)
	maxRepetition     = 1000
)

var (
	// uidPattern is a UUID, as Kubernetes makes them; it becomes part of pool and directory names.
	uidPattern     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	nodeUIDPattern = regexp.MustCompile(`^([0-9A-Za-z]([-0-9A-Za-z]{0,62}[0-9A-Za-z])?)?$`)
	// variantPattern is made of the names of axes and values.
	variantPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+=,-]{0,252}$`)
	labelPattern     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	directoryPattern = regexp.MustCompile(`^(/[A-Za-z0-9._-]+)+$`)
	serialPattern    = regexp.MustCompile(`^[[:graph:]]([[:print:]]{0,126}[[:graph:]])?$`)
)

// check refuses a plan that Build would not make. The runner executes a plan with full privileges on the node, so it
// checks the plan again.
func check(p Plan) error {
	if p.Version != Version {
		return fmt.Errorf("its version is %d, this build reads version %d", p.Version, Version)
	}
	if p.DevicePreparation != "" && !p.Discards() {
		return fmt.Errorf("devicePreparation is %q, it must be Discard or left out", p.DevicePreparation)
	}
	if p.FreshPool != "" && !p.KeepsPools() {
		return fmt.Errorf("freshPool is %q, it must be PerVariant or left out", p.FreshPool)
	}
	return errors.Join(
		checkIdentity(p),
		checkScratch(p),
		checkDevices(p.Devices),
		checkVolumes(p),
		checkVariants(p),
		checkTrials(p),
		checkStopping(p),
		checkConfirming(p),
	)
}

func checkIdentity(p Plan) error {
	switch {
	case !uidPattern.MatchString(p.Benchmark.UID):
		return fmt.Errorf("benchmark.uid %q is not a UUID", p.Benchmark.UID)
	case !labelPattern.MatchString(p.Benchmark.Namespace):
		return fmt.Errorf("benchmark.namespace %q is not a namespace", p.Benchmark.Namespace)
	case len(p.Benchmark.Name) > 63 || len(validation.IsDNS1123Subdomain(p.Benchmark.Name)) > 0:
		return fmt.Errorf("benchmark.name %q is not the name of a benchmark", p.Benchmark.Name)
	case len(validation.IsDNS1123Subdomain(p.Node.Name)) > 0:
		return fmt.Errorf("node.name %q is not the name of a node", p.Node.Name)
	case !nodeUIDPattern.MatchString(p.Node.UID):
		return fmt.Errorf("node.uid %q is not a UID", p.Node.UID)
	case p.TimeoutSeconds < 1 || p.TimeoutSeconds > maxTimeoutSeconds:
		return fmt.Errorf("timeoutSeconds is %d, it must be from 1 to %d", p.TimeoutSeconds, maxTimeoutSeconds)
	}
	return nil
}

func checkScratch(p Plan) error {
	dir, limit := p.Scratch.Directory, p.Scratch.LimitBytes
	if !directoryPattern.MatchString(dir) || path.Clean(dir) != dir {
		return fmt.Errorf("scratch.directory %q is not a clean absolute path", dir)
	}
	if total := fileBytes(p.Devices); total > limit || limit < 0 {
		return fmt.Errorf("scratch.limitBytes is %d, the file devices take %d", limit, total)
	}
	return nil
}

// checkDevices checks the fields that the spec does not have; the rest is checked with the variants.
func checkDevices(devices []Device) error {
	paths := map[string]bool{}
	for _, d := range devices {
		switch {
		case d.Path != "" && paths[d.Path]:
			return fmt.Errorf("device %q: its path %s is used more than once", d.Name, d.Path)
		case (d.Path == "") == (d.FileSizeBytes == 0):
			return fmt.Errorf("device %q: exactly one of path and fileSizeBytes must be set", d.Name)
		case d.Path != "" && (!serialPattern.MatchString(d.Serial) || d.SizeBytes <= 0):
			return fmt.Errorf("device %q: a path needs the serial and the sizeBytes that a policy promises", d.Name)
		case d.Path == "" && (d.Serial != "" || d.SizeBytes != 0 || len(d.Partitions) > 0):
			return fmt.Errorf("device %q: a file has neither serial nor sizeBytes nor partitions", d.Name)
		case d.Class != "" && (d.Path == "" || len(d.Partitions) > 0 || !labelPattern.MatchString(d.Class)):
			return fmt.Errorf("device %q: class %q is not the class of a whole disk", d.Name, d.Class)
		case d.Path != "" && !hasRoom(d):
			return fmt.Errorf("device %q: its partitions do not fit on it", d.Name)
		}
		paths[d.Path] = true
	}
	return nil
}

// checkVariants applies the rules of the API to the variants, the devices and the workloads. Consent has already
// compared the sizes of disks.
func checkVariants(p Plan) error {
	if len(p.Variants) == 0 {
		return errors.New("variants is empty")
	}
	names, used := map[string]bool{}, map[string]bool{}
	for _, v := range p.Variants {
		if !variantPattern.MatchString(v.Name) || names[v.Name] {
			return fmt.Errorf("variant name %q is not valid, or is used twice", v.Name)
		}
		names[v.Name] = true
		if v.Pool.Layout != "" {
			return fmt.Errorf("variant %s: pool.layout is %q, a plan lists the vdevs", v.Name, v.Pool.Layout)
		}
		places := p.PlacesOf(v)
		for _, d := range p.Devices {
			used[d.Name] = used[d.Name] || d.IsIn(places)
		}
		if v.Baseline != nil && (!reflect.ValueOf(v.Pool).IsZero() || !reflect.ValueOf(v.Dataset).IsZero() ||
			len(v.ModuleParameters) > 0) {
			return fmt.Errorf("variant %s: a baseline has neither pool nor dataset nor module parameters", v.Name)
		}
	}
	if err := validate.Variants(targets(p.Variants), specDevices(p.Devices), p.Workloads).ToAggregate(); err != nil {
		return err
	}
	for _, d := range p.Devices {
		if !used[d.Name] {
			return fmt.Errorf("device %q is in no variant", d.Name)
		}
	}
	return checkReferences(p.Variants, names)
}

// targets are variants as validate takes them.
func targets(variants []Variant) []matrix.Variant {
	all := make([]matrix.Variant, 0, len(variants))
	for _, v := range variants {
		target := matrix.Variant{Name: v.Name, Baseline: v.Baseline}
		if v.Baseline == nil {
			target.Pool, target.Dataset, target.ModuleParameters = &v.Pool, &v.Dataset, v.ModuleParameters
		}
		all = append(all, target)
	}
	return all
}

// specDevices are the devices in the form of a benchmark's spec.
func specDevices(devices []Device) []v1alpha1.Device {
	all := make([]v1alpha1.Device, 0, len(devices))
	for _, d := range devices {
		device := v1alpha1.Device{Name: d.Name, Path: d.Path}
		for _, part := range d.Partitions {
			partition := v1alpha1.Partition{Name: part.Name}
			if part.SizeBytes != 0 {
				partition.Size = resource.NewQuantity(part.SizeBytes, resource.BinarySI)
			}
			device.Partitions = append(device.Partitions, partition)
		}
		if d.Path == "" {
			device.File = &v1alpha1.FileDevice{Size: *resource.NewQuantity(d.FileSizeBytes, resource.BinarySI)}
		}
		all = append(all, device)
	}
	return all
}

// checkReferences requires each reference to be a variant that is not itself compared with another.
func checkReferences(variants []Variant, names map[string]bool) error {
	compared := map[string]bool{}
	for _, v := range variants {
		compared[v.Name] = v.Reference != ""
	}
	for _, v := range variants {
		if v.Reference != "" && (!names[v.Reference] || compared[v.Reference]) {
			return fmt.Errorf("variant %s: its reference %q is not a variant, or is compared with another", v.Name, v.Reference)
		}
	}
	return nil
}

func checkTrials(p Plan) error {
	variants := map[string]bool{}
	for _, v := range p.Variants {
		variants[v.Name] = true
	}
	if len(p.Trials) == 0 {
		return errors.New("trials is empty")
	}
	anchor, seen := p.Anchor(), map[Trial]bool{}
	for i, t := range p.Trials {
		what := Trial{Variant: t.Variant, Repetition: t.Repetition, Closing: t.Closing}
		if t.Closing && t.Variant != anchor {
			return fmt.Errorf("trial %d closes a repetition, but variant %q does not begin it", i, t.Variant)
		}
		if t.Index != i || t.Repetition < 1 || t.Repetition > maxRepetition+p.ConfirmingRepetitions || !variants[t.Variant] ||
			seen[what] {
			return fmt.Errorf("trial %d has index %d, repetition %d and variant %q, which do not fit or are there twice", i,
				t.Index, t.Repetition, t.Variant)
		}
		seen[what] = true
	}
	return nil
}

func checkStopping(p Plan) error {
	s := p.Stopping
	if s == nil {
		return nil
	}
	if most := p.Repetitions(); s.MinRepetitions < 1 || s.MinRepetitions >= most ||
		!(s.TargetRelativeError > 0 && s.TargetRelativeError < 1) {
		return fmt.Errorf("stopping at the earliest after %d of %d repetitions, at a relative error of %v, makes no sense",
			s.MinRepetitions, most, s.TargetRelativeError)
	}
	if p.Order != nil && p.Order.Kind == v1alpha1.OrderSequential {
		return errors.New("a sequential order has no complete repetitions to stop after")
	}
	return nil
}

func checkConfirming(p Plan) error {
	n := p.ConfirmingRepetitions
	switch {
	case n == 0:
		return nil
	case n < validate.MinConfirming || n > validate.MaxConfirming:
		return fmt.Errorf("confirmingRepetitions is %d, it must be from %d to %d", n, validate.MinConfirming,
			validate.MaxConfirming)
	case p.Repetitions() < 1:
		return errors.New("no repetition comes before those that confirm")
	case p.Reference() == "":
		return errors.New("confirmingRepetitions is set, but no variant has a reference")
	case p.Order != nil && p.Order.Kind == v1alpha1.OrderSequential:
		return errors.New("a sequential order has no repetitions that confirm")
	}
	return nil
}
