// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"slices"
)

// The states that a runner can request for the volume that the manager claims for it.
const (
	// ClaimPresent is a volume with a pod that has it mounted.
	ClaimPresent = "Present"
	// ClaimDetached is the volume without the pod, so that nothing on the node uses it.
	ClaimDetached = "Detached"
	// ClaimAbsent is without claim, volume and pod.
	ClaimAbsent = "Absent"
	// ClaimKept is like ClaimAbsent, but keeps the volume, if there is one: it may hold data that is not the benchmark's.
	ClaimKept = "Kept"
)

// HeldDirectory and HeldDevice are where the pod has the volume.
const (
	HeldDirectory = "/zfsbench-volume"
	HeldDevice    = "/dev/zfsbench-volume"
)

// ClaimRequest is what a runner asks the manager for. It names no object: the manager builds everything from the plan.
type ClaimRequest struct {
	Version    int    `json:"version"`
	PlanDigest string `json:"planDigest"`
	// Trial is the index of the trial that the volume is for, PoolTrial the index of the trial that made the pool.
	Trial     int `json:"trial"`
	PoolTrial int `json:"poolTrial"`
	// Want is ClaimPresent, ClaimDetached, ClaimAbsent or ClaimKept.
	Want string `json:"want"`
}

// ClaimAnswer is the state of a request.
type ClaimAnswer struct {
	Version int `json:"version"`
	// Request is the request that this answers.
	Request ClaimRequest `json:"request"`
	// Ready says that the requested state is reached.
	Ready bool `json:"ready"`
	// Refused says that the request is denied, or that its result is lost: Message says why. It is the last answer to a
	// request.
	Refused bool `json:"refused,omitempty"`
	// Message says in a sentence what the manager waits for, with the driver's message.
	Message string `json:"message,omitempty" bound:"1024"`
	// Facts are the known facts of the volume.
	Facts ClaimFacts `json:"facts,omitzero"`
	// PodUID is the UID of the pod that has the volume mounted; empty if there is none.
	PodUID string `json:"podUID,omitempty"`
}

// ClaimFacts identify a volume that was claimed.
type ClaimFacts struct {
	StorageClass string `json:"storageClass,omitempty"`
	// Driver is the CSI driver's name, Volume the PersistentVolume's, which for zfs-localpv is also the ZFSVolume's name.
	Driver string `json:"driver,omitempty"`
	Volume string `json:"volume,omitempty"`
	// Dataset is the full name of the dataset that the driver has made in the benchmark's own pool; empty for an existing
	// StorageClass.
	Dataset string `json:"dataset,omitempty" bound:"512"`
}

// EncodeClaimRequest writes a request as JSON. Errors: *InvalidError, *SizeError.
func EncodeClaimRequest(r ClaimRequest) ([]byte, error) {
	if err := checkClaimRequest(r); err != nil {
		return nil, err
	}
	return encode("claim request", r)
}

// DecodeClaimRequest reads what EncodeClaimRequest writes, from a source that is not trusted. Errors: *SizeError,
// *FormatError, *InvalidError.
func DecodeClaimRequest(data []byte) (ClaimRequest, error) {
	var r ClaimRequest
	if err := decode("claim request", data, MaxDocumentBytes, &r); err != nil {
		return ClaimRequest{}, err
	}
	if err := checkClaimRequest(r); err != nil {
		return ClaimRequest{}, err
	}
	return r, nil
}

func checkClaimRequest(r ClaimRequest) error {
	if err := checkDocument("claim request", r.Version, r.PlanDigest, &r); err != nil {
		return err
	}
	if wants := []string{ClaimPresent, ClaimDetached, ClaimAbsent, ClaimKept}; !slices.Contains(wants, r.Want) {
		return &InvalidError{Document: "claim request", Field: "want",
			Problem: fmt.Sprintf("%q is none of %v", r.Want, wants)}
	}
	return nil
}

// EncodeClaimAnswer writes an answer as JSON; a message that does not fit is cut. Errors: *InvalidError, *SizeError.
func EncodeClaimAnswer(a ClaimAnswer) ([]byte, error) {
	var fit ClaimAnswer
	if err := repaired("claim answer", a, &fit); err != nil {
		return nil, err
	}
	return encode("claim answer", fit)
}

// DecodeClaimAnswer reads what EncodeClaimAnswer writes. Errors: *SizeError, *FormatError, *InvalidError.
func DecodeClaimAnswer(data []byte) (ClaimAnswer, error) {
	var a ClaimAnswer
	if err := decode("claim answer", data, MaxDocumentBytes, &a); err != nil {
		return ClaimAnswer{}, err
	}
	if err := checkDocument("claim answer", a.Version, a.Request.PlanDigest, &a); err != nil {
		return ClaimAnswer{}, err
	}
	return a, nil
}
