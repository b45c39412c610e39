// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/text/fields"
)

const (
	maxPolicyNamespaces = 64
	maxPolicyDevices    = 128
	maxPolicyClasses    = 64
	maxSerialLength     = 128
	maxUIDLength        = 64
)

var (
	maxTimeout = fields.Duration{Name: "maxTimeout", Minimum: time.Minute, Maximum: 30 * 24 * time.Hour, Least: "1m", Most: "720h", Example: "24h"}

	objectUID = regexp.MustCompile(`^[0-9A-Za-z]([-0-9A-Za-z]*[0-9A-Za-z])?$`)
	serial    = regexp.MustCompile(`^[[:graph:]]([[:print:]]*[[:graph:]])?$`)

	cleanPath       = regexp.MustCompile(`^(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$`)
	systemTree      = regexp.MustCompile(`^/(bin|boot|dev|efi|etc|lib|lib32|lib64|libx32|lost[+]found|proc|root|run|sbin|sys|tmp|usr)(/|$)`)
	systemDirectory = regexp.MustCompile(`^/(home|media|mnt|opt|srv|var|var/lib|var/log|var/cache|var/spool|var/tmp)$`)
	serviceTree     = regexp.MustCompile(`^/var/(run|lock|lib/kubelet|lib/containerd|lib/containers|lib/docker|lib/etcd|lib/rancher|lib/cni|lib/dpkg|lib/rpm|lib/systemd|log/pods|log/containers)(/|$)`)
)

// Policy returns everything that is wrong with a policy, in the order of its fields; nil means valid. A policy that is not valid consents to nothing.
func Policy(p *v1alpha1.BenchmarkDevicePolicy) field.ErrorList {
	s, path := p.Spec, field.NewPath("spec")
	errs := nodeName(s.Node.Name, "name must be the name of a node", path.Child("node", "name"))
	errs = append(errs, uid(s.Node.UID, "Node", path.Child("node", "uid"))...)
	errs = append(errs, namespaces(s.Namespaces, path.Child("namespaces"))...)
	errs = append(errs, namespaceUIDs(s.NamespaceUIDs, s.Namespaces, path.Child("namespaceUIDs"))...)
	errs = append(errs, policyDevices(s.Devices, path.Child("devices"))...)
	errs = append(errs, policyModuleParameters(s.ModuleParameters, path.Child("moduleParameters"))...)
	if s.MDArrays != "" {
		errs = append(errs, fields.OneOf(s.MDArrays, path.Child("mdArrays"), v1alpha1.MDArraysForbidden, v1alpha1.MDArraysAllowed)...)
	}
	if s.FileDevices != "" {
		errs = append(errs, fields.OneOf(s.FileDevices, path.Child("fileDevices"), v1alpha1.FileDevicesAllowed)...)
	}
	errs = append(errs, policyFilesystems(s.Filesystems, path.Child("filesystems"))...)
	errs = append(errs, policyStorageClasses(s.StorageClasses, path.Child("storageClasses"))...)
	errs = append(errs, policyImages(s.Images, path.Child("images"))...)
	errs = append(errs, policyClaims(s.PersistentVolumeClaims, path.Child("persistentVolumeClaims"))...)
	if s.Scratch != nil {
		errs = append(errs, ScratchDirectory(s.Scratch.Directory, path.Child("scratch", "directory"))...)
		errs = append(errs, positive("totalSize", s.Scratch.TotalSize, path.Child("scratch", "totalSize"))...)
	}
	return append(errs, maxTimeout.Check(s.MaxTimeout, path.Child("maxTimeout"))...)
}

// MaxTimeout returns what is wrong with the longest timeout that benchmarks may ask for; nil is none.
func MaxTimeout(d *metav1.Duration, path *field.Path) field.ErrorList {
	return maxTimeout.Check(d, path)
}

// uid checks the UID of an object of a kind.
func uid(u, kind string, path *field.Path) field.ErrorList {
	switch {
	case len(u) > maxUIDLength:
		return field.ErrorList{field.TooLong(path, u, maxUIDLength)}
	case !objectUID.MatchString(u):
		return field.ErrorList{field.Invalid(path, u,
			fmt.Sprintf("uid must be the UID of the %s object, for example 0f3c7a52-6c1e-4b6b-9a53-2d7f6b8f1c11", kind))}
	}
	return nil
}

func namespaces(names []string, path *field.Path) field.ErrorList {
	errs := fields.Count(len(names), 1, maxPolicyNamespaces, path)
	errs = append(errs, fields.Duplicates(names, path)...)
	for i, n := range names {
		switch {
		case len(n) > maxNameLength:
			errs = append(errs, field.TooLong(path.Index(i), n, maxNameLength))
		case !fields.Label.MatchString(n):
			errs = append(errs, field.Invalid(path.Index(i), n, "namespaces must be exact names of namespaces: lower-case letters, digits and '-', no globs"))
		}
	}
	return errs
}

