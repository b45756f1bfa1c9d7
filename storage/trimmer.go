package storage

import (
	"sync/atomic"
	"time"
)

// TrimAge is for how long a manager keeps memory that nobody asks for, at least; after twice as long it has gone back.
const TrimAge = 10 * time.Second

// trimmer looks after what a manager keeps for as long as that is something. It costs nothing otherwise.
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
