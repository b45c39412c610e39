// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// MatrixSpec says what to vary. Its variants are all combinations of one value of each axis, without the ones that
// exclude matches, and the variants of include.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.axes) && size(self.axes) > 0) || (has(self.include) && size(self.include) > 0)`,message="matrix must have an axis or an included variant"
// +kubebuilder:validation:XValidation:rule=`!has(self.axes) || (has(self.exclude) && size(self.exclude) > 0) || [axisSizes].all(n, product(n) + (has(self.include) ? size(self.include) : 0) <= 1024)`,message="matrix makes too many variants, at most 1024 are allowed: give the axes fewer values, or exclude combinations"
// +kubebuilder:validation:XValidation:rule=`!has(self.axes) || !has(self.exclude) || size(self.exclude) == 0 || [axisSizes].all(n, product(n) <= 65536)`,message="axes make too many combinations: at most 65536 are allowed before exclude applies; give the axes fewer values"
// +kubebuilder:validation:XValidation:rule=`!has(self.exclude) || self.exclude.all(e, e.all(k, has(self.axes) && self.axes.exists(a, a.name == k)))`,fieldPath=`.exclude`,message="exclude names an axis which the matrix does not have"
type MatrixSpec struct {
	// axes are what is varied, the first one slowest. A variant is named after its values, for example
	// layout=mirror,recordsize=128K.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Axes []Axis `json:"axes,omitempty"`

	// exclude leaves out every variant that has all the values of one of these entries, by axis: {layout: stripe,
	// recordsize: 1M}.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Exclude []AxisSelection `json:"exclude,omitempty"`

	// include adds variants that are not combinations of the axes: the benchmark's own pool, dataset and module parameters
	// with these changes. One of them may equal another variant, to test that the comparison finds no difference where
	// there is none.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Include []Overlay `json:"include,omitempty"`
}

// Axis is one thing that varies; exactly one of values and propertyValues is set.
//
// +kubebuilder:validation:XValidation:rule=`has(self.values) != has(self.propertyValues)`,message="exactly one of values and propertyValues must be set"
// +kubebuilder:validation:XValidation:rule=`has(self.property) == has(self.propertyValues)`,message="property and propertyValues belong together: set both or neither"
type Axis struct {
	// name of the axis, part of the names of variants.
	// +required
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule=`isDNSLabel(self)`,message="name becomes part of the names of variants: it must be lower-case letters, digits and '-', with a letter or digit at both ends, for example layout"
	Name string `json:"name"`

	// values are changes to the benchmark's pool, dataset and module parameters.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Values []Overlay `json:"values,omitempty"`

	// property is the name of the property that varies: layout, which needs pool.devices, ashift, or a pool or dataset
	// property that a benchmark may set, for example recordsize.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z_]+(@[a-z0-9_]+)?$')`,message="property must be the name of a property, for example recordsize"
	Property string `json:"property,omitempty"`

	// propertyValues are the values of the property, and also their names. Use values, with a name, for a value that
	// contains ',' or '='. Quote numbers, on and off, which YAML would not read as text: ["512", 16M] or ["on", "off"].
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	PropertyValues []AxisValueName `json:"propertyValues,omitempty"`
}

// AxisValueName is the name of a value of an axis.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule=`self.matches('^[A-Za-z0-9]([-A-Za-z0-9._+]*[A-Za-z0-9])?$')`,message="name becomes part of the names of variants: it must be letters, digits, '-', '.', '_' and '+', with a letter or digit at both ends, for example 128K"
type AxisValueName string

// AxisSelection names one value for some of the axes.
//
// +kubebuilder:validation:MinProperties=1
// +kubebuilder:validation:MaxProperties=8
type AxisSelection map[string]AxisValueName

// Overlay is a change to the benchmark's pool, dataset and module parameters: what it sets replaces what was there,
// lists as a whole; maps are merged.
type Overlay struct {
	// name of the value, or of the variant.
	// +required
	Name AxisValueName `json:"name"`

	// pool is what changes of the pool.
	// +optional
	Pool *PoolOverlay `json:"pool,omitempty"`

	// dataset is what changes of the dataset.
	// +optional
	Dataset *DatasetOverlay `json:"dataset,omitempty"`

	// moduleParameters are parameters of OpenZFS's kernel modules. Quote numbers: "5".
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	ModuleParameters map[string]ModuleParameterValue `json:"moduleParameters,omitempty"`
}

// The types of overlays repeat the types of the spec without their rules, which apply to the variant as a whole. The
// rules would also cost too much, because each type can be there so often.

