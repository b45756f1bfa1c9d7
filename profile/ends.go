package profile

import (
	"time"
)

// ends remembers where operations ended, by their numbers: at least the latest limit ones, at most twice as many.
type ends struct {
	limit      int
	young, old map[uint64]ending
}

type ending struct {
	track int
	end   time.Duration
}

func (e *ends) add(number uint64, at ending) {
	if e.young == nil || len(e.young) == e.limit {
		e.young, e.old = make(map[uint64]ending), e.young
	}
	e.young[number] = at
}

func (e *ends) find(number uint64) (at ending, known bool) {
	if at, known = e.young[number]; known {
		return at, true
	}
	at, known = e.old[number]
	return at, known
}
