// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// statusInterval is how often the status is written.
const statusInterval = 2 * time.Second

// ReportStatus repeatedly writes a line with the name of a phase and its percentage until it is stopped. With a nil
// writer it writes nothing.
func ReportStatus(to io.Writer, phase string, progress func() (done, total int64)) (stop func()) {
	if to == nil {
		return func() {}
	}
	ended, ticker := make(chan struct{}), time.NewTicker(statusInterval)
	var telling sync.WaitGroup
	telling.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
			}
			done, total := progress()
			_, _ = fmt.Fprintf(to, "%s %d\n", phase, min(100, 100*done/max(1, total)))
		}
	})
	return func() { close(ended); telling.Wait() }
}
