package profile

import (
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	flushInterval = 200 * time.Millisecond
	waitingSoon   = 1 << 13 // so many records not in the file yet are written before the interval ends
	waitingMost   = 1 << 17 // of more than these the oldest are lost
	remembered    = 1 << 16 // flows begin at no fewer latest operations
)

// Trace is an Observer that writes records to a file while the program runs, in the form of Log.WriteTrace. The file does
// not depend on how the program ends: what was flushed is there, as valid JSON. Only a process killed in the middle of a
// write leaves an array without its end, which Perfetto and Chrome read nevertheless.
//
// Observe only copies the record. A goroutine writes what came in the last 200 ms, or sooner if it is much. If the file
// cannot keep up, the oldest records that wait are lost, and a mark in the trace tells where and how many. If writing fails, the
// trace ends there, with an error in the log of package slog, and from Flush and Close.
type Trace struct {
	waiting *Log
	written atomic.Uint64 // position in waiting after the last record in the file
	ended   atomic.Bool   // closed or failed: records are not taken any more
	wake    chan struct{}
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once // of Close

	mu     sync.Mutex
	file   medium
	path   string
	length int64 // of the file, without the closing bracket
	events *events
	err    error // the failure that ended the trace
}

// medium is what a trace needs of its file.
type medium interface {
	WriteAt(data []byte, offset int64) (int, error)
	Truncate(size int64) error
	Close() error
}

var errClosed = errors.New("weft: the trace is closed")

// OpenTrace begins a trace in the file path, which it creates, or empties. The error is that of the file.
func OpenTrace(path string) (*Trace, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	t, err := newTrace(file, path)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return t, nil
}

func newTrace(file medium, path string) (*Trace, error) {
	t := &Trace{
		waiting: New(waitingMost),
		wake:    make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
		file: file, path: path, events: newEvents(remembered),
	}
	if err := t.write(); err != nil {
		return nil, err
	}
	go t.run()
	return t, nil
}

// Observe implements Observer. Records that come after Close, or after a failure of the file, are ignored.
func (t *Trace) Observe(r *Record) {
	if t.ended.Load() {
		return
	}
	observed := t.waiting.add(r)
	if observed%chunkSize == 0 && observed-t.written.Load() >= waitingSoon {
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// run writes at intervals until Close.
func (t *Trace) run() {
	defer close(t.stopped)
	ticker := time.NewTicker(flushInterval)
	defer ticker.Stop()
	for {
		select {
		case <-t.stop:
			return
		case <-t.wake:
		case <-ticker.C:
		}
		if t.Flush() != nil {
			return
		}
	}
}

// Flush writes all that was observed before the call. After a failure it returns that one again, after Close an error.
func (t *Trace) Flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return t.err
	}
	if t.file == nil {
		return errClosed
	}
	return t.flush()
}

// flush is Flush with the lock held, on an open file without failure.
func (t *Trace) flush() error {
	end := t.waiting.position()
	for next := t.written.Load(); next < end; {
		records, after := t.waiting.batch(next, end)
		if len(records) == 0 {
			break // lost meanwhile; the mark comes before the next record
		}
		if lost := after - next - uint64(len(records)); lost > 0 {
			t.events.lost(lost, records[0].Start)
		}
		for i := range records {
			t.events.add(&records[i])
		}
		next = after
		t.written.Store(next)
		if len(t.events.buffer) >= blockSize {
			if err := t.write(); err != nil {
				return err
			}
		}
	}
	return t.write()
}

// write puts the events made so far where the closing bracket is, and the bracket after them. If that fails, the file is
// what it was.
func (t *Trace) write() error {
	added := int64(len(t.events.buffer))
	if added == 0 {
		return nil
	}
	t.events.text(closing)
	_, err := t.file.WriteAt(t.events.buffer, t.length)
	t.events.buffer = t.events.buffer[:0]
	if err != nil {
		_, restored := t.file.WriteAt([]byte(closing), t.length)
		t.fail(errors.Join(err, restored, t.file.Truncate(t.length+int64(len(closing)))))
		return t.err
	}
	t.length += added
	return nil
}

// fail ends the trace.
func (t *Trace) fail(err error) {
	t.err = err
	t.ended.Store(true)
	slog.Error("weft: the trace has ended early", "path", t.path, "error", err)
}

// Close writes what is left and closes the file. It returns the failure that ended the trace, if there was one; every call
// returns the same.
func (t *Trace) Close() error {
	t.once.Do(func() {
		t.ended.Store(true)
		close(t.stop)
		<-t.stopped
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.err == nil {
			_ = t.flush() // a failure is in t.err
		}
		if err := t.file.Close(); err != nil && t.err == nil {
			t.fail(err)
		}
		t.file = nil
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}