// namespaceUIDs holds each UID against the names that the policy consents to: one of another name would do nothing.
func namespaceUIDs(uids []v1alpha1.PolicyNamespaceUID, names []string, path *field.Path) field.ErrorList {
	errs := fields.Count(len(uids), 0, maxPolicyNamespaces, path)
	seen := map[string]bool{}
	for i, u := range uids {
		at := path.Index(i)
		if !slices.Contains(names, u.Name) {
			errs = append(errs, field.Invalid(path, u.Name, "namespaceUIDs must name namespaces that are in spec.namespaces"))
		}
		if seen[u.Name] {
			errs = append(errs, field.Duplicate(at, u.Name))
		}
		seen[u.Name] = true
		errs = append(errs, uid(u.UID, "Namespace", at.Child("uid"))...)
	}
	return errs
}

func policyDevices(ds []v1alpha1.PolicyDevice, path *field.Path) field.ErrorList {
	errs := fields.Count(len(ds), 0, maxPolicyDevices, path)
	paths := map[string]bool{}
	for i, d := range ds {
		at := path.Index(i)
		errs = append(errs, diskPath(d.Path, at.Child("path"))...)
		if paths[d.Path] {
			errs = append(errs, field.Duplicate(at, d.Path))
		}
		paths[d.Path] = true
		switch {
		case len(d.Serial) > maxSerialLength:
			errs = append(errs, field.TooLong(at.Child("serial"), d.Serial, maxSerialLength))
		case !serial.MatchString(d.Serial):
			errs = append(errs, field.Invalid(at.Child("serial"), d.Serial, "serial must be printable ASCII without spaces at the ends, as lsblk -dno SERIAL prints it"))
		}
		errs = append(errs, positive("size", d.Size, at.Child("size"))...)
		if d.UnsignedData != "" {
			errs = append(errs, fields.OneOf(d.UnsignedData, at.Child("unsignedData"), v1alpha1.UnsignedDataRefuse, v1alpha1.UnsignedDataOverwrite)...)
		}
		errs = append(errs, policyContent(d, at)...)
	}
	return errs
}

func policyContent(d v1alpha1.PolicyDevice, at *field.Path) field.ErrorList {
	if d.Content == "" {
		return nil
	}
	errs := fields.OneOf(d.Content, at.Child("content"), v1alpha1.ContentSampled, v1alpha1.ContentFull)
	if d.Content == v1alpha1.ContentFull && d.UnsignedData == v1alpha1.UnsignedDataOverwrite {
		errs = append(errs, field.Invalid(at, d.Content,
			"content Full refuses every byte other than zero, and unsignedData Overwrite accepts them: choose one"))
	}
	return errs
}

func policyStorageClasses(classes []v1alpha1.PolicyStorageClass, path *field.Path) field.ErrorList {
	errs := fields.Count(len(classes), 0, maxPolicyClasses, path)
	names := map[string]bool{}
	for i, c := range classes {
		at := path.Index(i)
		errs = append(errs, className(c.Name, "name", at.Child("name"))...)
		if names[c.Name] {
			errs = append(errs, field.Duplicate(at, c.Name))
		}
		names[c.Name] = true
		errs = append(errs, positive("totalSize", c.TotalSize, at.Child("totalSize"))...)
	}
	return errs
}

// positive checks a size that has no limits of its own.
func positive(name string, q resource.Quantity, path *field.Path) field.ErrorList {
	if n, whole := fields.Bytes(q); !whole || n < 1 {
		return field.ErrorList{field.Invalid(path, fields.Text(q), fmt.Sprintf("%s must be a positive whole number of bytes", name))}
	}
	return nil
}

// ScratchDirectory returns what is wrong with a scratch directory: it must be an absolute path in its shortest form, and none that belongs to the
// system or is lost at a reboot.
func ScratchDirectory(dir string, path *field.Path) field.ErrorList {
	switch {
	case len(dir) > maxPathLength:
		return field.ErrorList{field.TooLong(path, dir, maxPathLength)}
	case !cleanPath.MatchString(dir):
		return field.ErrorList{field.Invalid(path, dir, "directory must be an absolute path of letters, digits, '.', '_' and '-', "+
			"without '..' and without '/' at the end, for example /var/lib/zfs-benchmark")}
	case systemTree.MatchString(dir), systemDirectory.MatchString(dir), serviceTree.MatchString(dir):
		return field.ErrorList{field.Invalid(path, dir,
			"directory must be one of the operator's own that survives a reboot, for example /var/lib/zfs-benchmark: this one belongs to the system")}
	}
	return nil
}
