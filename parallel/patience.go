package parallel

import (
	"runtime"
	"sync/atomic"
)

// leastPatience is the least number of rounds for which somebody is patient.
const leastPatience = 20

// learned returns for how many rounds to be patient after somebody found what it was looking for in the round that is told, or soon
// after so many rounds as it was patient: for some twice what was needed lately. Patient is a launcher that looks for the end of its
// region, or a worker for the next region, without yielding, since to a goroutine that computes a yield gives the processor away
// for a whole time slice. What takes much longer than lately is no piece of work and no pause between two regions, but somebody
// who has lost the processor to another process, which patience does not bring back.
func learned(patience, needed, most int) int {
	enough := min(2*needed+leastPatience, most)
	if enough < patience {
		return patience - (patience-enough+7)/8
	}
	return enough
}

// keep reports whether the caller may keep its processor while it looks for something without yielding; then it is counted in
// keeping, which stays below the number of processors, of those that Go uses and those of the machine.
func (p *Pool) keep(keeping *atomic.Int32) bool {
	if keeping.Add(1) < min(p.processors.Load(), machineProcessors) {
		return true
	}
	keeping.Add(-1)
	return false
}

var machineProcessors = int32(runtime.NumCPU())
