package parallel

import (
	"runtime"
	"sync/atomic"
)

// leastPatience is the smallest number of rounds that anybody looks without yielding.
const leastPatience = 20

// learned returns the new patience: for how many rounds a launcher looks for the end of its region, or a worker for the next
// region, without yielding, since a yield to a goroutine that computes gives the processor away for a whole time slice. Needed
// is the round in which the latest such look succeeded, or patience if that came soon after the last round. The result is about
// twice what was needed lately, at most the given number. A wait that takes much longer than usual is neither a piece of work
// nor a pause between two regions: a participant has lost its processor to another process, and patience does not bring it
// back.
func learned(patience, needed, most int) int {
	enough := min(2*needed+leastPatience, most)
	if enough < patience {
		return patience - (patience-enough+7)/8
	}
	return enough
}

// keep reports whether the caller may keep its processor while it looks for something without yielding; then it is counted in
// keeping, which stays below both GOMAXPROCS and the number of processors of the machine.
func (p *Pool) keep(keeping *atomic.Int32) bool {
	if keeping.Add(1) < min(p.processors.Load(), machineProcessors) {
		return true
	}
	keeping.Add(-1)
	return false
}

var machineProcessors = int32(runtime.NumCPU())
