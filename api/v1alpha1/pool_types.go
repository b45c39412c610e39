// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// PoolSpec is the layout and the properties of a pool. Nothing that `zpool create` accepts only with -f is allowed.
//
// +kubebuilder:validation:XValidation:rule=`self.vdevs.all(v, v.type == self.vdevs[0].type)`,fieldPath=`.vdevs`,message="vdevs must all be of one type: the numbers of a mixture say nothing about either"
// +kubebuilder:validation:XValidation:rule=`self.vdevs.all(v, !has(v.ashift))`,fieldPath=`.vdevs`,message="vdevs have the pool's ashift: set pool.ashift",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.vdevs[0].type == 'stripe' || self.vdevs.all(v, v.devices.size() == self.vdevs[0].devices.size())`,fieldPath=`.vdevs`,message="vdevs must all have the same number of devices: the numbers of a mixture say nothing about either"
// +kubebuilder:validation:XValidation:rule=`!has(self.log) || self.log.all(v, v.type in ['stripe', 'mirror'])`,fieldPath=`.log`,message="log must be of type stripe or mirror: ZFS has no other intent log"
// +kubebuilder:validation:XValidation:rule=`!has(self.cache) || self.cache.all(v, v.type == 'stripe')`,fieldPath=`.cache`,message="cache must be of type stripe: ZFS has no redundant cache"
// +kubebuilder:validation:XValidation:rule=`for CLASS in special, dedup: !has(self.CLASS) || self.CLASS.all(v, v.type in ['stripe', 'mirror'] && losses(v) == losses(self.vdevs[0]))`,messageExpression=`'CLASS must survive the loss of as many devices as the data vdevs do: ' + vdevFor(losses(self.vdevs[0]))`,fieldPath=`.CLASS`,message="CLASS must be stripe or mirror and survive the loss of as many devices as the data vdevs do"
type PoolSpec struct {
	// ashift is the base-2 logarithm of the smallest block the pool writes: 9 is 512 B, 12 is 4 KiB. Default: what OpenZFS
	// finds for the disks.
	// +optional
	// +kubebuilder:validation:Minimum=9
	// +kubebuilder:validation:Maximum=16
	Ashift *int32 `json:"ashift,omitempty"`

	// vdevs are the top-level data vdevs; all of one type and width.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Vdevs []Vdev `json:"vdevs"`

	// log are separate intent log (SLOG) vdevs: stripe or mirror.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Log []Vdev `json:"log,omitempty"`

	// cache are L2ARC vdevs: stripe only.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Cache []Vdev `json:"cache,omitempty"`

	// special are vdevs for metadata and small blocks: stripe if the data vdevs are stripes, else a mirror that survives
	// the loss of as many devices as the data vdevs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Special []Vdev `json:"special,omitempty"`

	// dedup are vdevs for deduplication tables, as redundant as special.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Dedup []Vdev `json:"dedup,omitempty"`

	// spares are the names of hot spare devices.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Spares []string `json:"spares,omitempty"`

	// properties are pool properties, for example autotrim. Quote numbers, on and off: "512", "on".
	// +optional
	Properties PoolProperties `json:"properties,omitempty"`
}

// VdevType is how a vdev joins its devices.
//
// +kubebuilder:validation:Enum=stripe;mirror;raidz1;raidz2;raidz3;draid1;draid2;draid3
type VdevType string

// The vdev types. A stripe vdev of several devices is several single-device vdevs to OpenZFS.
const (
	VdevStripe VdevType = "stripe"
	VdevMirror VdevType = "mirror"
	VdevRaidz1 VdevType = "raidz1"
	VdevRaidz2 VdevType = "raidz2"
	VdevRaidz3 VdevType = "raidz3"
	VdevDraid1 VdevType = "draid1"
	VdevDraid2 VdevType = "draid2"
	VdevDraid3 VdevType = "draid3"
)

// Vdev is one vdev of a pool.
//
// +kubebuilder:validation:XValidation:rule=`self.devices.size() >= leastDevices`,messageExpression=`'devices must be at least ' + (leastDevices == 2 ? '2' : leastDevices == 3 ? '3' : '4') + ' for type ' + self.type`,fieldPath=`.devices`,message="devices are too few for the type"
// +kubebuilder:validation:XValidation:rule=`!has(self.draid) || self.type.startsWith('draid')`,fieldPath=`.draid`,message="draid is only for the types draid1, draid2 and draid3: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.draid) || self.devices.size() >= draidDevices`,fieldPath=`.draid`,message="draid needs as many devices as its data, parity and spares together: give the vdev more devices, or draid less data or spares"
type Vdev struct {
	// type is how the devices are joined.
	// +required
	Type VdevType `json:"type"`

	// devices are names from spec.devices: of devices, or of their partitions.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Devices []string `json:"devices"`

	// ashift of this vdev, only for log, cache, special or dedup, for disks whose sector size differs from the data disks.
	// Default: the pool's.
	// +optional
	// +kubebuilder:validation:Minimum=9
	// +kubebuilder:validation:Maximum=16
	Ashift *int32 `json:"ashift,omitempty"`

	// draid sets the group width and the distributed spares of a draid vdev.
	// +optional
	Draid *DraidSpec `json:"draid,omitempty"`
}

// DraidSpec is the geometry of a draid vdev beyond its parity.
type DraidSpec struct {
	// data is the number of data devices in each redundancy group. Default: OpenZFS's own, 8 or less.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Data *int32 `json:"data,omitempty"`

	// spares is the number of distributed hot spares.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	Spares int32 `json:"spares,omitempty"`
}
