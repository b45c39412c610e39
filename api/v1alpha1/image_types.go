// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ImageReference names a container image with a tag or a digest. A digest makes sure that every node always gets the
// same image.
//
// +kubebuilder:validation:MaxLength=255
// +kubebuilder:validation:XValidation:rule=`isImageReference(self)`,message="must be a container image with a tag or a digest, for example registry.example/tools/sqlite:3.46 or registry.example/tools/sqlite@sha256: and 64 hexadecimal digits"
type ImageReference string
