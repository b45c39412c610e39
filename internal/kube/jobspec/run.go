// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"zfsbench.io/operator/internal/plan"
)

// Run is one plan on its node: the input for building the objects in the runner namespace.
type Run struct {
	// Namespace is the runner namespace.
	Namespace string
	Plan      plan.Plan
	// PlanJSON is the plan's canonical text, and Digest its digest.
	PlanJSON string
	Digest   string
	// Shards is the number of results ConfigMaps.
	Shards int
	// Grace is how long a runner may take to tear down after SIGTERM.
	Grace time.Duration
	// PlanUID is the UID of the plan ConfigMap, which owns all the other objects; empty until that exists.
	PlanUID types.UID
}

// WrongPlanError says that a ConfigMap does not hold the plan that its name was made from.
type WrongPlanError struct{ Name, Base string }

func (e *WrongPlanError) Error() string {
	return fmt.Sprintf("ConfigMap %s contains a different plan, which belongs to %s", e.Name, e.Base)
}

// NewRun makes the run of a new plan.
func NewRun(namespace string, p plan.Plan) Run {
	return Run{
		Namespace: namespace,
		Plan:      p,
		PlanJSON:  string(plan.Encode(p)),
		Digest:    plan.Digest(p),
		Shards:    plan.ResultsShards(p),
		Grace:     plan.GracePeriod(p),
	}
}

// ReadRun reads a run from its plan ConfigMap. The digest is computed from the stored text, which may differ from what
// this build would write. Errors: of plan.Decode, *WrongPlanError.
func ReadRun(cm *corev1.ConfigMap) (Run, error) {
	text := cm.Data[KeyPlan]
	p, err := plan.Decode(strings.NewReader(text))
	if err != nil {
		return Run{}, fmt.Errorf("read plan %s: %w", cm.Name, err)
	}
	sum := sha256.Sum256([]byte(text))
	r := NewRun(cm.Namespace, p)
	r.PlanJSON, r.Digest, r.PlanUID = text, "sha256:"+hex.EncodeToString(sum[:]), cm.UID
	if r.Base() != cm.Name {
		return Run{}, fmt.Errorf("read plan: %w", &WrongPlanError{Name: cm.Name, Base: r.Base()})
	}
	return r, nil
}

// Base is the prefix of the names of all objects of the run.
func (r Run) Base() string { return BaseName(r.Plan.Benchmark.UID, r.Plan.Node.Name, r.Digest) }

func (r Run) labels() map[string]string { return Labels(r.Plan.Benchmark.UID, r.Plan.Node.Name) }

// meta is the metadata of an object that the plan ConfigMap owns. The owner reference blocks: when the plan is deleted
// in the foreground, the plan is deleted last.
func (r Run) meta(name string) metav1.ObjectMeta {
	return ownedMeta(r.Namespace, name, r.labels(), r.Base(), r.PlanUID)
}

// ownedMeta is the metadata of an object that a ConfigMap of its namespace owns.
func ownedMeta(namespace, name string, labels map[string]string, owner string, uid types.UID) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:      name,
		Namespace: namespace,
		Labels:    labels,
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion:         corev1.SchemeGroupVersion.String(),
			Kind:               "ConfigMap",
			Name:               owner,
			UID:                uid,
			Controller:         ptr.To(true),
			BlockOwnerDeletion: ptr.To(true),
		}},
	}
}
