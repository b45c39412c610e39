// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
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

// check refuses a plan that Build would not make. The runner executes what it is given, with all power over the node, so it looks once more.
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
		return fmt.Errorf("benchmark.uid %q is no UUID", p.Benchmark.UID)
	case !labelPattern.MatchString(p.Benchmark.Namespace):
		return fmt.Errorf("benchmark.namespace %q is no namespace", p.Benchmark.Namespace)
	case !nodeUIDPattern.MatchString(p.Node.UID):
		return fmt.Errorf("node.uid %q is no UID", p.Node.UID)
	case p.TimeoutSeconds < 1 || p.TimeoutSeconds > maxTimeoutSeconds:
		return fmt.Errorf("timeoutSeconds is %d, it must be from 1 to %d", p.TimeoutSeconds, maxTimeoutSeconds)
	}
	return nil
}

func checkScratch(p Plan) error {
	dir, limit := p.Scratch.Directory, p.Scratch.LimitBytes
	if !directoryPattern.MatchString(dir) || path.Clean(dir) != dir {
		return fmt.Errorf("scratch.directory %q is no clean absolute path", dir)
	}
	if total := fileBytes(p.Devices); total > limit || limit < 0 {
		return fmt.Errorf("scratch.limitBytes is %d, the file devices take %d", limit, total)
	}
	return nil
}

// checkDevices checks what the spec does not have; the rest is checked with the variants.
func checkDevices(devices []Device) error {
	for _, d := range devices {
		switch {
		case (d.Path == "") == (d.FileSizeBytes == 0):
			return fmt.Errorf("device %q: exactly one of path and fileSizeBytes must be set", d.Name)
		case d.Path != "" && (!serialPattern.MatchString(d.Serial) || d.SizeBytes <= 0):
			return fmt.Errorf("device %q: a path needs the serial and the sizeBytes that a policy promises", d.Name)
		case d.Path == "" && (d.Serial != "" || d.SizeBytes != 0 || len(d.Partitions) > 0):
			return fmt.Errorf("device %q: a file has neither serial nor sizeBytes nor partitions", d.Name)
		case d.Path != "" && !hasRoom(d):
			return fmt.Errorf("device %q: its partitions have no room on it", d.Name)
		}
	}
	return nil
}

// checkVariants applies the rules of the API to each variant with its devices and the workloads, as if it were a benchmark of its own. Sizes of disks
// are those that Consent has compared.
func checkVariants(p Plan) error {
	if len(p.Variants) == 0 {
		return errors.New("variants is empty")
	}
	names, used := map[string]bool{}, map[string]bool{}
	for _, v := range p.Variants {
		if !variantPattern.MatchString(v.Name) || names[v.Name] {
			return fmt.Errorf("variant name %q is no name or there twice", v.Name)
		}
		names[v.Name] = true
		if v.Baseline != nil && v.Baseline.PersistentVolume != nil {
			if err := checkClaimVariant(p, v); err != nil {
				return err
			}
			continue
		}
		places := p.PlacesOf(v)
		for _, d := range p.Devices {
			used[d.Name] = used[d.Name] || d.IsIn(places)
		}
		if err := validate.Benchmark(asBenchmark(p, v, places)).ToAggregate(); err != nil {
			return fmt.Errorf("variant %s: %w", v.Name, err)
		}
	}
	for _, d := range p.Devices {
		if !used[d.Name] {
			return fmt.Errorf("device %q is in no variant", d.Name)
		}
	}
	return checkReferences(p.Variants, names)
}

// checkClaimVariant checks a variant that has no devices, and has nothing but its claim.
func checkClaimVariant(p Plan, v Variant) error {
	if !reflect.ValueOf(v.Pool).IsZero() || !reflect.ValueOf(v.Dataset).IsZero() || len(v.ModuleParameters) > 0 {
		return fmt.Errorf("variant %s: a claim to a StorageClass has neither pool nor dataset nor module parameters", v.Name)
	}
	if err := validate.ClaimVariant(*v.Baseline, p.Workloads).ToAggregate(); err != nil {
		return fmt.Errorf("variant %s: %w", v.Name, err)
	}
	return nil
}

