package sim

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// Names of the commands that are not kernels, for InjectFault.
const (
	copyName = "copy"
	fillName = "fill"
)

// stream runs commands in order, on a goroutine that exists while there are any.
type stream struct {
	unit *unit

	mutex   sync.Mutex
	queue   []func()
	running bool   // a goroutine drains the queue
	last    *event // recorded by Close; nil while the stream is open

	fault error // first one since the last event; used by commands only
}

var _ device.Stream = (*stream)(nil)

// Device returns the device of the stream.
func (s *stream) Device() device.Device { return s.unit.device }

// Copy enqueues a copy between any two places of which at most one is host memory. Zero bytes need no memory.
func (s *stream) Copy(dst, src device.Pointer, bytes int) error {
	if bytes < 0 {
		return fmt.Errorf("%v: copy of %d bytes", s.unit.device, bytes)
	}
	if dst.Host != nil && src.Host != nil {
		return fmt.Errorf("%v: copy from host memory to host memory", s.unit.device)
	}
	err := s.work(copyName, func() error {
		if bytes == 0 {
			return nil
		}
		to, err := s.reach(dst, bytes)
		if err != nil {
			return fmt.Errorf("destination of copy: %w", err)
		}
		from, err := s.reach(src, bytes)
		if err != nil {
			return fmt.Errorf("source of copy: %w", err)
		}
		copy(to, from)
		return nil
	})
	if err == nil {
		s.unit.counters.Copied(dst, src, bytes)
	}
	return err
}

// Fill enqueues that memory of the stream's device is set to zero.
func (s *stream) Fill(dst device.Pointer, bytes int) error {
	if bytes < 0 {
		return fmt.Errorf("%v: fill of %d bytes", s.unit.device, bytes)
	}
	if dst.Host != nil {
		return fmt.Errorf("%v: fill of host memory", s.unit.device)
	}
	err := s.work(fillName, func() error {
		if bytes == 0 {
			return nil
		}
		b, err := s.unit.memory.find(s.unit.device, dst.Address, bytes)
		if err != nil {
			return fmt.Errorf("fill: %w", err)
		}
		memory := b.at(dst.Address, bytes)
		for i := range memory { // the race detector does not see the builtin clear
			memory[i] = 0
		}
		return nil
	})
	if err == nil {
		s.unit.counters.Filled()
	}
	return err
}

// Wait makes later commands wait for e. A fault that e reports is not passed on to this stream.
func (s *stream) Wait(e device.Event) error {
	other, ok := e.(*event)
	if !ok || other == nil || other.backend != s.unit.backend {
		return fmt.Errorf("%v: wait for an event of another backend: %T", s.unit.device, e)
	}
	return s.enqueue(func() { <-other.done })
}

// Record returns an event that is complete when the commands before it are.
func (s *stream) Record() (device.Event, error) {
	e := newEvent(s.unit.backend)
	if err := s.enqueue(s.completion(e)); err != nil {
		return nil, err
	}
	return e, nil
}

// Close waits for the commands of the stream and returns the fault that no event has reported. Afterwards the stream takes
// no more commands; closing it again returns the same.
func (s *stream) Close() error {
	s.mutex.Lock()
	if s.last == nil {
		s.last = newEvent(s.unit.backend)
		s.push(s.completion(s.last))
	}
	s.mutex.Unlock()
	return s.last.Wait()
}

func (s *stream) completion(e *event) func() {
	return func() {
		e.complete(s.fault)
		s.fault = nil
	}
}

// work enqueues a command that takes time and may fail.
func (s *stream) work(name string, run func() error) error {
	return s.enqueue(func() {
		if latency := s.unit.backend.latency.Load(); latency > 0 {
			time.Sleep(time.Duration(latency))
		}
		err := s.unit.backend.faults.take(name)
		if err == nil {
			err = s.protect(name, run)
		}
		if s.fault == nil {
			s.fault = err
		}
	})
}

func (s *stream) enqueue(command func()) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.last != nil {
		return errors.New(s.unit.device.String() + ": the stream is closed")
	}
	s.push(command)
	return nil
}

func (s *stream) push(command func()) {
	s.queue = append(s.queue, command)
	if !s.running {
		s.running = true
		go s.drain()
	}
}

func (s *stream) drain() {
	// Host memory that is gone must fail one command, not the process.
	debug.SetPanicOnFault(true)
	for {
		s.mutex.Lock()
		commands := s.queue
		s.queue = nil
		s.running = len(commands) > 0
		s.mutex.Unlock()
		if len(commands) == 0 {
			return
		}
		for i, command := range commands {
			s.unit.gate.pass()
			command()
			commands[i] = nil // what it refers to may be garbage now
		}
	}
}

// protect runs a command and returns its error, or its panic as an error with the stack.
func (s *stream) protect(name string, run func() error) (err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		value, stack := parallel.Recovered(value)
		cause := fault.ErrPanic
		if wrapped, ok := value.(error); ok {
			cause = fmt.Errorf("%w: %w", fault.ErrPanic, wrapped)
		}
		err = &fault.Error{
			Operator: name, Device: s.unit.device.String(), Detail: fmt.Sprintf("panic: %v", value), Cause: cause, Stack: stack,
		}
	}()
	return run()
}

// reach returns the host memory behind p, which may be on any device of the backend or on the host.
func (s *stream) reach(p device.Pointer, bytes int) ([]byte, error) {
	if p.Host != nil {
		return p.Bytes(bytes), nil
	}
	b := s.unit.backend
	number := uint64((p.Address - rangeBase) >> rangeBits)
	if p.Address < rangeBase || number < b.first || number-b.first >= uint64(len(b.units)) {
		return nil, &MemoryFault{s.unit.device, p.Address, bytes, "no device of the backend has this address"}
	}
	found, err := b.units[number-b.first].memory.find(s.unit.device, p.Address, bytes)
	if err != nil {
		return nil, err
	}
	return found.at(p.Address, bytes), nil
}
