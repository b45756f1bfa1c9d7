package fault

import (
	"runtime"
	"slices"
)

// reach is how many return addresses a trail has room for: the depth of a Site, and some more for the frames that the
// runtime leaves out of call paths (the methods that the compiler wraps around others) and for those that Here skips.
const reach = depth + 8

// trail is a call path as the frame pointers on the stack tell it: one return address for each machine frame, from inside
// Here outwards, zeros behind the last. It costs less than what runtime.Callers returns, in which inlined functions have
// counters of their own, and decides it wherever it passes. It is only ever compared, never resolved.
type trail struct {
	skip     int
	counters [reach]uintptr
}

// passes reports whether the trail leads through every frame of counters, a result of runtime.Callers for the caller of
// Here. It does not where assembly has spoilt the frame pointer, where a function without a frame faulted, since nothing
// on the stack points to the frame of its caller, and where the trail is too short.
func (t *trail) passes(counters []uintptr) bool {
	var inner runtime.Frame
	ahead := t.counters[:]
	frames := runtime.CallersFrames(counters)
	for {
		frame, more := frames.Next()
		// Inlined functions stand before the one that they are inlined into, and have its entry but no Func. The first
		// of them has the return address.
		if inlinedInto := inner.Func == nil && inner.Entry == frame.Entry; !inlinedInto {
			at := slices.Index(ahead, frame.PC+1)
			if at < 0 {
				return false
			}
			ahead = ahead[at+1:]
		}
		if !more {
			return true
		}
		inner = frame
	}
}
