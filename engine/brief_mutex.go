package engine

import "sync"

// briefMutex is a mutex for what takes a microsecond. Who finds it locked looks again for some microseconds before it sleeps:
// package sync does so only while nothing else is ready to run on the processor, and a worker nearly always is. Who sleeps is made ready
// on the processor of the one that unlocks, which goes on with what it does, and idle processors take tens of microseconds to take it from
// there.
type briefMutex struct{ sync.Mutex }

// lockLooks is how often who finds the mutex locked looks at it, and lockPause by how many turns of a loop each look is later after the one
// before, up to longestPause: each takes the cache line from who has locked it.
const (
	lockLooks    = 400
	lockPause    = 8
	longestPause = 512
)

// Lock locks the mutex.
func (m *briefMutex) Lock() {
	for look := range lockLooks {
		if m.TryLock() {
			return
		}
		for range min(look*lockPause, longestPause) { // Nothing.
		}
	}
	m.Mutex.Lock()
}
