package engine

import (
	"container/heap"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/parallel"
)

// perDevice gives every CPU device queues of its own, which the workers of the process serve, and every other device
// streams of its own: one for compute, one for each direction of copies, so that copies overlap compute.
type perDevice struct {
	core
	pool    *parallel.Pool
	limit   int64
	threads sync.Pool // of *parallel.Thread, for goroutines that are no workers
	lanes   laneSet
	started sync.Once

	mu        sync.Mutex // guards what follows; never held while anything runs
	progress  sync.Cond  // a leaf ended or became ready, while somebody is throttled
	hosts     []hostLane // by device
	turn      int        // the lane that is served next
	ready     atomic.Int64
	running   int // leaves that run now
	throttled int // goroutines that wait in throttle
}

// hostLane is the ready operations of one CPU device.
type hostLane struct {
	device device.Device
	plain  queue         // of priority zero
	sorted priorityQueue // all others, and those with the property Prioritized
}

// burst is how many operations a worker runs one after another, each made ready by the one before, until it looks at the
// queues again.
const burst = 64

// NewPerDevice returns the default engine: leaves on CPU devices run on the workers of the process, operations on other
// devices on streams, host functions on goroutines of their own.
func NewPerDevice(opts ...Option) Engine {
	o := options{limit: DefaultLimit}
	for _, opt := range opts {
		opt(&o)
	}
	if o.pool == nil {
		o.pool = parallel.Default()
	}
	e := &perDevice{pool: o.pool, limit: int64(o.limit)}
	e.progress.L = &e.mu
	e.threads.New = func() any { return e.pool.Thread() }
	e.core = newCore(e)
	e.lanes.open = func(d device.Device, _ Property) *streamLane {
		l := newStreamLane(d, &e.core)
		l.start()
		return l
	}
	return e
}

// Name implements Engine.
func (e *perDevice) Name() string { return "perdevice" }

func (e *perDevice) dispatch(ready queue) {
	for op := ready.take(); op != nil; op = ready.take() {
		switch {
		case op.waiter != nil || op.Property == DeleteVar || op.refused:
			ready.append(e.execute(op, nil))
		case op.lane != nil:
			op.lane.add(op)
		case op.Host:
			go e.runHost(op)
		default:
			e.publish(op)
		}
	}
}

func (e *perDevice) laneOf(op *Operation) *streamLane {
	if op.Device.OnHost() || op.waiter != nil || op.Property == DeleteVar || op.Host || op.refused {
		return nil
	}
	property := op.Property
	if property != CopyFromDevice && property != CopyToDevice {
		property = Normal
	}
	return e.lanes.of(op.Device, property)
}

func (e *perDevice) runHost(op *Operation) {
	t := e.threads.Get().(*parallel.Thread)
	t.Reset()
	ready := e.execute(op, t)
	e.threads.Put(t)
	e.dispatch(ready)
}

// publish makes a leaf available to the workers.
func (e *perDevice) publish(op *Operation) {
	e.started.Do(func() { e.pool.AddSource(e) })
	e.mu.Lock()
	l := e.hostLane(op.Device)
	if op.Priority == 0 && op.Property != Prioritized {
		l.plain.add(op)
	} else {
		heap.Push(&l.sorted, op)
	}
	e.ready.Add(1)
	wake := e.throttled > 0
	e.mu.Unlock()
	if wake {
		e.progress.Signal()
	}
	e.pool.Notify()
}

func (e *perDevice) hostLane(d device.Device) *hostLane {
	for i := range e.hosts {
		if e.hosts[i].device == d {
			return &e.hosts[i]
		}
	}
	e.hosts = append(e.hosts, hostLane{device: d})
	return &e.hosts[len(e.hosts)-1]
}

// HasWork implements parallel.Source.
func (e *perDevice) HasWork() bool { return e.ready.Load() > 0 }

// take removes the operation to run next, nil if none is ready. The devices take turns.
func (e *perDevice) take() *Operation {
	if e.ready.Load() == 0 {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for range e.hosts {
		e.turn = (e.turn + 1) % len(e.hosts)
		if op := e.hosts[e.turn].take(); op != nil {
			e.ready.Add(-1)
			e.running++
			return op
		}
	}
	return nil
}

func (l *hostLane) take() *Operation {
	if len(l.sorted) > 0 {
		if first := l.sorted[0]; first.Property == Prioritized || first.Priority > 0 || l.plain.first == nil {
			return heap.Pop(&l.sorted).(*Operation)
		}
	}
	return l.plain.take()
}

// RunOne implements parallel.Source: the worker runs an operation and then what that makes ready, which needs no queue
// and finds its operands in the worker's cache.
func (e *perDevice) RunOne(t *parallel.Thread) bool {
	op := e.take()
	if op == nil {
		return false
	}
	defer e.leave()
	if e.HasWork() {
		e.pool.Notify() // Those who published the rest may have relied on this worker.
	}
	for range burst {
		t.Reset()
		ready := e.execute(op, t)
		if op = ready.first; op == nil || !op.isPlainLeaf() {
			op = nil
		} else {
			ready.take()
		}
		e.dispatch(ready)
		if op == nil {
			break
		}
	}
	if op != nil {
		e.publish(op)
	}
	return true
}

func (op *Operation) isPlainLeaf() bool {
	return op.waiter == nil && op.lane == nil && !op.Host && !op.refused && op.Property == Normal && op.Priority == 0
}

// leave counts a leaf less that runs.
func (e *perDevice) leave() {
	e.mu.Lock()
	e.running--
	wake := e.throttled > 0
	e.mu.Unlock()
	if wake {
		e.progress.Broadcast()
	}
}

// throttle keeps a goroutine that pushes from running ahead without bound: it helps, one operation at a time and not what
// that makes ready, and waits only while a leaf runs, which ends by itself. It never waits for a host function: that may
// need something the goroutine holds.
func (e *perDevice) throttle() {
	for e.pending.count.Load() > e.limit {
		if op := e.take(); op != nil {
			e.dispatch(e.help(op))
			continue
		}
		if !e.awaitProgress() {
			return
		}
	}
}

// help runs one leaf in the calling goroutine.
func (e *perDevice) help(op *Operation) queue {
	defer e.leave()
	t := e.threads.Get().(*parallel.Thread)
	t.Reset()
	defer e.threads.Put(t)
	return e.execute(op, t)
}

// awaitProgress waits for the end of a running leaf, or for a ready one; it returns false if no leaf runs.
func (e *perDevice) awaitProgress() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running == 0 {
		return e.ready.Load() > 0
	}
	if e.ready.Load() == 0 {
		e.throttled++
		e.progress.Wait()
		e.throttled--
	}
	return true
}

func (e *perDevice) stop() {
	e.pool.RemoveSource(e)
	e.lanes.stop()
}
