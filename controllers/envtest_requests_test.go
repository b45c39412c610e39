// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"zfsbench.io/operator/api/v1alpha1"
)

// requestCount counts requests by what they are about.
type requestCount struct {
	lock  sync.Mutex
	lines []string
}

func (r *requestCount) of(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		r.lock.Lock()
		r.lines = append(r.lines, request.Method+" "+request.URL.Path)
		r.lock.Unlock()
		return next.RoundTrip(request)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// about counts the requests whose path names one of these. Deletions are not counted: they may follow the end. Neither
// are requests about the benchmark itself: chance decides how many changes of several nodes fit into one status.
func (r *requestCount) about(names ...string) int {
	r.lock.Lock()
	defer r.lock.Unlock()
	count := 0
	for _, line := range r.lines {
		if strings.HasPrefix(line, http.MethodDelete) {
			continue
		}
		for _, name := range names {
			if strings.Contains(line, "/"+name) {
				count++
				break
			}
		}
	}
	return count
}

// TestRequestsPerNode: each node of a benchmark costs the API server as many requests as a single one does.
func TestRequestsPerNode(t *testing.T) {
	run := func(t *testing.T, nodes ...string) map[string]int {
		t.Helper()
		p := newPlay(t)
		made := MakeBenchmark(p.namespace, "files").Repetitions(2)
		uids := map[string]types.UID{}
		for _, name := range nodes {
			node := p.node(name, nil)
			made.Node(node.Name)
			uids[name] = node.UID
		}
		b := p.create(made.Obj())
		var runners []*runner
		for _, name := range nodes {
			runners = append(runners, p.runner(b, name))
		}
		for i := range 2 {
			for _, r := range runners {
				r.trial(i)
			}
		}
		for _, r := range runners {
			r.complete()
		}
		p.waitCondition(b, v1alpha1.ConditionComplete, metav1.ConditionTrue, v1alpha1.ReasonComplete)
		counts := map[string]int{}
		for i, r := range runners {
			counts[nodes[i]] = p.requests.about(r.run.Base(), string(uids[nodes[i]]))
		}
		return counts
	}
	alone := run(t, "storage-0")["storage-0"]
	if alone < 8 {
		t.Fatalf("%d requests for one node: they are not counted", alone)
	}
	for name, count := range run(t, "storage-0", "storage-1", "storage-2") {
		if count != alone {
			t.Errorf("%s took %d requests, a node alone takes %d", name, count, alone)
		}
	}
}
