// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestAwaitGivesUpOnAnUnkillableProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		start := time.Now()
		p := &process{grace: DefaultGrace}
		if killable, _ := p.await(ctx, make(chan error)); killable {
			t.Error("a process that never ends counts as killed")
		}
		if got, want := time.Since(start), DefaultGrace+2*reapMargin; got != want {
			t.Errorf("gave up after %v, want %v", got, want)
		}
	})
}
