package parallel

import (
	"context"
	"fmt"
	"math"
)

// Thread is the handle through which one goroutine opens parallel regions: Numba's thread-local mask and chunk size made
// visible. It is used by one goroutine at a time.
type Thread struct {
	pool  *Pool
	mask  int
	chunk int
	id    int
	level int
	// place is the slot that the goroutine takes in regions, if it is free, so that it finds in its caches what it had before.
	place int
	// cold is the nanoseconds of work that ForCost did not share with parked workers since it last woke them.
	cold float64
	// labels are those of the profile samples of helpers; nil for none.
	labels context.Context
	// child is the handle that bodies get when a region of this handle runs serially.
	child *Thread
}

// RangeError reports a number of threads or a chunk size outside its bounds.
type RangeError struct {
	Quantity string // "number of threads" or "chunk size"
	Value    int    // what was asked for
	Min, Max int    // the bounds, both included; Max is math.MaxInt where there is none
}

// Error names the quantity, its bounds and the value.
func (e *RangeError) Error() string {
	if e.Max == math.MaxInt {
		return fmt.Sprintf("parallel: %s must be greater than or equal to %d, not %d", e.Quantity, e.Min, e.Value)
	}
	return fmt.Sprintf("parallel: %s must be between %d and %d, not %d", e.Quantity, e.Min, e.Max, e.Value)
}

var serialPool = New(1)

// Serial returns a new handle whose regions run in the calling goroutine, in one slot; its NumThreads is bounded by 1.
func Serial() *Thread { return serialPool.Thread() }

// Pool returns the pool whose workers help the regions of t.
func (t *Thread) Pool() *Pool { return t.pool }

// NumThreads returns the mask: how many threads the next region may use.
func (t *Thread) NumThreads() int { return t.mask }

// SetNumThreads sets the mask for the regions that t opens from now on. It never starts or stops workers. The bound is
// the NumWorkers of the pool, also inside a region with a smaller mask. An n outside 1..NumWorkers changes nothing and
// returns a *RangeError.
func (t *Thread) SetNumThreads(n int) error {
	if n < 1 || n > t.pool.workers {
		return &RangeError{Quantity: "number of threads", Value: n, Min: 1, Max: t.pool.workers}
	}
	t.mask = n
	return nil
}

// ID returns the slot of the region that the caller runs in, below the mask of that region; 0 outside a region.
func (t *Thread) ID() int { return t.id }

// Level returns how many regions enclose the caller; 0 outside a region.
func (t *Thread) Level() int { return t.level }

// ChunkSize returns the chunk size of the next region; 0 stands for shares as large as possible.
func (t *Thread) ChunkSize() int { return t.chunk }

// SetChunkSize sets the chunk size, in items, of the regions that t opens from now on, and returns the previous one. [Chunks]
// returns how many chunks that makes; they are as even as possible, so a chunk may have a few items more or fewer. Where there
// are no more chunks than threads, they are the lots of a region with chunk size 0, each as a whole. 0 stands for shares as
// large as possible. A negative n changes nothing and returns a *RangeError.
func (t *Thread) SetChunkSize(n int) (old int, err error) {
	old = t.chunk
	if n < 0 {
		return old, &RangeError{Quantity: "chunk size", Value: n, Min: 0, Max: math.MaxInt}
	}
	t.chunk = n
	return old, nil
}

// WithChunkSize runs f with the chunk size set to n, and restores the previous one, also if f panics. A negative n runs nothing
// and returns a *RangeError.
func (t *Thread) WithChunkSize(n int, f func()) error {
	before, err := t.SetChunkSize(n)
	if err != nil {
		return err
	}
	defer func() { t.chunk = before }()
	f()
	return nil
}

// SetLabels gives the samples that runtime/pprof takes of helpers, in the regions that t opens from now on, the labels that ctx
// carries: none if it is context.Background().
func (t *Thread) SetLabels(ctx context.Context) {
	if t.labels = ctx; ctx == context.Background() {
		t.labels = nil
	}
}

// Fork returns an independent handle for another goroutine: outside any region, with the mask of t and chunk size 0.
func (t *Thread) Fork() *Thread { return &Thread{pool: t.pool, mask: t.mask} }

// Reset restores the mask to NumWorkers and the chunk size to 0, and takes the labels away, so that nothing set by one operator
// reaches the next.
func (t *Thread) Reset() {
	if t.mask != t.pool.workers || t.chunk != 0 || t.labels != nil { // What is not written stays in other processors' caches.
		t.mask, t.chunk, t.labels = t.pool.workers, 0, nil
	}
}
