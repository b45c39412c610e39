// SPDX-License-Identifier: Apache-2.0

package result

import "time"

// minAverage is the shortest average latency that says something: tools print whole microseconds, and a tenth of it is
// then the error.
const minAverage = 10 * time.Microsecond

// Calls is a phase for one kind of call of a workload, when the tool reports only how many calls there were and how
// long they took. Its rate is how many the workers would do per second if they did nothing else, its runtime how long
// each of them spent in these calls. Calls that are too short for the tool's resolution have no rate.
func Calls(name string, workers int, l Latency) Phase {
	p := Phase{Name: name, Operation: Operation{IOs: l.Count, Latency: l}}
	p.RuntimeNanoseconds = int64(float64(l.Count) * l.MeanNanoseconds / float64(max(1, workers)))
	if l.MeanNanoseconds < float64(minAverage) || p.RuntimeNanoseconds == 0 {
		p.RuntimeNanoseconds, p.TooFast = 0, true
		return p
	}
	p.IOPS = float64(p.IOs) / float64(p.RuntimeNanoseconds) * float64(time.Second)
	return p
}