// checkReferences wants each reference to be a variant that is not itself compared with another.
func checkReferences(variants []Variant, names map[string]bool) error {
	compared := map[string]bool{}
	for _, v := range variants {
		compared[v.Name] = v.Reference != ""
	}
	for _, v := range variants {
		if v.Reference != "" && (!names[v.Reference] || compared[v.Reference]) {
			return fmt.Errorf("variant %s: its reference %q is no variant, or compared with another", v.Name, v.Reference)
		}
	}
	return nil
}

// asBenchmark is a benchmark of one variant alone, with the devices that have a place in it.
func asBenchmark(p Plan, v Variant, places []string) *v1alpha1.ZfsBenchmark {
	var devices []v1alpha1.Device
	for _, d := range p.Devices {
		if !d.IsIn(places) {
			continue
		}
		device := v1alpha1.Device{Name: d.Name, Path: d.Path}
		for _, part := range d.Partitions {
			if !slices.Contains(places, part.Name) {
				continue
			}
			partition := v1alpha1.Partition{Name: part.Name}
			if part.SizeBytes != 0 {
				partition.Size = resource.NewQuantity(part.SizeBytes, resource.BinarySI)
			}
			device.Partitions = append(device.Partitions, partition)
		}
		if d.Path == "" {
			device.File = &v1alpha1.FileDevice{Size: *resource.NewQuantity(d.FileSizeBytes, resource.BinarySI)}
		}
		devices = append(devices, device)
	}
	b := &v1alpha1.ZfsBenchmark{
		ObjectMeta: metav1.ObjectMeta{Name: p.Benchmark.Name},
		Spec: v1alpha1.ZfsBenchmarkSpec{
			Nodes: v1alpha1.NodesSpec{Names: []string{p.Node.Name}}, Devices: devices, ModuleParameters: v.ModuleParameters, Workloads: p.Workloads,
		},
	}
	if v.Baseline != nil {
		b.Spec.Workloads = withoutInspections(p.Workloads)
		b.Spec.Baselines = []v1alpha1.Baseline{*v.Baseline}
	}
	// A baseline has neither pool nor dataset; one that has is refused.
	if v.Baseline == nil || !reflect.ValueOf(v.Pool).IsZero() {
		b.Spec.Pool = &v.Pool
	}
	if v.Baseline == nil || !reflect.ValueOf(v.Dataset).IsZero() {
		b.Spec.Dataset = &v.Dataset
	}
	return b
}

// withoutInspections are workloads as they are on a baseline, which has no pool to inspect.
func withoutInspections(workloads []v1alpha1.Workload) []v1alpha1.Workload {
	all := slices.Clone(workloads)
	for i := range all {
		all[i].Inspect = nil
	}
	return all
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
		if t.Index != i || t.Repetition < 1 || t.Repetition > maxRepetition+p.ConfirmingRepetitions || !variants[t.Variant] || seen[what] {
			return fmt.Errorf("trial %d has index %d, repetition %d and variant %q, which do not fit or are there twice", i, t.Index, t.Repetition, t.Variant)
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
	if most := p.Repetitions(); s.MinRepetitions < 1 || s.MinRepetitions >= most || !(s.TargetRelativeError > 0 && s.TargetRelativeError < 1) {
		return fmt.Errorf("stopping at the earliest after %d of %d repetitions, at a relative error of %v, makes no sense", s.MinRepetitions, most, s.TargetRelativeError)
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
		return fmt.Errorf("confirmingRepetitions is %d, it must be from %d to %d", n, validate.MinConfirming, validate.MaxConfirming)
	case p.Repetitions() < 1:
		return errors.New("no repetition comes before those that confirm")
	case p.Reference() == "":
		return errors.New("confirmingRepetitions is set, but no variant has a reference")
	case p.Order != nil && p.Order.Kind == v1alpha1.OrderSequential:
		return errors.New("a sequential order has no repetitions that confirm")
	}
	return nil
}
