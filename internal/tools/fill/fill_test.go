// SPDX-License-Identifier: Apache-2.0

package fill

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgv(t *testing.T) {
	tests := map[string]struct {
		round Round
		want  string
	}{
		"sequential": {Round{Bytes: 10, Number: 1},
			"runner fill --directory=/target/fill.files --report=/out/report.json --bytes=10 --seed=7 --round=1"},
		"overwrites": {Round{Bytes: 10, Overwrite: true, Number: 2},
			"runner fill --directory=/target/fill.files --report=/out/report.json --bytes=10 --seed=7 --round=2 --overwrite"},
	}
	for name, tt := range tests {
		if diff := cmp.Diff(tt.want, strings.Join(Argv(tt.round, "/target/fill.files", "/out/report.json", 7),
			" ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Whatever space a byte takes, the level is reached within the tolerance, never passed by more, and in few rounds.
func TestLevel(t *testing.T) {
	const usable = 100 << 30
	for name, tt := range map[string]struct {
		percent int32
		used    int64
		stretch float64
	}{
		"a mirror":                        {80, 0, 1},
		"a pool with files":               {80, 50 << 30, 1},
		"almost there":                    {80, 79 << 30, 1},
		"small records of a raidz2":       {96, 0, 2},
		"records of one sector, in three": {96, 0, 12},
		"little":                          {1, 0, 1.1},
	} {
		t.Run(name, func(t *testing.T) {
			now := Space{Used: tt.used, Available: usable - tt.used}
			level, err := NewLevel(tt.percent, now)
			if err != nil {
				t.Fatal(err)
			}
			rounds := 0
			for ; ; rounds++ {
				bytes, err := level.Next()
				if err != nil {
					t.Fatal(err)
				}
				if bytes == 0 {
					break
				}
				now.Used += int64(float64(bytes) * tt.stretch)
				now.Available = usable - now.Used
				level.Wrote(bytes, now)
			}
			if off := now.Percent() - float64(tt.percent); off < -0.5 || off > 0.5 || rounds > 6 {
				t.Errorf("%.2f%% after %d rounds, wanted %d%%", now.Percent(), rounds, tt.percent)
			}
		})
	}
}

func TestLevelThatCannotBeReached(t *testing.T) {
	const usable = 100 << 30
	full := (*FullError)(nil)
	if _, err := NewLevel(50, Space{Used: 50 << 30, Available: 50 << 30}); !errors.As(err, &full) {
		t.Errorf("error %v, want a *FullError", err)
	}
	level, err := NewLevel(50, Space{Available: usable})
	if err != nil {
		t.Fatal(err)
	}
	level.Wrote(1<<30, Space{Available: usable})
	if _, err := level.Next(); !errors.Is(err, ErrNoEffect) {
		t.Errorf("error %v, want %v", err, ErrNoEffect)
	}
}
