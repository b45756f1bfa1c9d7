package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// stream is a stream of the driver. What the driver takes by reference while it is enqueued is kept here, to be used again.
type stream struct {
	unit      *unit
	handle    driver.Stream
	blas      driver.BLAS   // nil until it is used
	dnn       driver.DNN    // nil until it is used
	affine    driver.Affine // nil until it is used
	timeline  timeline
	arguments *arguments
	finding   device.Pointer    // where the kernel check writes; nil until it is used
	checks    []check           // those that the next event tells of
	bridges   map[*unit]*bridge // to other devices, which were used
	elsewhere []*event          // work of other devices that the next event is behind
	closed    bool
	capturing bool
	launches  int   // of kernels, since the capture began
	chains    bool  // launches may become chains while work is kept
	chain     chain // of the latest launches
	last      error // what Close returned
}

var _ device.Stream = (*stream)(nil)

func (u *unit) newStream() (*stream, error) {
	s := &stream{unit: u, timeline: timeline{unit: u}, arguments: new(arguments)}
	return s, u.do(func(c driver.Context) (err error) {
		s.handle, err = c.NewStream()
		return err
	})
}

// Device returns the device of the stream.
func (s *stream) Device() device.Device { return s.unit.device }

// enqueue calls f with the context of the device, behind the chain of launches that is still open.
func (s *stream) enqueue(f func(c driver.Context) error) error {
	if s.closed {
		return errors.New(s.unit.device.String() + ": the stream is closed")
	}
	if len(s.chain.links) > 0 {
		if err := s.unit.do(s.flush); err != nil {
			return err
		}
	}
	return s.unit.do(f)
}

// Copy enqueues a copy between any two places of which at most one is host memory. Copies to and from ordinary memory may make the
// caller wait. Zero bytes need no memory.
func (s *stream) Copy(dst, src device.Pointer, bytes int) error {
	switch {
	case bytes < 0:
		return fmt.Errorf("%v: copy of %d bytes", s.unit.device, bytes)
	case dst.Host != nil && src.Host != nil:
		return fmt.Errorf("%v: copy from host memory to host memory", s.unit.device)
	}
	err := s.enqueue(func(driver.Context) error { return nil })
	if err == nil && bytes > 0 {
		err = s.copyAny(dst, src, bytes)
	}
	if err == nil {
		s.unit.counters.Copied(dst, src, bytes)
	}
	return err
}

// copyHere enqueues a copy that the stream can do alone.
func (s *stream) copyHere(dst, src device.Pointer, bytes int) error {
	return s.enqueue(func(c driver.Context) error {
		switch {
		case src.Host != nil:
			return c.CopyIn(driver.Address(dst.Address), src.Host, bytes, s.handle)
		case dst.Host != nil:
			return c.CopyOut(dst.Host, driver.Address(src.Address), bytes, s.handle)
		}
		return c.CopyOver(driver.Address(dst.Address), driver.Address(src.Address), bytes, s.handle)
	})
}

// Fill enqueues that memory of the stream's device is set to zero.
func (s *stream) Fill(dst device.Pointer, bytes int) error {
	switch {
	case bytes < 0:
		return fmt.Errorf("%v: fill of %d bytes", s.unit.device, bytes)
	case dst.Host != nil:
		return fmt.Errorf("%v: fill of host memory", s.unit.device)
	}
	err := s.enqueue(func(c driver.Context) error {
		if bytes == 0 {
			return nil
		}
		return c.Zero(driver.Address(dst.Address), bytes, s.handle)
	})
	if err == nil {
		s.unit.counters.Filled()
	}
	return err
}

// Wait makes later work wait for e, an event of any device of the backend.
func (s *stream) Wait(e device.Event) error {
	other, ok := e.(*event)
	if !ok || other == nil || other.timeline.unit.backend != s.unit.backend {
		return fmt.Errorf("%v: wait for an event of another backend: %T", s.unit.device, e)
	}
	return s.enqueue(func(c driver.Context) error {
		handle, open := other.timeline.hold(other.number)
		if !open {
			return nil
		}
		defer other.timeline.release(other.number, false)
		return c.Follow(s.handle, handle)
	})
}

// Record returns an event that is complete when the work before it is.
func (s *stream) Record() (device.Event, error) {
	e, err := s.mark()
	if err != nil {
		return nil, err
	}
	e.checks, s.checks = s.checks, nil
	e.elsewhere, s.elsewhere = s.elsewhere, nil
	return e, nil
}

// mark is Record, but leaves what there is to tell to the next event.
func (s *stream) mark() (*event, error) {
	e := &event{timeline: &s.timeline}
	err := s.enqueue(func(c driver.Context) (err error) {
		e.number, err = s.timeline.record(c, s.handle)
		return err
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Close waits for the work of the stream and gives it back. Closing it again returns the same.
func (s *stream) Close() error {
	if s.closed {
		return s.last
	}
	s.closed = true
	waited := s.unit.do(func(c driver.Context) error { return c.Synchronize(s.handle) }) // for what uses buffers of bridges, too
	if waited == nil {
		s.timeline.close()
	}
	bridges := s.closeBridges()
	closed := s.unit.do(func(c driver.Context) (err error) {
		if s.blas != nil {
			err = s.blas.Close()
		}
		if s.affine != nil {
			err = errors.Join(err, s.affine.Close())
		}
		if s.dnn != nil {
			err = errors.Join(err, s.dnn.Close())
		}
		if !s.finding.IsNil() {
			s.unit.free(s.finding)
		}
		return errors.Join(err, c.CloseStream(s.handle))
	})
	s.last = cmp.Or(waited, closed, bridges)
	return s.last
}

// launch enqueues a kernel with the stream's arguments.
func (s *stream) launch(c driver.Context, f driver.Function, blocks, threads int) error {
	err := c.Launch(f, blocks, threads, 0, s.handle, unsafe.Pointer(s.arguments))
	if err == nil {
		s.launched()
	}
	return err
}

// launched counts a launch, now or when what is kept runs.
func (s *stream) launched() {
	if s.capturing {
		s.launches++
		return
	}
	s.unit.counters.Launched(1)
}
