package autograd

import (
	"runtime"
	"sync"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

// Tape records the operators applied to watched arrays. What they save for their gradients is protected from being
// written while the tape lives: until Gradient, Close, or its collection.
type Tape struct {
	*recording
	persistent bool

	watching sync.Mutex
	watched  map[*nd.Array]*nd.Array
}

// recording is what a tape has seen. It does not refer to the tape, so that a dropped tape can be collected.
type recording struct {
	mu      sync.Mutex
	nodes   int
	records []*ops.Record
	closed  bool
}

// Option changes how a tape is made.
type Option func(*Tape)

// Persistent lets Gradient be called several times; the tape lives until Close.
func Persistent() Option { return func(t *Tape) { t.persistent = true } }

// NewTape returns a tape that watches nothing yet. It panics with *nd.Error if an option is nil.
func NewTape(opts ...Option) *Tape {
	t := &Tape{recording: &recording{}, watched: map[*nd.Array]*nd.Array{}}
	for _, opt := range opts {
		if opt == nil {
			panic(&nd.Error{Operator: "NewTape", Detail: "an option is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
		}
		opt(t)
	}
	runtime.AddCleanup(t, (*recording).close, t.recording)
	return t
}

// checkNotNil fails in the user's line if an array is nil.
func checkNotNil(operator string, arrays ...*nd.Array) {
	for _, a := range arrays {
		if a == nil || (*ops.Tensor)(a).Env() == nil { // as that of new(nd.Array)
			panic(&nd.Error{Operator: operator, Detail: "the array is nil", Cause: fault.ErrMisuse, Site: fault.Here(2)})
		}
	}
}

// checkFunction fails where a user's function, which found tells of, is nil.
func checkFunction(operator string, found bool) {
	if !found {
		panic(&nd.Error{Operator: operator, Detail: "the function is nil", Cause: fault.ErrMisuse, Site: fault.Here(2)})
	}
}

// Watch returns a handle on the data of a that t watches; a itself is not watched. Calls with the same a return the same
// handle. If t already watches a, or what a was computed from, Watch returns a itself. It panics with *nd.Error if a is nil, or
// of a dtype that has no gradients.
func (t *Tape) Watch(a *nd.Array) *nd.Array {
	checkNotNil("Tape.Watch", a)
	if a.DType().IsInexact() && (*ops.Tensor)(a).NodeOf(t) >= 0 {
		return a
	}
	t.watching.Lock()
	defer t.watching.Unlock()
	if known := t.watched[a]; known != nil {
		return known
	}
	handle := t.handle("Tape.Watch", a)
	t.watched[a] = handle
	return handle
}

// handle returns a new handle on the data of a that t watches. It fails two frames up, in the user's line, on what has no
// gradients.
func (t *Tape) handle(operator string, a *nd.Array) *nd.Array {
	tensor := (*ops.Tensor)(a)
	if !tensor.DType().IsInexact() {
		panic(&nd.Error{Operator: operator, Detail: "only floats and complex numbers have gradients, not " + tensor.DType().String(), Cause: fault.ErrDType, Site: fault.Here(2)})
	}
	return (*nd.Array)(tensor.Watched(t, t.Reserve(1)))
}

// node returns the node of a, or of the handle that Watch made of it; -1 if t watches neither.
func (t *Tape) node(a *nd.Array) int {
	if id := (*ops.Tensor)(a).NodeOf(t); id >= 0 {
		return id
	}
	t.watching.Lock()
	defer t.watching.Unlock()
	if handle := t.watched[a]; handle != nil {
		return (*ops.Tensor)(handle).NodeOf(t)
	}
	return -1
}

// Closed implements ops.Recorder: it reports whether Gradient, of a tape that is not persistent, or Close was called.
func (r *recording) Closed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// Close forgets everything recorded and watched, and ends the protection of what was saved. Closing again is harmless.
func (t *Tape) Close() {
	t.close()
	t.unwatch()
}

// unwatch lets go of the arrays that were given to Watch: results, which hold the tape, must not hold them.
func (t *Tape) unwatch() {
	t.watching.Lock()
	defer t.watching.Unlock()
	clear(t.watched)
}

// Reserve implements ops.Recorder.
func (r *recording) Reserve(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.nodes
	r.nodes += n
	return first
}

// Record implements ops.Recorder. A closed tape records nothing.
func (r *recording) Record(record *ops.Record) {
	if !r.keep(record) {
		record.Forget()
	}
}

// keep reports false if r is closed.
func (r *recording) keep(record *ops.Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.records = append(r.records, record)
	}
	return !r.closed
}

func (r *recording) close() {
	records, _, _ := r.take(false)
	forget(records)
}

// forget drops records; those that are dropped before are nil.
func forget(records []*ops.Record) {
	for i, record := range records {
		if record != nil {
			record.Forget()
			records[i] = nil
		}
	}
}

// take returns what was recorded; unless it is kept, the recording is closed and the caller owns the records. ok is false
// if the recording was closed before.
func (r *recording) take(keep bool) (records []*ops.Record, nodes int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, 0, false
	}
	records = r.records[:len(r.records):len(r.records)]
	if !keep {
		r.closed = true
		r.records = nil
	}
	return records, r.nodes, true
}

var _ ops.Recorder = (*Tape)(nil)
