// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// The names and values below are from OpenZFS 2.1 to 2.4 (module/zcommon/zfs_prop.c, zpool_prop.c,
// zfeature_common.c). The tables of internal/spec/property say the same for the runner, which has no API server; a test
// holds the two together.

// PropertyValue is the value of a pool or dataset property, as zpool and zfs take it. on, off and numbers need quotes
// in YAML.
//
// +kubebuilder:validation:MaxLength=64
type PropertyValue string

// PoolProperties are pool properties by name, limited to those that change what is measured: autotrim,
// dedup_table_quota and feature@NAME.
//
// +kubebuilder:validation:MaxProperties=32
// +kubebuilder:validation:XValidation:rule=`self.all(k, isPoolProperty(k))`,messageExpression=`self.filter(k, !isPoolProperty(k)).map(k, 'pool property ' + k + whyNoPoolProperty(k))[0]`,message="properties has a pool property that a benchmark cannot set",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.all(k, !k.startsWith('feature@') || k in features)`,messageExpression=`self.filter(k, k.startsWith('feature@') && !(k in features))[0] + ' is not a feature of OpenZFS 2.1 to 2.4'`,message="a feature@ property does not name a feature of OpenZFS 2.1 to 2.4",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`self.all(k, !k.startsWith('feature@') || self[k] in ['enabled', 'disabled'])`,messageExpression=`self.filter(k, k.startsWith('feature@') && !(self[k] in ['enabled', 'disabled']))[0] + ' must be enabled or disabled'`,message="a feature must be enabled or disabled"
// +kubebuilder:validation:XValidation:rule=`!('autotrim' in self) || self['autotrim'] in ['on', 'off']`,messageExpression=`MESSAGE + ', not ' + self['autotrim']`,message="autotrim must be on or off"
// +kubebuilder:validation:XValidation:rule=`!('dedup_table_quota' in self) || self['dedup_table_quota'].matches('^(none|auto|[1-9][0-9]{0,5}[KMGT]?)$')`,messageExpression=`MESSAGE + ', not ' + self['dedup_table_quota']`,message="dedup_table_quota must be none, auto or a size such as 512M"
type PoolProperties map[string]PropertyValue

// DatasetProperties are dataset properties by name, limited to those that change what is measured. The runner alone
// sets mountpoint, canmount and the like.
//
// +kubebuilder:validation:MaxProperties=32
// +kubebuilder:validation:XValidation:rule=`self.all(k, k in datasetProperties)`,messageExpression=`self.filter(k, !(k in datasetProperties)).map(k, 'dataset property ' + k + whyNoDatasetProperty(k))[0]`,message="properties has a dataset property that a benchmark cannot set",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule=`for NAME in atime, relatime, volthreading: !('NAME' in self) || self['NAME'] in ['on', 'off']`,messageExpression=`MESSAGE + ', not ' + self['NAME']`,message="NAME must be on or off"
// +kubebuilder:validation:XValidation:rule=`!('checksum' in self) || self['checksum'] in ['on', 'off', 'fletcher2', 'fletcher4', 'sha256', 'sha512', 'skein', 'edonr', 'blake3']`,messageExpression=`MESSAGE + ', not ' + self['checksum']`,message="checksum must be on, off, fletcher2, fletcher4, sha256, sha512, skein, edonr or blake3"
// +kubebuilder:validation:XValidation:rule=`!('compression' in self) || isCompression(self['compression'])`,messageExpression=`MESSAGE + ', not ' + self['compression']`,message="compression must be on, off, lz4, lzjb, zle, gzip, gzip-1 to gzip-9, zstd, zstd-1 to zstd-19, zstd-fast, or zstd-fast- with 1 to 10, 20, 30 to 100, 500 or 1000"
// +kubebuilder:validation:XValidation:rule=`!('copies' in self) || self['copies'] in ['1', '2', '3']`,messageExpression=`MESSAGE + ', not ' + self['copies']`,message="copies must be 1, 2 or 3"
// +kubebuilder:validation:XValidation:rule=`!('dedup' in self) || isDedup(self['dedup'])`,messageExpression=`MESSAGE + ', not ' + self['dedup']`,message="dedup must be on, off, verify, edonr,verify, or one of sha256, sha512, skein and blake3 with or without ,verify"
// +kubebuilder:validation:XValidation:rule=`!('direct' in self) || self['direct'] in ['disabled', 'standard', 'always']`,messageExpression=`MESSAGE + ', not ' + self['direct']`,message="direct must be disabled, standard or always"
// +kubebuilder:validation:XValidation:rule=`!('dnodesize' in self) || self['dnodesize'] in ['legacy', 'auto', '1k', '2k', '4k', '8k', '16k']`,messageExpression=`MESSAGE + ', not ' + self['dnodesize']`,message="dnodesize must be legacy, auto, 1k, 2k, 4k, 8k or 16k"
// +kubebuilder:validation:XValidation:rule=`!('logbias' in self) || self['logbias'] in ['latency', 'throughput']`,messageExpression=`MESSAGE + ', not ' + self['logbias']`,message="logbias must be latency or throughput"
// +kubebuilder:validation:XValidation:rule=`for NAME in prefetch, primarycache, secondarycache: !('NAME' in self) || self['NAME'] in ['all', 'none', 'metadata']`,messageExpression=`MESSAGE + ', not ' + self['NAME']`,message="NAME must be all, none or metadata"
// +kubebuilder:validation:XValidation:rule=`!('recordsize' in self) || isBlockSize(self['recordsize'])`,messageExpression=`MESSAGE + ', not ' + self['recordsize']`,message="recordsize must be a power of two from 512 to 16M, for example 128K"
// +kubebuilder:validation:XValidation:rule=`!('redundant_metadata' in self) || self['redundant_metadata'] in ['all', 'most', 'some', 'none']`,messageExpression=`MESSAGE + ', not ' + self['redundant_metadata']`,message="redundant_metadata must be all, most, some or none"
// +kubebuilder:validation:XValidation:rule=`!('special_small_blocks' in self) || self['special_small_blocks'] == '0' || isBlockSize(self['special_small_blocks'])`,messageExpression=`MESSAGE + ', not ' + self['special_small_blocks']`,message="special_small_blocks must be 0 or a power of two from 512 to 16M, for example 32K"
// +kubebuilder:validation:XValidation:rule=`!('sync' in self) || self['sync'] in ['standard', 'always', 'disabled']`,messageExpression=`MESSAGE + ', not ' + self['sync']`,message="sync must be standard, always or disabled"
// +kubebuilder:validation:XValidation:rule=`!('volblocksize' in self) || isBlockSize(self['volblocksize'])`,messageExpression=`MESSAGE + ', not ' + self['volblocksize']`,message="volblocksize must be a power of two from 512 to 16M, for example 16K"
// +kubebuilder:validation:XValidation:rule=`!('xattr' in self) || self['xattr'] in ['on', 'off', 'sa', 'dir']`,messageExpression=`MESSAGE + ', not ' + self['xattr']`,message="xattr must be on, off, sa or dir"
type DatasetProperties map[string]PropertyValue
