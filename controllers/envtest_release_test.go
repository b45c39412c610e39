// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// Whatever a cache that is behind says, a node is not given back while a Job runs there or something is owned.
func TestReleaseLooksPastTheCache(t *testing.T) {
	tests := map[string]func(r *runner){
		"a Job runs": func(*runner) {},
		"something is owned": func(r *runner) {
			r.own()
			r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobFailed, "")
		},
		"nobody knows": func(r *runner) {
			r.report(result.StateRunning, nil)
			r.endJob(jobspec.RunJobName(r.run.Base()), batchv1.JobFailed, "")
		},
	}
	for name, prepare := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlay(t)
			node := p.node("storage-0", nil)
			b := p.create(MakeBenchmark(p.namespace, "files").Node(node.Name).Obj())
			prepare(p.runner(b, "storage-0"))
			other, _ := p.newReconciler()
			s, err := other.load(t.Context(), client.ObjectKeyFromObject(b))
			p.must(err)
			behind := &nodeRun{name: node.Name, uid: string(node.UID), lease: p.lease(node), ours: true}
			if err := other.release(t.Context(), s, behind); !errors.Is(err, errStale) {
				t.Errorf("release = %v, want %v", err, errStale)
			}
			if p.lease(node) == nil {
				t.Error("the node was given back")
			}
		})
	}
}
