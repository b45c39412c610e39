// SPDX-License-Identifier: Apache-2.0

package result

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const claimDigest = "sha256:ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"

func TestClaimRequest(t *testing.T) {
	want := ClaimRequest{Version: Version, PlanDigest: claimDigest, Trial: 7, PoolTrial: 6, Want: ClaimDetached}
	data, err := EncodeClaimRequest(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeClaimRequest(data)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestClaimRequestRefuses(t *testing.T) {
	for name, change := range map[string]func(*ClaimRequest){
		"another version":  func(r *ClaimRequest) { r.Version = 2 },
		"no digest":        func(r *ClaimRequest) { r.PlanDigest = "x" },
		"a negative trial": func(r *ClaimRequest) { r.Trial = -1 },
		"an unknown wish":  func(r *ClaimRequest) { r.Want = "Everything" },
	} {
		t.Run(name, func(t *testing.T) {
			r := ClaimRequest{Version: Version, PlanDigest: claimDigest, Want: ClaimPresent}
			change(&r)
			var invalid *InvalidError
			if _, err := EncodeClaimRequest(r); !errors.As(err, &invalid) {
				t.Errorf("error %v, want %T", err, invalid)
			}
		})
	}
}

// What the driver says has no bound.
func TestClaimAnswerFits(t *testing.T) {
	answer := ClaimAnswer{
		Version: Version, Request: ClaimRequest{Version: Version, PlanDigest: claimDigest, Want: ClaimPresent},
		Message: "bad\x1b[31m" + strings.Repeat("x", 4096), PodUID: "pod",
		Facts: ClaimFacts{StorageClass: "zb-1", Dataset: "pool/bench/pvc-1"},
	}
	data, err := EncodeClaimAnswer(answer)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeClaimAnswer(data)
	if err != nil || len(got.Message) > 1024 || strings.Contains(got.Message, "\x1b") || got.Facts != answer.Facts ||
		got.Request != answer.Request {
		t.Errorf("error %v, answer %+v", err, got)
	}
}
