package storage

import (
	"sync/atomic"
	"time"
)

// TrimAge is how long a manager keeps unused memory at least; after twice that time it has gone back to the system.
const TrimAge = 10 * time.Second

// trimmer gives back what a manager has kept unused for long. While nothing is kept, no timer runs.
type trimmer struct {
	trim  func() (again bool)
	armed atomic.Bool
}

var processStart = time.Now()

// now returns the time, for ages.
func (t *trimmer) now() time.Duration { return time.Since(processStart) }

// start makes the trimmer look after the manager until nothing is kept any more.
func (t *trimmer) start() {
	if !t.armed.Load() {
		t.arm()
	}
}

func (t *trimmer) arm() {
	if !t.armed.Swap(true) {
		time.AfterFunc(TrimAge, t.look)
	}
}

func (t *trimmer) look() {
	t.armed.Store(false)
	if t.trim() {
		t.start()
	}
}
