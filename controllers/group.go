// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"zfsbench.io/operator/api/v1alpha1"
	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// groupRuns sorts a benchmark's objects by node and reads their documents.
func groupRuns(s *scope, documents []corev1.ConfigMap, jobs []batchv1.Job, pods []corev1.Pod) []*nodeRun {
	runs := map[string]*nodeRun{}
	var order []*nodeRun
	at := func(hash string) *nodeRun {
		if runs[hash] == nil {
			runs[hash] = &nodeRun{}
			order = append(order, runs[hash])
		}
		return runs[hash]
	}
	for _, node := range s.benchmark.Status.Nodes {
		n := at(jobspec.NodeHash(node.Name))
		n.name, n.uid = node.Name, node.UID
	}
	for i := range documents {
		n := at(documents[i].Labels[jobspec.LabelNodeHash])
		n.addDocument(&documents[i])
	}
	for i := range jobs {
		at(jobs[i].Labels[jobspec.LabelNodeHash]).addRunning(jobs[i:i+1], nil)
	}
	for i := range pods {
		at(pods[i].Labels[jobspec.LabelNodeHash]).addRunning(nil, pods[i:i+1])
	}
	for _, n := range order {
		n.readPlan(s)
		n.readReports()
		n.readClaim()
		n.connect(s)
	}
	return order
}

// addRunning adds Jobs and pods of the node.
func (n *nodeRun) addRunning(jobs []batchv1.Job, pods []corev1.Pod) {
	for i := range jobs {
		if jobs[i].Labels[jobspec.LabelComponent] == jobspec.ComponentCleanup {
			n.cleanup = &jobs[i]
		} else {
			n.job = &jobs[i]
		}
	}
	for i := range pods {
		if pods[i].Labels[jobspec.LabelComponent] == jobspec.ComponentImages {
			n.imagePod = &pods[i]
		} else {
			n.pods = append(n.pods, &pods[i])
		}
	}
}

// addDocument sorts a ConfigMap by its name alone. Runners may write anything into their ConfigMaps, including labels
// and a plan, but can neither rename nor create one.
func (n *nodeRun) addDocument(cm *corev1.ConfigMap) {
	switch {
	case jobspec.IsBaseName(cm.Name):
		n.planMap = cm
	case strings.HasSuffix(cm.Name, jobspec.ProgressName("")):
		n.progressMaps = append(n.progressMaps, cm)
	case strings.HasSuffix(cm.Name, jobspec.ClaimName("")):
		n.claimMaps = append(n.claimMaps, cm)
	default:
		n.shards = append(n.shards, cm)
	}
}

// connect looks up what the run shares with others: its node and the node's lease.
func (n *nodeRun) connect(s *scope) {
	n.findNode(s.nodes[n.name])
	if lease := s.leases[n.uid]; lease != nil {
		n.lease, n.ours = lease, leaseHolder(lease) == s.uid()
	}
	n.abandoned = slices.Contains(abandonedNodes(s.benchmark), n.name)
}

// findNode sets the Node object with the node's name. It may be a replacement with another UID; nil if there is none.
func (n *nodeRun) findNode(named *corev1.Node) {
	n.node, n.replacement = nil, nil
	switch {
	case named == nil:
	case n.uid == "" || n.uid == string(named.UID):
		n.node = named
	default:
		n.replacement = named
	}
}

// abandonedNodes are the nodes that the benchmark's annotation gives up.
func abandonedNodes(benchmark *v1alpha1.ZfsBenchmark) []string {
	var names []string
	for name := range strings.SplitSeq(benchmark.Annotations[v1alpha1.AnnotationAbandonNode], ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// readPlan reads back the plan that was made.
func (n *nodeRun) readPlan(s *scope) {
	if n.planMap == nil {
		return
	}
	run, err := s.cache.readRun(s.benchmark.UID, n.planMap)
	if err != nil {
		n.recordsError = err
		return
	}
	n.run = &run
	if n.uid == "" {
		n.name, n.uid = run.Plan.Node.Name, run.Plan.Node.UID
	}
	n.keepOwn()
}

// keepOwn drops ConfigMaps of other plans, and sorts the rest.
func (n *nodeRun) keepOwn() {
	for _, cm := range n.progressMaps {
		if cm.Name == jobspec.ProgressName(n.run.Base()) {
			n.progressMap = cm
		}
	}
	byName := map[string]*corev1.ConfigMap{}
	for _, cm := range n.shards {
		byName[cm.Name] = cm
	}
	n.shards = nil
	for _, want := range n.run.ResultsConfigMaps() {
		if cm := byName[want.Name]; cm != nil {
			n.shards = append(n.shards, cm)
		}
	}
}

// readReports reads the runner's own documents. If one cannot be read, the worst case is assumed.
func (n *nodeRun) readReports() {
	if n.progressMap == nil || n.run == nil {
		return
	}
	if text, ok := n.progressMap.Data[jobspec.KeyOwnership]; ok {
		n.owned = true
		owned, err := result.DecodeOwnership([]byte(text))
		if err == nil && owned.BenchmarkUID != n.run.Plan.Benchmark.UID {
			err = fmt.Errorf("it is about another benchmark, %s", owned.BenchmarkUID)
		}
		if err != nil {
			n.recordsError = fmt.Errorf("read %s of %s: %w", jobspec.KeyOwnership, n.progressMap.Name, err)
		}
		n.foundEmpty = err == nil && owned.Claim != nil && !owned.Claim.Keep
	}
	text, ok := n.progressMap.Data[jobspec.KeyProgress]
	if !ok {
		return
	}
	progress, err := result.DecodeProgress([]byte(text))
	if err == nil {
		err = checkProgress(n.run.Plan, n.run.Digest, progress)
	}
	if err != nil {
		n.recordsError = fmt.Errorf("read %s of %s: %w", jobspec.KeyProgress, n.progressMap.Name, err)
		return
	}
	n.progress = &progress
}
