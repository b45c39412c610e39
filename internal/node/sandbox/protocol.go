// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// The descriptors with which the sandbox's first process starts, in addition to the three standard ones.
const (
	// configFD delivers the config document and then, when the parent is ready, one byte.
	configFD = 3
	// statusFD receives the status documents; a successful execve closes it.
	statusFD = 4
)

// config is what the parent sends to the sandbox.
type config struct {
	Argv     []string          `json:"argv"`
	Self     bool              `json:"self,omitempty"`
	Target   string            `json:"target"`
	Children map[string]string `json:"children,omitempty"`
	Output   string            `json:"output,omitempty"`
	Root     string            `json:"root"`
	Image    string            `json:"image,omitempty"`
	Source   string            `json:"source,omitempty"`
	UID      int               `json:"uid"`
	GID      int               `json:"gid"`
	Named    bool              `json:"named,omitempty"`
	IOUring  bool              `json:"ioUring,omitempty"`
	Limits   Limits            `json:"limits"`
}

// status is what the sandbox reports to its parent: first that it is set up, or why not; and then, only if the tool
// could not be executed, why.
type status struct {
	Error string `json:"error,omitempty"`
	// CPUNanoseconds is the CPU time for building the sandbox.
	CPUNanoseconds int64 `json:"cpuNanoseconds,omitempty"`
}

// handshake is the outcome of the parent's side of the conversation.
type handshake struct {
	setupCPU time.Duration
	err      error
}

// converse sends the config, waits until the sandbox is set up, calls ready, releases the tool, and returns when the
// tool has been executed or has failed to.
func converse(to io.Writer, from io.Reader, c config, ready func()) handshake {
	if err := json.NewEncoder(to).Encode(c); err != nil {
		return handshake{err: &SetupError{Message: "send the configuration: " + err.Error()}}
	}
	statuses := json.NewDecoder(from)
	var standing status
	if err := statuses.Decode(&standing); err != nil {
		return handshake{err: &SetupError{Message: "died while it was built: " + err.Error()}}
	}
	if standing.Error != "" {
		return handshake{err: &SetupError{Message: standing.Error}}
	}
	if ready != nil {
		ready()
	}
	if _, err := to.Write([]byte{'g'}); err != nil {
		return handshake{err: &SetupError{Message: "release the tool: " + err.Error()}}
	}
	var failed status
	err := statuses.Decode(&failed)
	if errors.Is(err, io.EOF) {
		return handshake{setupCPU: time.Duration(standing.CPUNanoseconds)}
	}
	if err != nil {
		return handshake{err: &SetupError{Message: "read its status: " + err.Error()}}
	}
	return handshake{err: &SetupError{Message: failed.Error}}
}

// receive is the sandbox's side of the start: the config document.
func receive(from io.Reader) (config, error) {
	var c config
	if err := json.NewDecoder(from).Decode(&c); err != nil {
		return config{}, fmt.Errorf("read the configuration: %w", err)
	}
	return c, nil
}

// awaitRelease returns when the parent releases the tool. A parent that has died closes the pipe, which is an error:
// the tool must not outlive it.
func awaitRelease(from io.Reader) error {
	_, err := io.ReadFull(from, make([]byte, 1))
	if err != nil {
		return fmt.Errorf("wait for the parent: %w", err)
	}
	return nil
}
