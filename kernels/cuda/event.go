package cuda

import (
	"runtime"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// events keeps the driver's events that nobody refers to any more for the next ones: making one is a call, and so is giving it back.
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

// event is a moment in the work of a stream.
type event struct {
	unit   *unit
	handle driver.Event

	checks    []check  // of the work before; nil once done is set
	elsewhere []*event // that are complete before; nil once done is set

	mutex sync.Mutex
	done  bool
	fault error // of the work before; final once done is set
}

var _ device.Event = (*event)(nil)

// record returns an event of s.
func (u *unit) record(c driver.Context, s driver.Stream, fault error) (*event, error) {
	handle, err := u.newEvent(c)
	if err != nil {
		return nil, u.failed(err)
	}
	if err := c.Record(handle, s); err != nil {
		u.events.keep(handle)
		return nil, u.failed(err)
	}
	e := &event{unit: u, handle: handle, fault: fault}
	// The driver takes what a stream waits for when it is told to wait, so the handle may be recorded again once nobody has e.
	runtime.AddCleanup(e, u.events.keep, handle)
	return e, nil
}

// Wait blocks until e is complete, and returns the fault of the work before it: that of the device, if it was lost.
func (e *event) Wait() error {
	e.mutex.Lock()
	if e.done {
		defer e.mutex.Unlock()
		return e.fault
	}
	e.mutex.Unlock()
	err := e.unit.do(func(c driver.Context) error { return c.Await(e.handle) })
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
	reached := false
	err := e.unit.do(func(c driver.Context) (err error) {
		reached, err = c.Reached(e.handle)
		return err
	})
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
		if e.fault == nil {
			e.fault = err
		}
		if e.fault == nil { // otherwise the device may still write there
			e.fault = e.unit.conclude(e.checks)
		}
		for i := 0; e.fault == nil && i < len(e.elsewhere); i++ {
			e.fault = e.elsewhere[i].Wait()
		}
		e.checks, e.elsewhere = nil, nil
	}
	runtime.KeepAlive(e)
	return e.fault
}
