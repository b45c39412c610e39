// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ImageReference names a container image exactly: with a tag or, so that it is the same image on every node and every
// day, a digest.
//
// +kubebuilder:validation:MaxLength=255
// +kubebuilder:validation:XValidation:rule=`self.matches('^([a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})$')`,message="must be a container image with a tag or a digest, for example registry.example/tools/sqlite:3.46 or registry.example/tools/sqlite@sha256: and 64 hexadecimal digits"
type ImageReference string
