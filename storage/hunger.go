package storage

import (
	"errors"
	"time"

	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
)

// Hunger is what an operation that finds no memory remembers from one attempt to the next. The zero Hunger is that of an
// operation that has not been tried yet. It belongs to one operation.
type Hunger struct {
	relief <-chan struct{} // of the attempt before: closed when the collector has run since
	seen   uint64          // allocations before that
	vain   int             // attempts after the collector
	asked  bool            // it has called the collector before
	pushes uint64          // releasesPushed before that
	behind bool            // operations give back what the collector has found since
	waited bool            // for an engine that holds these up

	pressed <-chan struct{} // what it waits for, or has waited for, so that the collector catches up, which is done once
}

// catchUp returns what to wait for until the collector has caught up, which is relief the first time; nil if it has by now. A
// waiting operation is also tried when others end.
func (h *Hunger) catchUp(relief <-chan struct{}) <-chan struct{} {
	if h.pressed == nil {
		h.pressed = relief
	}
	select {
	case <-h.pressed:
		return nil
	default:
		return h.pressed
	}
}

// Starved returns err, of a Function that has changed nothing, so that the engine tries the operation again if memory was what
// it wanted: after other operations, and after the collector, which is called, has found what was dropped. An operation that
// was tried after that, in vain, leaves only the other operations to wait for.
func (h *Hunger) Starved(err error) error {
	if !errors.Is(err, fault.ErrOutOfMemory) {
		return engine.Untouched(err)
	}
	return engine.Starved(err, h.next())
}

// heldPatience is for how long one attempt waits for an engine that holds up the release of what the collector has found.
const heldPatience = 2 * time.Second

// within returns a channel that is closed when done is, or after the given time.
func within(done <-chan struct{}, patience time.Duration) <-chan struct{} {
	either := make(chan struct{})
	go func() {
		defer close(either)
		select {
		case <-done:
		case <-time.After(patience):
		}
	}()
	return either
}

// hungerMost is how often the collector is called on behalf of one attempt while others take what it finds.
const hungerMost = 8

// next calls the collector, and returns a channel that is closed when it has run; nil if it has run since the last attempt, and
// nobody has taken what it found.
func (h *Hunger) next() (relief <-chan struct{}) {
	now := allocations()
	if h.relief != nil {
		select {
		case <-h.relief:
			h.relief = nil
			h.behind = h.behind || releasesPushed.Load() != h.pushes
			if held := heldUp(); held != nil && !h.waited {
				h.waited = true
				return within(held, heldPatience)
			}
			if h.vain++; now == h.seen && !h.behind || h.vain == hungerMost {
				h.vain, h.behind, h.waited = 0, false, false
				return nil
			}
		default:
		}
	}
	h.seen, h.pushes, h.relief = now, releasesPushed.Load(), collector.requestOf(h.asked)
	h.asked = true
	return h.relief
}

// allocations returns how many allocations all managers together have served.
func allocations() (count uint64) {
	for _, l := range ledgers() {
		count += l.manager.Stats().Allocations
	}
	return count
}
