package engine

import "sync"

// briefMutex is a mutex that is held for about a microsecond. A goroutine that finds it locked keeps looking for some
// microseconds before it sleeps: package sync does so only while nothing else is ready to run on the processor, and a worker
// nearly always is. A sleeper is made ready on the processor of the goroutine that unlocks, which goes on running, and idle
// processors take tens of microseconds to steal it from there.
type briefMutex struct{ sync.Mutex }

// lockLooks is how often a goroutine that finds the mutex locked looks at it again. Each pause between two looks is lockPause
// turns of a loop longer than the one before, up to longestPause: a look takes the cache line from the holder of the mutex.
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
