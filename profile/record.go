package profile

import (
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

// Mode is how an operation touches a variable.
type Mode uint8

// The modes. Accesses of one variable conflict unless both are Read, or their ranges do not meet.
const (
	Read   Mode = iota // leaves the contents alone
	Write              // replaces the contents without reading them
	Update             // changes part of the contents, or reads them too
)

// Access is one variable that an operation touched, and how. The byte range [Lo, Hi) restricts it to a part of the
// memory behind the variable; Hi zero means all of it.
type Access struct {
	Variable uint64 // its number, below 1<<61
	Mode     Mode
	Lo, Hi   int64
}

// Record is what an engine tells of one operation when that is done. A caller that waits gives one too: its Name is "wait",
// its Lane "caller", and it is ready when it starts. Times are those of Now.
// An operation that a worker runs at once after another starts at the End of that one.
type Record struct {
	Number                    uint64 // order of registration in its engine, from 1
	Name                      string
	Device                    device.Device
	Lane                      string // who ran it: "worker 0", "host", "caller", "gpu(0) compute", "gpu(0) copy to", ...
	Pushed, Ready, Start, End time.Duration
	Bytes                     int64       // memory read and written; 0 if unknown
	Work                      int64       // floating-point operations; 0 if unknown
	Err                       error       // nil if it succeeded
	Skipped                   bool        // it did not run
	Site                      *fault.Site // the user's line; may be nil
	Cause                     uint64      // Number of the operation whose end made this one ready; 0 if it was ready when pushed
	Accesses                  []Access    // valid during the call of Observe only
}

// Observer is told of every operation. Observe is called by the engine with its lock held, for one operation at a time: it
// copies what it needs and returns quickly, and must not call the engine. The record is reused afterwards.
type Observer interface {
	Observe(r *Record)
}

var epoch = time.Now()

// Now returns the time since the start of the process, by the monotonic clock.
func Now() time.Duration { return time.Since(epoch) }

const (
	waitName = "wait"
	waitLane = "caller"
)

// isWait reports whether r tells of a caller that waited rather than of an operation.
func (r *Record) isWait() bool { return r.Name == waitName && r.Lane == waitLane }

func (r *Record) duration() time.Duration { return r.End - r.Start }
