package sim

import "github.com/weft-nd/weft/device"

// event is a moment in the work of one stream.
type event struct {
	backend *Backend
	done    chan struct{} // closed when the stream reaches the event
	fault   error         // final once done is closed
}

var _ device.Event = (*event)(nil)

func newEvent(b *Backend) *event { return &event{backend: b, done: make(chan struct{})} }

// Wait blocks until the stream has reached e and returns the fault of its work since the event before.
func (e *event) Wait() error {
	<-e.done
	return e.fault
}

// Done reports whether the stream has reached e.
func (e *event) Done() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

func (e *event) complete(fault error) {
	e.fault = fault
	close(e.done)
}
