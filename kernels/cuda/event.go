package cuda

import (
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// events keeps the driver's events that no stream uses for the next ones: making one is a call, and so is giving it back.
type events struct {
	sync.Mutex
	unused []driver.Event
}

func (e *events) keep(handle driver.Event) {
	e.Lock()
	defer e.Unlock()
	e.unused = append(e.unused, handle)
}

func (u *unit) newEvent(c driver.Context) (driver.Event, error) {
	u.events.Lock()
	if last := len(u.events.unused) - 1; last >= 0 {
		handle := u.events.unused[last]
		u.events.unused = u.events.unused[:last]
		u.events.Unlock()
		return handle, nil
	}
	u.events.Unlock()
	return c.NewEvent()
}

// timeline is the events of a stream. The device reaches them in their order, so that one that is complete tells of all before it: these
// need no call of the driver any more, and their handles are used again.
type timeline struct {
	unit    *unit
	reached atomic.Uint64 // the number of the latest event that is known to be complete, without a fault of the device; the first is 1

	mutex    sync.Mutex
	recorded uint64   // the number of the latest event
	moments  []moment // from the first on that has its handle yet
	passed   int      // of moments, at the beginning, that have not
}

// moment is an event of a timeline that may not be complete yet.
type moment struct {
	handle driver.Event
	users  int // calls of the driver with the handle, during which it must not be recorded again
}

// record returns the number of a new event.
func (t *timeline) record(c driver.Context, s driver.Stream) (number uint64, err error) {
	handle, err := t.unit.newEvent(c)
	if err != nil {
		return 0, err
	}
	if err := c.Record(handle, s); err != nil {
		t.unit.events.keep(handle)
		return 0, err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.recorded++
	t.moments = append(t.moments, moment{handle: handle})
	return t.recorded, nil
}

// isReached reports whether the event with a number is known to be complete.
func (t *timeline) isReached(number uint64) bool { return number <= t.reached.Load() }

// hold returns the handle of an event, which is not recorded again until release. There is none to be asked for if the event is known to be
// complete.
func (t *timeline) hold(number uint64) (handle driver.Event, open bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.isReached(number) {
		return 0, false
	}
	m := t.at(number)
	m.users++
	return m.handle, true
}

// release follows hold. It tells whether the event has turned out to be complete: then those before it are.
func (t *timeline) release(number uint64, complete bool) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.at(number).users--
	if complete && !t.isReached(number) {
		t.reached.Store(number)
	}
	t.pass()
}

// ask calls f, which tells whether an event is complete, with its handle, if that is not known.
func (t *timeline) ask(number uint64, f func(c driver.Context, handle driver.Event) (complete bool, err error)) (complete bool, err error) {
	handle, open := t.hold(number)
	if !open {
		return true, nil
	}
	err = t.unit.do(func(c driver.Context) (err error) {
		complete, err = f(c, handle)
		return err
	})
	t.release(number, complete && err == nil)
	return complete, err
}

// at returns the moment with a number. The caller holds mutex.
func (t *timeline) at(number uint64) *moment {
	return &t.moments[len(t.moments)-1-int(t.recorded-number)]
}

// pass gives back the handles of events that are complete, up to the first that is in use. The caller holds mutex.
func (t *timeline) pass() {
	first := t.recorded - uint64(len(t.moments)) + 1
	for t.passed < len(t.moments) && t.moments[t.passed].users == 0 && t.isReached(first+uint64(t.passed)) {
		t.unit.events.keep(t.moments[t.passed].handle)
		t.passed++
	}
	if 2*t.passed >= len(t.moments) { // so that each is moved once, on average
		t.moments = append(t.moments[:0], t.moments[t.passed:]...)
		t.passed = 0
	}
}

// close gives back the handles of all events: the stream has no work any more.
func (t *timeline) close() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.reached.Store(t.recorded)
	t.pass()
}

// event is a moment in the work of a stream.
type event struct {
	timeline *timeline
	number   uint64

	checks    []check  // of the work before; nil once done is set
	elsewhere []*event // that are complete before; nil once done is set

	mutex sync.Mutex
	done  bool
	fault error // of the work before; final once done is set
}

var _ device.Event = (*event)(nil)

// Wait blocks until e is complete, and returns the fault of the work before it: that of the device, if it was lost.
func (e *event) Wait() error {
	e.mutex.Lock()
	if e.done {
		defer e.mutex.Unlock()
		return e.fault
	}
	e.mutex.Unlock()
	_, err := e.timeline.ask(e.number, func(c driver.Context, handle driver.Event) (bool, error) { return true, c.Await(handle) })
	return e.complete(err)
}

// Done reports whether e is complete. With a lost device it is.
func (e *event) Done() bool {
	e.mutex.Lock()
	done := e.done
	e.mutex.Unlock()
	if done {
		return true
	}
	reached, err := e.timeline.ask(e.number, func(c driver.Context, handle driver.Event) (bool, error) { return c.Reached(handle) })
	if err == nil && !reached {
		return false
	}
	_ = e.complete(err)
	return true
}

func (e *event) complete(err error) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if !e.done {
		e.done = true
		e.fault = err
		if e.fault == nil { // otherwise the device may still write there
			e.fault = e.timeline.unit.conclude(e.checks)
		}
		for i := 0; e.fault == nil && i < len(e.elsewhere); i++ {
			e.fault = e.elsewhere[i].Wait()
		}
		e.checks, e.elsewhere = nil, nil
	}
	return e.fault
}
