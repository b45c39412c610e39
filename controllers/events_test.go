// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

func TestStatusEvents(t *testing.T) {
	status := func(kind string, value metav1.ConditionStatus, reason, message string) *v1alpha1.ZfsBenchmarkStatus {
		return &v1alpha1.ZfsBenchmarkStatus{Conditions: []metav1.Condition{{Type: kind, Status: value, Reason: reason,
			Message: message}}}
	}
	node := func(state, reason, message string) *v1alpha1.ZfsBenchmarkStatus {
		return &v1alpha1.ZfsBenchmarkStatus{Nodes: []v1alpha1.NodeStatus{{Name: "storage-0", State: state, Reason: reason,
			Message: message}, {Name: "storage-1"}}}
	}
	onlyNode := func(state string) *v1alpha1.ZfsBenchmarkStatus {
		return &v1alpha1.ZfsBenchmarkStatus{Nodes: []v1alpha1.NodeStatus{{Name: "storage-0", State: state}}}
	}
	ended := MakeBenchmark("", "").Condition("Running", "!Complete").Condition("Complete",
		"Complete").Condition("Finished", "Complete").Obj()
	deleting := MakeBenchmark("", "").Condition("Running", "!Deleting").Condition("Complete",
		"Complete").Condition("Finished", "Complete").Obj()
	const yes, no = metav1.ConditionTrue, metav1.ConditionFalse
	none := &v1alpha1.ZfsBenchmarkStatus{}
	tests := map[string]struct {
		before, after *v1alpha1.ZfsBenchmarkStatus
		want          []notice
	}{
		"nothing": {none, none, nil},
		"refused": {none, status("Accepted", no, "NoPolicy", "A."), []notice{{"Warning", "NoPolicy", "Accept", "A."}}},
		"accepted": {status("Accepted", no, "NoPolicy", "A."), status("Accepted", yes, "Accepted", "B."),
			[]notice{{"Normal", "Accepted", "Accept", "B."}}},
		"refused for another cause": {
			status("Accepted", no, "NoPolicy", "A."), status("Accepted", no, "NoPolicy", "B."),
			[]notice{{"Warning", "NoPolicy", "Accept", "B."}},
		},
		"queued": {none, status("Running", no, "Queued", "1st."),
			[]notice{{"Normal", "Queued", "Run", "1st."}}},
		"next in the queue": {status("Running", no, "Queued", "2nd."), status("Running", no, "Queued", "1st."), nil},
		"more trials done": {status("Running", yes, "Running", "1 of 2."), status("Running", yes, "Running", "2 of 2."),
			nil},
		"failed": {none, status("Failed", yes, "TimedOut", "A."),
			[]notice{{"Warning", "TimedOut", "Finish", "A."}}},
		"name conflict": {none, status("ResultsPublished", no, "NameConflict", "A."),
			[]notice{{"Warning", "NameConflict", "Publish", "A."}}},
		"the end, once": {status("Running", yes, "Running", "A."), &ended.Status,
			[]notice{{"Normal", "Complete", "Finish", ""}}},
		"deleted after the end": {&ended.Status, &deleting.Status, []notice{{"Normal", "Deleting", "Run", ""}}},
		"the only node failed":  {onlyNode("Running"), onlyNode("Failed"), nil},
		"node failed": {node("Running", "", ""), node("Failed", "NodeLost", "Gone."),
			[]notice{{"Warning", "NodeLost", "Run", "Node storage-0: Gone."}}},
		"node still failed": {node("Failed", "NodeLost", "Gone."), node("Failed", "NodeLost", "Gone."), nil},
		"node not cleaned": {node("Failed", "NodeLost", "A."), node("Failed", "CleanupFailed", "B."),
			[]notice{{"Warning", "CleanupFailed", "Run", "Node storage-0: B."}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, statusEvents(tt.before, tt.after), cmp.AllowUnexported(notice{})); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}
