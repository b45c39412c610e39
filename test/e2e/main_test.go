// SPDX-License-Identifier: Apache-2.0

//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// suite is the installed operator and the node under test; TestMain sets it before any test runs.
var suite *environment

func TestMain(m *testing.M) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	var err error
	suite, err = setUp(ctx)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e set-up:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := suite.tearDown(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e tear-down:", err)
		code = 1
	}
	os.Exit(code)
}
