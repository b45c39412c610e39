// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zfsbench.io/operator/api/v1alpha1"
)

// The states of a node in status.nodes.
const (
	nodeWaiting   = "Waiting"
	nodeQueued    = "Queued"
	nodeRunning   = "Running"
	nodeSuspended = "Suspended"
	nodeComplete  = "Complete"
	nodeFailed    = "Failed"
)

// terminal means that the node's outcome is known and stays.
func terminal(state string) bool { return state == nodeComplete || state == nodeFailed }

// setAccepted says whether every node agrees to run the benchmark.
func (s *scope) setAccepted(ok bool, reason, message string) {
	s.setCondition(v1alpha1.ConditionAccepted, ok, reason, message)
}

// setRunning says whether a node runs trials; False with reason Queued names the position.
func (s *scope) setRunning(ok bool, reason, message string) {
	s.setCondition(v1alpha1.ConditionRunning, ok, reason, message)
}

// setFinished says that nothing more will happen, and when that was.
func (s *scope) setFinished(reason, message string) {
	s.setCondition(v1alpha1.ConditionFinished, true, reason, message)
	now := metav1.NewTime(s.now)
	s.status().CompletionTime = &now
}

// setComplete says that every trial has a result.
func (s *scope) setComplete(reason, message string) {
	s.setCondition(v1alpha1.ConditionComplete, true, reason, message)
}

// setFailed says that the benchmark ended without all of its results.
func (s *scope) setFailed(reason, message string) {
	s.setCondition(v1alpha1.ConditionFailed, true, reason, message)
}

// setPublished says whether the results ConfigMap holds the results.
func (s *scope) setPublished(ok bool, reason, message string) {
	s.setCondition(v1alpha1.ConditionResultsPublished, ok, reason, message)
}

func (s *scope) setCondition(kind string, ok bool, reason, message string) {
	value := metav1.ConditionFalse
	if ok {
		value = metav1.ConditionTrue
	}
	meta.SetStatusCondition(&s.status().Conditions, metav1.Condition{
		Type: kind, Status: value, Reason: reason, Message: message,
		ObservedGeneration: s.benchmark.Generation, LastTransitionTime: metav1.NewTime(s.now),
	})
}

func isTrue(status *v1alpha1.ZfsBenchmarkStatus, kind string) bool {
	return meta.IsStatusConditionTrue(status.Conditions, kind)
}

// phaseOf is the print column's summary of the conditions.
func phaseOf(status *v1alpha1.ZfsBenchmarkStatus) string {
	running := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionRunning)
	switch {
	case running != nil && running.Reason == v1alpha1.ReasonDeleting:
		return v1alpha1.PhaseDeleting
	case isTrue(status, v1alpha1.ConditionFailed):
		return v1alpha1.PhaseFailed
	case isTrue(status, v1alpha1.ConditionComplete):
		return v1alpha1.PhaseComplete
	case running != nil && running.Status == metav1.ConditionTrue:
		return v1alpha1.PhaseRunning
	case meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionAccepted):
		return v1alpha1.PhaseWaiting
	case running != nil && running.Reason == v1alpha1.ReasonQueued:
		return v1alpha1.PhaseQueued
	case running != nil && running.Reason == v1alpha1.ReasonSuspended:
		return v1alpha1.PhaseSuspended
	}
	return v1alpha1.PhasePending
}

// nodesColumn shortens the nodes for a print column: the first one, and how many more.
func nodesColumn(nodes []v1alpha1.NodeStatus) string {
	switch len(nodes) {
	case 0:
		return ""
	case 1:
		return nodes[0].Name
	}
	return fmt.Sprintf("%s +%d", nodes[0].Name, len(nodes)-1)
}

// dryRunColumn stands for the progress of a dry run, which has no trials.
const dryRunColumn = "dry run"

// progressColumn counts the trials that are done, for example "4/10 (45%)" or, with one that failed, "10/10 (1
// failed)".
func progressColumn(p v1alpha1.Progress) string {
	var remarks []string
	if p.Trials.Failed > 0 {
		remarks = append(remarks, fmt.Sprintf("%d failed", p.Trials.Failed))
	}
	done := p.Trials.Completed + p.Trials.Failed
	if done < p.Trials.Total && p.Percent > 0 {
		remarks = append(remarks, fmt.Sprintf("%d%%", p.Percent))
	}
	text := fmt.Sprintf("%d/%d", done, p.Trials.Total)
	if len(remarks) > 0 {
		text += " (" + strings.Join(remarks, ", ") + ")"
	}
	return text
}

// etaColumn is the time of day in UTC, with the date when that is another day.
func etaColumn(eta *metav1.Time, now time.Time) string {
	if eta == nil {
		return ""
	}
	at, today := eta.UTC(), now.UTC()
	if at.YearDay() == today.YearDay() && at.Year() == today.Year() {
		return at.Format("15:04 UTC")
	}
	return at.Format("Jan 2 15:04 UTC")
}

// maxMessage and maxNote bound, in bytes, the messages of conditions and the notes of events; the API allows 32768
// and 1024.
const (
	maxMessage = 8000
	maxNote    = 1000
)

// sentence makes a text fit for a condition: one line, valid UTF-8, limited in length, and without terminal control
// characters. Texts of pods and runners are not trusted.
func sentence(text string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(text, "?"))
	return clip(strings.Join(strings.Fields(printable), " "), maxMessage)
}

// clip shortens a text to limit bytes, between characters, and marks the cut with an ellipsis.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " …"
}
