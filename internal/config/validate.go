// SPDX-License-Identifier: Apache-2.0

package config

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/internal/plan"
	"zfsbench.io/operator/internal/spec/schema"
)

// Validate returns everything that is wrong, joined, each with the key's path.
func (m Manager) Validate() error {
	var errs field.ErrorList
	ns := field.NewPath("runnerNamespace")
	for _, problem := range validation.IsDNS1123Label(m.RunnerNamespace) {
		errs = append(errs, field.Invalid(ns, m.RunnerNamespace, problem))
	}
	errs = append(errs, m.Runner.validate(field.NewPath("runner"))...)
	errs = append(errs, m.Scratch.validate(field.NewPath("scratch"))...)
	errs = append(errs, schema.MaxTimeout.Check(m.MaxTimeout, field.NewPath("maxTimeout"))...)
	if d := m.DiscoveryInterval.Duration; d < 10*time.Minute || d > 720*time.Hour {
		errs = append(errs, field.Invalid(field.NewPath("discoveryInterval"), d.String(), "must be from 10m to 720h"))
	}
	rules := []plan.FileDevices{plan.FileDevicesAllowed, plan.FileDevicesByPolicy, plan.FileDevicesForbidden}
	if !slices.Contains(rules, m.FileDevices) {
		errs = append(errs, field.NotSupported(field.NewPath("fileDevices"), m.FileDevices, rules))
	}
	errs = append(errs, m.checkCSI(field.NewPath("csi"))...)
	return errs.ToAggregate()
}

// checkCSI wants a namespace for claims that is not the runners': pods that have claims mounted need no privileges, and
// are not to have any.
func (m Manager) checkCSI(at *field.Path) field.ErrorList {
	if !m.CSI.Enabled {
		return nil
	}
	var errs field.ErrorList
	for name, value := range map[string]string{"namespace": m.CSI.Namespace, "driverNamespace": m.CSI.DriverNamespace} {
		for _, problem := range validation.IsDNS1123Label(value) {
			errs = append(errs, field.Invalid(at.Child(name), value, problem))
		}
	}
	if m.CSI.Namespace == m.RunnerNamespace {
		errs = append(errs, field.Invalid(at.Child("namespace"), m.CSI.Namespace,
			"must be another one than runnerNamespace, which is privileged"))
	}
	return errs
}

func (r Runner) validate(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if strings.TrimSpace(r.Image) == "" {
		errs = append(errs, field.Required(at.Child("image"),
			"the runner's image, for example registry.example/zfsbench-runner:v0.1.0"))
	}
	policies := []corev1.PullPolicy{corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever}
	if !slices.Contains(policies, r.ImagePullPolicy) {
		errs = append(errs, field.NotSupported(at.Child("imagePullPolicy"), r.ImagePullPolicy, policies))
	}
	return errs
}

// validate checks the directory as a BenchmarkDevicePolicy's is checked: the runner removes below it, and the admission
// policy for the runner namespace lets no other one in.
func (s Scratch) validate(at *field.Path) field.ErrorList {
	errs := schema.ScratchDirectory.Check(s.Directory, at.Child("directory"))
	// Beyond an int64, a quantity's value is any number, and comparing it may take all memory.
	if bytes, ok := s.SizeLimit.AsInt64(); !ok || bytes <= 0 {
		errs = append(errs, field.Invalid(at.Child("sizeLimit"), s.SizeLimit.String(),
			"must be more than 0 and a whole number of bytes below 8Ei"))
	}
	return errs
}
