// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// PoolSpec is the layout and the properties of a pool. Its data vdevs are listed in vdevs, or made by layout from
// devices. Nothing that `zpool create` accepts only with -f is allowed.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.vdevs) || !(has(self.layout) || has(self.width) || has(self.devices) || has(self.draid))`,message="exactly one of vdevs and layout must be set: layout, width, devices and draid make the vdevs, so remove them or vdevs",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.layout) || has(self.devices)`,fieldPath=`.devices`,message="devices is required with layout: name the devices of the data vdevs",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule=`!isLayout || self.devices.size() >= leastDevices(self.layout)`,messageExpression=`'devices must be at least ' + countText(leastDevices(self.layout)) + ' for layout ' + self.layout`,fieldPath=`.devices`,message="devices are too few for the layout"
// +kubebuilder:validation:XValidation:rule=`!isLayout || !has(self.width) || self.width >= leastDevices(self.layout)`,messageExpression=`'width must be at least ' + countText(leastDevices(self.layout)) + ' for layout ' + self.layout`,fieldPath=`.width`,message="width is too small for the layout"
// +kubebuilder:validation:XValidation:rule=`!isLayout || self.layout != 'Stripe' || !has(self.width) || self.width == 1`,fieldPath=`.width`,message="width must be 1 for layout Stripe, in which every device is a vdev: remove it"
// +kubebuilder:validation:XValidation:rule=`!isLayout || self.devices.size() < leastDevices(self.layout) || self.devices.size() % layoutWidth == 0`,messageExpression=`numberText(self.devices.size()) + ' devices do not divide into ' + (self.layout == 'Mirror' ? 'mirrors' : self.layout.lowerAscii() + ' vdevs') + ' of width ' + numberText(layoutWidth) + ': use ' + countsThatDivide`,fieldPath=`.devices`,message="devices do not divide into vdevs of this width"
// +kubebuilder:validation:XValidation:rule=`!has(self.draid) || !has(self.layout) || self.layout.startsWith('Draid')`,fieldPath=`.draid`,message="draid is only for the layouts Draid1, Draid2 and Draid3: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.draid) || !isLayout || !self.layout.startsWith('Draid') || layoutWidth >= draidDevices(self.layout)`,fieldPath=`.draid`,message="draid needs as many devices as its data, parity and spares together: give the vdevs more devices, or draid less data or spares"
// +kubebuilder:validation:XValidation:rule=`!has(self.vdevs) || self.vdevs.all(v, v.type == self.vdevs[0].type)`,fieldPath=`.vdevs`,message="vdevs must all be of one type: the numbers of a mixture say nothing about either"
// +kubebuilder:validation:XValidation:rule=`!has(self.vdevs) || self.vdevs.all(v, !has(v.ashift))`,fieldPath=`.vdevs`,message="vdevs have the pool's ashift: set pool.ashift",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.vdevs) || self.vdevs[0].type == 'stripe' || self.vdevs.all(v, v.devices.size() == self.vdevs[0].devices.size())`,fieldPath=`.vdevs`,message="vdevs must all have the same number of devices: the numbers of a mixture say nothing about either"
// +kubebuilder:validation:XValidation:rule=`!has(self.log) || self.log.all(v, v.type in ['stripe', 'mirror'])`,fieldPath=`.log`,message="log must be of type stripe or mirror: ZFS has no other intent log"
// +kubebuilder:validation:XValidation:rule=`!has(self.cache) || self.cache.all(v, v.type == 'stripe')`,fieldPath=`.cache`,message="cache must be of type stripe: ZFS has no redundant cache"
// +kubebuilder:validation:XValidation:rule=`for CLASS in special, dedup: !has(self.CLASS) || !(has(self.vdevs) || isLayout) || self.CLASS.all(v, v.type in ['stripe', 'mirror'] && losses(v) == dataLosses)`,messageExpression=`'CLASS must survive the loss of as many devices as the data vdevs do: ' + vdevFor(dataLosses)`,fieldPath=`.CLASS`,message="CLASS must be stripe or mirror and survive the loss of as many devices as the data vdevs do"
type PoolSpec struct {
	// ashift is the base-2 logarithm of the smallest block the pool writes: 9 is 512 B, 12 is 4 KiB. Default: what OpenZFS
	// finds for the disks.
	// +optional
	// +kubebuilder:validation:Minimum=9
	// +kubebuilder:validation:Maximum=16
	Ashift *int32 `json:"ashift,omitempty"`

	// vdevs are the top-level data vdevs; all of one type and width. Exactly one of vdevs and layout is set.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Vdevs []Vdev `json:"vdevs,omitempty"`

	// layout makes the data vdevs from devices: a short form of vdevs. Plan and report show the vdevs. It may be left out
	// if the matrix sets it.
	// +optional
	Layout PoolLayout `json:"layout,omitempty"`

	// width is the number of devices in each vdev of a layout. The number of devices must be a multiple of it. Default:
	// 2 for Mirror, 1 for Stripe, and all devices in one vdev for Raidz and Draid.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Width *int32 `json:"width,omitempty"`

	// devices of a layout are names from spec.devices: of devices, or of their partitions. The first ones make the first
	// vdev.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Devices []string `json:"devices,omitempty"`

	// draid sets the group width and the distributed spares of each vdev of the layouts Draid1, Draid2 and Draid3.
	// +optional
	Draid *DraidSpec `json:"draid,omitempty"`

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

// PoolLayout is how the devices of a pool make vdevs, all of one type and width.
//
// +kubebuilder:validation:Enum=Stripe;Mirror;Raidz1;Raidz2;Raidz3;Draid1;Draid2;Draid3
type PoolLayout string

// The layouts. Each is the type of its vdevs, in lower case.
const (
	LayoutStripe PoolLayout = "Stripe"
	LayoutMirror PoolLayout = "Mirror"
	LayoutRaidz1 PoolLayout = "Raidz1"
	LayoutRaidz2 PoolLayout = "Raidz2"
	LayoutRaidz3 PoolLayout = "Raidz3"
	LayoutDraid1 PoolLayout = "Draid1"
	LayoutDraid2 PoolLayout = "Draid2"
	LayoutDraid3 PoolLayout = "Draid3"
)

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
// +kubebuilder:validation:XValidation:rule=`self.devices.size() >= leastDevices(self.type)`,messageExpression=`'devices must be at least ' + countText(leastDevices(self.type)) + ' for type ' + self.type`,fieldPath=`.devices`,message="devices are too few for the type"
// +kubebuilder:validation:XValidation:rule=`!has(self.draid) || self.type.startsWith('draid')`,fieldPath=`.draid`,message="draid is only for the types draid1, draid2 and draid3: remove it",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`!has(self.draid) || self.devices.size() >= draidDevices(self.type)`,fieldPath=`.draid`,message="draid needs as many devices as its data, parity and spares together: give the vdev more devices, or draid less data or spares"
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