// PoolOverlay is what changes of a pool; an empty list removes what was there. vdevs replace the layout of the
// benchmark's pool, with its width, devices and draid; each of these replaces its vdevs.
type PoolOverlay struct {
	// ashift of the pool.
	// +optional
	// +kubebuilder:validation:Minimum=9
	// +kubebuilder:validation:Maximum=16
	Ashift *int32 `json:"ashift,omitempty"`

	// vdevs are the top-level data vdevs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Vdevs []VdevOverlay `json:"vdevs,omitzero"`

	// layout makes the data vdevs from devices. A width of the benchmark's pool does not apply to Stripe, and its draid
	// only to Draid1, Draid2 and Draid3.
	// +optional
	Layout PoolLayout `json:"layout,omitempty"`

	// width is the number of devices in each vdev of a layout.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Width *int32 `json:"width,omitempty"`

	// devices of a layout are names from spec.devices.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Devices []string `json:"devices,omitzero"`

	// draid sets the group width and the distributed spares of each vdev of a draid layout.
	// +optional
	Draid *DraidSpec `json:"draid,omitempty"`

	// log are separate intent log (SLOG) vdevs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Log []VdevOverlay `json:"log,omitzero"`

	// cache are L2ARC vdevs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Cache []VdevOverlay `json:"cache,omitzero"`

	// special are vdevs for metadata and small blocks.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Special []VdevOverlay `json:"special,omitzero"`

	// dedup are vdevs for deduplication tables.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Dedup []VdevOverlay `json:"dedup,omitzero"`

	// spares are the names of hot spare devices.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Spares []string `json:"spares,omitzero"`

	// properties are pool properties. Quote numbers, on and off: "512", "on".
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Properties map[string]OverlayProperty `json:"properties,omitempty"`
}

// VdevOverlay is a vdev of an overlay.
type VdevOverlay struct {
	// type is how the devices are joined.
	// +required
	Type VdevType `json:"type"`

	// devices are names from spec.devices.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Devices []string `json:"devices"`

	// ashift of this vdev, if it is one of log, cache, special or dedup.
	// +optional
	// +kubebuilder:validation:Minimum=9
	// +kubebuilder:validation:Maximum=16
	Ashift *int32 `json:"ashift,omitempty"`

	// draid sets the group width and the distributed spares of a draid vdev.
	// +optional
	Draid *DraidSpec `json:"draid,omitempty"`
}

// DatasetOverlay is what changes of a dataset.
type DatasetOverlay struct {
	// type is Filesystem, Volume or PersistentVolume. If it changes the type, the volume, persistentVolume, quota and
	// children of the benchmark's dataset no longer apply.
	// +optional
	Type DatasetType `json:"type,omitempty"`

	// volume is a zvol.
	// +optional
	Volume *VolumeOverlay `json:"volume,omitempty"`

	// persistentVolume is a claim to a volume of the CSI driver zfs-localpv.
	// +optional
	PersistentVolume *PersistentVolumeOverlay `json:"persistentVolume,omitempty"`

	// quota limits the size of a filesystem.
	// +optional
	Quota *QuotaOverlay `json:"quota,omitempty"`

	// properties are dataset properties. Quote numbers, on and off: "512", "on".
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Properties map[string]OverlayProperty `json:"properties,omitempty"`

	// children are further filesystems below the dataset; an empty list removes what was there.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Children []ChildOverlay `json:"children,omitzero"`
}

// ChildOverlay is a child of an overlay.
type ChildOverlay struct {
	// name of the child.
	// +required
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^[a-z][a-z0-9]*$`
	Name string `json:"name"`

	// properties are dataset properties. Quote numbers, on and off: "512", "on".
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	Properties map[string]OverlayProperty `json:"properties,omitempty"`
}

// VolumeOverlay is the zvol of an overlay.
type VolumeOverlay struct {
	// size of the volume, as a string with a unit, for example 8Gi.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[0-9]{1,15}([kMGT]|[KMGT]i)?$`
	Size resource.Quantity `json:"size"`

	// sparse makes a volume without a reservation.
	// +optional
	Sparse bool `json:"sparse,omitempty"`

	// filesystem is made on the volume and mounted for the workload alone.
	// +optional
	Filesystem *FilesystemSpec `json:"filesystem,omitempty"`
}

// PersistentVolumeOverlay is the claim of an overlay.
type PersistentVolumeOverlay struct {
	// size of the claim, as a string with a unit, for example 8Gi.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[0-9]{1,15}([kMGT]|[KMGT]i)?$`
	Size resource.Quantity `json:"size"`

	// sparse makes a volume without a reservation.
	// +optional
	Sparse bool `json:"sparse,omitempty"`

	// fsType is the filesystem that the driver makes, or zfs for a dataset.
	// +optional
	FSType PersistentVolumeFSType `json:"fsType,omitempty"`

	// volumeMode is Filesystem or Block.
	// +optional
	VolumeMode VolumeMode `json:"volumeMode,omitempty"`
}

// QuotaOverlay is the quota of an overlay.
type QuotaOverlay struct {
	// size is the most that the filesystem may hold, as a string with a unit, for example 8Gi.
	// +required
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=24
	// +kubebuilder:validation:Pattern=`^[0-9]{1,15}([kMGT]|[KMGT]i)?$`
	Size resource.Quantity `json:"size"`

	// sparse does not reserve this space in the pool. Default: false.
	// +optional
	Sparse bool `json:"sparse,omitempty"`
}

// OverlayProperty is the value of a property of an overlay.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(,verify)?$`
type OverlayProperty string
