package enginetest

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/weft-nd/weft/engine"
)

// budget is memory that operations take and give back.
type budget struct {
	mu      sync.Mutex
	left    int
	garbage int      // taken by nobody, and left only after a collection
	claims  []string // that were granted, in order
	tries   map[string]int
	running chan struct{} // closed when the collection that runs has ended
}

func newBudget(bytes int) *budget { return &budget{left: bytes, tries: map[string]int{}} }

var errNoMemory = errors.New("no memory")

// claim takes n bytes for the operation with the given name, or returns what its function returns. Garbage is collected.
func (b *budget) claim(name string, n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries[name]++
	if n > b.left {
		return engine.Starved(errNoMemory, b.collection())
	}
	b.left -= n
	b.claims = append(b.claims, name)
	return nil
}

// collection returns what is closed when the garbage is collected; nil without any.
func (b *budget) collection() <-chan struct{} {
	if b.garbage > 0 && b.running == nil {
		done := make(chan struct{})
		b.running = done
		go func() {
			runtime.Gosched()
			b.mu.Lock()
			b.left, b.garbage, b.running = b.left+b.garbage, 0, nil
			b.mu.Unlock()
			close(done)
		}()
	}
	return b.running
}

// give gives n bytes back.
func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
}

// drop makes n bytes garbage.
func (b *budget) drop(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.garbage += n
}

// unclaimed returns how much nobody has.
func (b *budget) unclaimed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left + b.garbage
}

// granted returns the names of those that have claimed, in order.
func (b *budget) granted() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.claims...)
}

// triesOf returns how often the operation with the given name has tried.
func (b *budget) triesOf(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tries[name]
}

// taking returns a leaf that takes n bytes of b, for good.
func (b *budget) taking(name string, n int, accesses ...engine.Access) *engine.Operation {
	op := leaf(name, nil, accesses...)
	op.Function = function(func() error { return b.claim(name, n) })
	op.Bytes = int64(n)
	return op
}

// holding pushes an asynchronous operation, which is in flight until end is called, at the latest when the
// test ends. Then it gives n bytes to b.
func (s *subject) holding(b *budget, n int) (end func()) {
	completions := make(chan func(error), 1)
	s.Push(async("holder", func(complete func(error)) { completions <- complete }, write(s.NewVar())))
	end = sync.OnceFunc(func() {
		b.give(n)
		(<-completions)(nil)
	})
	s.t.Cleanup(end)
	return end
}

// parked waits until so many tasks are parked and have tried in vain: nothing more happens until there is a reason.
func (s *subject) parked(tasks int, b *budget, first string, tries int) {
	for s.Stats().Parked != tasks || b.triesOf(first) < tries {
		runtime.Gosched()
	}
}

// parks skips a property for an engine that has no parked operations; NothingIsParkedByAnEngineThatRunsInPlace is for that.
func parks(t *testing.T, s *subject) {
	if s.Name() == "naive" {
		t.Skip("an operation that gets no memory waits for relief where it runs")
	}
}
