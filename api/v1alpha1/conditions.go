// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// The condition types of a ZfsBenchmark.
const (
	// ConditionAccepted is True once every node agrees to run the benchmark. False waits (for consent, a node, a
	// driver), unless the reason is InvalidSpec: then the benchmark has failed.
	ConditionAccepted = "Accepted"
	// ConditionRunning is True while a node runs trials; False with reason Queued names the benchmark that it waits
	// behind.
	ConditionRunning = "Running"
	// ConditionFinished is True when nothing more will happen, whatever the outcome.
	ConditionFinished = "Finished"
	// ConditionComplete is True when every trial has a result.
	ConditionComplete = "Complete"
	// ConditionFailed is True when the benchmark ended without all of its results; reason and message say why.
	ConditionFailed = "Failed"
	// ConditionConverged says, once a benchmark with repetitions.max is complete, whether its results are as certain
	// as targetRelativeError asks; False means that all max repetitions were not enough.
	ConditionConverged = "Converged"
	// ConditionThresholdsMet says, once a benchmark with thresholds has finished, whether it is complete and meets all
	// of them. A benchmark without thresholds does not have it.
	ConditionThresholdsMet = "ThresholdsMet"
	// The conditions below are True when numbers may mislead; the message says which, and what would help.

	// ConditionServedFromCache: a workload read most of its data from a cache.
	ConditionServedFromCache = "ServedFromCache"
	// ConditionTooShort: a workload wrote so little that it may have ended in memory.
	ConditionTooShort = "TooShort"
	// ConditionDataNotRandom: data was compressed or deduplicated, so that the devices saw less than the workload.
	ConditionDataNotRandom = "DataNotRandom"
	// ConditionDirectIgnored: a workload asked for O_DIRECT, and most of its I/O went through the ARC.
	ConditionDirectIgnored = "DirectIgnored"
	// ConditionDepthIgnored: a workload asked for several I/Os in flight, and ZFS took them one by one.
	ConditionDepthIgnored = "DepthIgnored"
	// ConditionSyncDisabled: writes were reported as being on stable storage, but were not.
	ConditionSyncDisabled = "SyncDisabled"
	// ConditionPartialRecords: random I/O was smaller than the record.
	ConditionPartialRecords = "PartialRecords"
	// ConditionFileVdevs: the pool was on files.
	ConditionFileVdevs = "FileVdevs"
	// ConditionNotSteady: a workload that is repeated until it is steady was not, after as many rounds as it may have.
	ConditionNotSteady = "NotSteady"
	// ConditionNodeNotQuiet: while a workload ran, other processes kept the node busy.
	ConditionNodeNotQuiet = "NodeNotQuiet"
	// ConditionDrift: the reference variant, or the only one, became faster or slower in the course of the benchmark.
	ConditionDrift = "Drift"
	// ConditionResultsPublished is False when the results ConfigMap could not be written; the numbers are in status
	// nevertheless.
	ConditionResultsPublished = "ResultsPublished"
)

// The reasons of conditions and events.
const (
	ReasonAccepted          = "Accepted"
	ReasonInvalidSpec       = "InvalidSpec"
	ReasonTooManyNodes      = "TooManyNodes"
	ReasonTooManyTrials     = "TooManyTrials"
	ReasonNodeNotFound      = "NodeNotFound"
	ReasonNodeNotReady      = "NodeNotReady"
	ReasonNodeNotAllowed    = "NodeNotAllowed"
	ReasonNoPolicy          = "NoPolicy"
	ReasonPolicyMismatch    = "PolicyMismatch"
	ReasonTooFewDisks       = "TooFewDisks"
	ReasonPolicyRevoked     = "PolicyRevoked"
	ReasonNameConflict      = "NameConflict"
	ReasonDriverNotReady    = "DriverNotReady"
	ReasonClaimNotReady     = "ClaimNotReady"
	ReasonDiskIsVolume      = "DiskIsVolume"
	ReasonQueued            = "Queued"
	ReasonStarting          = "Starting"
	ReasonRunning           = "Running"
	ReasonSuspended         = "Suspended"
	ReasonComplete          = "Complete"
	ReasonDryRunPassed      = "DryRunPassed"
	ReasonDeviceRefused     = "DeviceRefused"
	ReasonPreflightFailed   = "PreflightFailed"
	ReasonWorkloadFailed    = "WorkloadFailed"
	ReasonPoolFailed        = "PoolFailed"
	ReasonBaselineFailed    = "BaselineFailed"
	ReasonClaimFailed       = "ClaimFailed"
	ReasonPoolSuspended     = "PoolSuspended"
	ReasonPoolNotOnline     = "PoolNotOnline"
	ReasonPoolBusy          = "PoolBusy"
	ReasonVdevErrors        = "VdevErrors"
	ReasonTimedOut          = "TimedOut"
	ReasonRunnerFailed      = "RunnerFailed"
	ReasonCleanupFailed     = "CleanupFailed"
	ReasonInterrupted       = "Interrupted"
	ReasonResultsUnreadable = "ResultsUnreadable"
	ReasonDeleting          = "Deleting"
	ReasonNodeLost          = "NodeLost"
	ReasonNodeAbandoned     = "NodeAbandoned"
	ReasonDeviceGone        = "DeviceGone"
	// ReasonVolumeKept is the reason of an event about a claimed volume that stays when its claim is deleted.
	ReasonVolumeKept = "VolumeKept"
	// ReasonOrphanFound and ReasonOrphanRemoved are reasons of events about a node where something of a benchmark was
	// left that no longer exists.
	ReasonOrphanFound     = "OrphanFound"
	ReasonOrphanRemoved   = "OrphanRemoved"
	ReasonConverged       = "Converged"
	ReasonNotConverged    = "NotConverged"
	ReasonMeasured        = "Measured"
	ReasonMet             = "Met"
	ReasonMetNotCertain   = "MetNotCertain"
	ReasonNotMet          = "NotMet"
	ReasonNotJudged       = "NotJudged"
	ReasonBenchmarkFailed = "BenchmarkFailed"
	ReasonPublished       = "Published"
	ReasonPublishFailed   = "PublishFailed"
)

// The phases derived from the conditions, for print columns only.
const (
	PhasePending   = "Pending"
	PhaseWaiting   = "Waiting"
	PhaseQueued    = "Queued"
	PhaseRunning   = "Running"
	PhaseSuspended = "Suspended"
	PhaseComplete  = "Complete"
	PhaseFailed    = "Failed"
	PhaseDeleting  = "Deleting"
)

const (
	// LabelNodeAllowed must be "true" on a node before anything of the operator runs there.
	LabelNodeAllowed = "zfsbench.io/allowed"
	// LabelBenchmarkUID is on every object the operator creates for a benchmark.
	LabelBenchmarkUID = "zfsbench.io/benchmark-uid"
	// Finalizer holds a benchmark until everything it made is torn down, pools included.
	Finalizer = "zfsbench.io/teardown"
	// AnnotationAbandonNode on a benchmark names, comma-separated, nodes that will never come back: teardown waits
	// only until no pod runs there. Setting it takes the verb abandon on policies.
	AnnotationAbandonNode = "zfsbench.io/abandon-nodes"
	// AnnotationForgetDevices on a benchmark names, comma-separated, disks that were in use and have left their node for
	// good, by serial number or path; teardown no longer waits for them. A disk that is there is cleaned up all the same.
	AnnotationForgetDevices = "zfsbench.io/forget-devices"
)
