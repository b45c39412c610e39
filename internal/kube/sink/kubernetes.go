// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"zfsbench.io/operator/internal/kube/jobspec"
	"zfsbench.io/operator/internal/result"
)

// Kubernetes writes into the ConfigMaps that the manager made for one plan on one node. It gets and patches only those,
// by name, and gets the pod that holds the plan's images.
//
// Every method retries with growing pauses until its context ends, so that an unreachable API loses no result. An error
// that waiting cannot fix, such as a missing ConfigMap, is returned at once.
type Kubernetes struct {
	// Client is the client for the runner namespace.
	Client *Client
	// Base is the name that all objects of the plan start with.
	Base string
	// Shard is the number of the results ConfigMap of a trial, by the trial's index.
	Shard func(index int) int
	// TrialBytes is the maximum size of the document of a trial.
	TrialBytes int
	// Log gets a line when an operation has to be retried.
	Log *slog.Logger
}

// PutOwnership records what the runner is about to own. It returns only when the API has the record.
func (k *Kubernetes) PutOwnership(ctx context.Context, ownership result.Ownership) error {
	document, err := result.EncodeOwnership(ownership)
	if err != nil {
		return fmt.Errorf("record ownership: %w", err)
	}
	return k.patch(ctx, "record ownership", k.progressName(), textPatch(jobspec.KeyOwnership, document))
}

// ClearOwnership records that nothing is owned. A missing ConfigMap means the same.
func (k *Kubernetes) ClearOwnership(ctx context.Context) error {
	err := k.patch(ctx, "clear ownership", k.progressName(),
		map[string]any{"data": map[string]any{jobspec.KeyOwnership: nil}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// Ownership returns the last record, or nil. A missing ConfigMap counts as no record.
func (k *Kubernetes) Ownership(ctx context.Context) (*result.Ownership, error) {
	document, err := k.get(ctx, "read ownership", k.progressName(), jobspec.KeyOwnership)
	if document == "" || err != nil {
		return nil, err
	}
	ownership, err := result.DecodeOwnership([]byte(document))
	if err != nil {
		return nil, fmt.Errorf("read ownership: %w", err)
	}
	return &ownership, nil
}

// PutTrial sends the result of a trial. Sending it twice is harmless.
func (k *Kubernetes) PutTrial(ctx context.Context, trial result.Trial) error {
	operation := fmt.Sprintf("send the result of trial %d", trial.Index)
	document, err := result.EncodeTrialWithin(trial, k.TrialBytes)
	if err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	body := map[string]any{"binaryData": map[string]any{result.TrialKey(trial.Index): document}}
	return k.patch(ctx, operation, jobspec.ResultsName(k.Base, k.Shard(trial.Index)), body)
}

// PutProgress replaces the progress.
func (k *Kubernetes) PutProgress(ctx context.Context, progress result.Progress) error {
	document, err := result.EncodeProgress(progress)
	if err != nil {
		return fmt.Errorf("send progress: %w", err)
	}
	return k.patch(ctx, "send progress", k.progressName(), textPatch(jobspec.KeyProgress, document))
}

// Progress returns the last progress that was sent, or nil.
func (k *Kubernetes) Progress(ctx context.Context) (*result.Progress, error) {
	document, err := k.get(ctx, "read progress", k.progressName(), jobspec.KeyProgress)
	if document == "" || err != nil {
		return nil, err
	}
	progress, err := result.DecodeProgress([]byte(document))
	if err != nil {
		return nil, fmt.Errorf("read progress: %w", err)
	}
	return &progress, nil
}

// SuspendRequested says whether the runner must stop before the next trial.
func (k *Kubernetes) SuspendRequested(ctx context.Context) (bool, error) {
	value, err := k.annotation(ctx, "ask for suspension", jobspec.AnnotationSuspend)
	return value == "true", err
}

// ForgottenDevices are the disks that an administrator has given up.
func (k *Kubernetes) ForgottenDevices(ctx context.Context) ([]string, error) {
	value, err := k.annotation(ctx, "ask which disks are given up", jobspec.AnnotationForget)
	var disks []string
	for disk := range strings.SplitSeq(value, ",") {
		if disk = strings.TrimSpace(disk); disk != "" {
			disks = append(disks, disk)
		}
	}
	return disks, err
}

// annotation returns an annotation that the manager has put on the progress ConfigMap.
func (k *Kubernetes) annotation(ctx context.Context, operation, name string) (value string, err error) {
	err = k.retry(ctx, operation, func(ctx context.Context) error {
		cm, err := k.Client.configMap(ctx, k.progressName())
		if err == nil {
			value = cm.Annotations[name]
		}
		return err
	})
	return value, err
}

// Ask writes a request for a volume into the progress ConfigMap, where the manager reads it.
func (k *Kubernetes) Ask(ctx context.Context, request result.ClaimRequest) error {
	document, err := result.EncodeClaimRequest(request)
	if err != nil {
		return fmt.Errorf("ask for a volume: %w", err)
	}
	return k.patch(ctx, "ask for a volume", k.progressName(), textPatch(jobspec.KeyClaim, document))
}

// Answer returns the manager's last answer about volumes, or nil.
func (k *Kubernetes) Answer(ctx context.Context) (*result.ClaimAnswer, error) {
	const operation = "read the answer about a volume"
	document, err := k.get(ctx, operation, jobspec.ClaimName(k.Base), jobspec.KeyClaim)
	if document == "" || err != nil {
		return nil, err
	}
	answer, err := result.DecodeClaimAnswer([]byte(document))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", operation, err)
	}
	return &answer, nil
}

func (k *Kubernetes) progressName() string { return jobspec.ProgressName(k.Base) }

// get reads one key of a ConfigMap; empty if the key or the ConfigMap does not exist.
func (k *Kubernetes) get(ctx context.Context, operation, name, key string) (string, error) {
	var document string
	err := k.retry(ctx, operation, func(ctx context.Context) error {
		cm, err := k.Client.configMap(ctx, name)
		if err == nil {
			document = cm.Data[key]
		}
		return err
	})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	return document, err
}

func (k *Kubernetes) patch(ctx context.Context, operation, name string, body map[string]any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return k.retry(ctx, operation, func(ctx context.Context) error {
		return k.Client.mergeConfigMap(ctx, name, data)
	})
}

func textPatch(key string, document []byte) map[string]any {
	return map[string]any{"data": map[string]any{key: string(document)}}
}
