// SPDX-License-Identifier: Apache-2.0

package human

import (
	"testing"
	"time"
)

func TestFormats(t *testing.T) {
	tests := map[string]string{
		Bytes(0): "0 B", Bytes(999): "999 B", Bytes(1000): "0.977 KiB", Bytes(64 << 20): "64 MiB",
		Bytes(1.5 * (1 << 60)): "1536 PiB",
		Rate(1299227607):       "1.21 GiB/s", Rate(1 << 20): "1 MiB/s", Rate(104805171): "99.9 MiB/s", Rate(0.5): "0.5 B/s",
		Count(0): "0", Count(950): "950", Count(999.4): "999", Count(999.5): "1k", Count(18412): "18.4k",
		Count(1234567): "1.23M", Count(0.1234): "0.123",
		Count(9.996): "10", Count(99.95): "100", Latency(850): "850 ns", Latency(1240000): "1.24 ms",
		Latency(12400):       "12.4 µs",
		Latency(17112760320): "17.1 s", Latency(3600e9): "3600 s", Duration(200*time.Second + 1): "3m20s",
		Digits(5.00499): "5",
	}
	for got, want := range tests {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
