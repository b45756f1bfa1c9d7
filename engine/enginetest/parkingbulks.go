package enginetest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/profile"
)

// together are the ways to make one task of several operations.
var together = map[string]func(s *subject, operations ...*engine.Operation){
	"gathered": func(s *subject, operations ...*engine.Operation) {
		s.Bulk(len(operations), func(p engine.Pusher) {
			for _, op := range operations {
				p.Push(op)
			}
		})
	},
	"recorded": func(s *subject, operations ...*engine.Operation) {
		var all []engine.Operation
		for _, op := range operations {
			all = append(all, *op)
		}
		s.Push(s.NewBulkOperator(all...))
	},
}

func bulkResumed(t *testing.T, new factory) {
	for kind, push := range together {
		t.Run(kind, func(t *testing.T) {
			s := start(t, new)
			parks(t, s)
			b := newBudget(0)
			end := s.holding(b, 2)
			before, v, w := s.NewVar(), s.NewVar(), s.NewVar()
			var order []string
			finished := 0
			member := func(name string, n int, accesses ...engine.Access) *engine.Operation {
				op := b.taking(name, n, accesses...)
				claim := op.Function
				op.Function = &ordered{engine.FunctionOf(func(rc *engine.RunContext) error {
					err := claim.Run(rc)
					if err == nil {
						order = append(order, name)
					}
					return err
				}), func() { finished++ }}
				return op
			}
			push(s,
				member("0", 0, write(before)), member("1", 0, write(v)), member("2", 1, update(v)), member("3", 0, update(v)),
				member("4", 2, update(w)), member("5", 0, read(v), update(w)))
			s.parked(2, b, "2", 2)
			require.Equal(t, []string{"0", "1"}, order)
			require.Equal(t, 2, finished)
			require.NoError(t, s.wait(before))
			require.Equal(t, engine.Stats{Pushed: 7, Done: 2, Parked: 2, Parkings: 2}, s.Stats(), "4 stands behind 2")
			b.give(1)
			engine.MemoryFreed()
			s.parked(1, b, "4", 2)
			require.Equal(t, []string{"0", "1", "2", "3"}, order)
			end()
			require.NoError(t, s.wait(w))
			require.Equal(t, []string{"0", "1", "2", "3", "4", "5"}, order)
			require.Equal(t, []uint64{1, 3, 2}, []uint64{before.Version(), v.Version(), w.Version()})
			s.requireDone()
			require.Equal(t, engine.Stats{Pushed: 7, Done: 7, Parkings: 2}, s.Stats())
			require.Equal(t, 6, finished)
		})
	}
}

// bulkNotRecycled dissolves a bulk of functions that would go back to a pool.
func bulkNotRecycled(t *testing.T, new factory) {
	s := start(t, new)
	parks(t, s)
	b := newBudget(0)
	end := s.holding(b, 1)
	var recycled atomic.Int32
	var count int
	pool, v := &sync.Pool{}, s.NewVar()
	member := func() *engine.Operation {
		r := &reused{idle: pool, counter: &count, recycled: &recycled}
		r.busy.Store(true)
		r.operation = engine.Operation{Name: "reused", Function: r, Accesses: []engine.Access{update(v)}}
		return &r.operation
	}
	together["gathered"](s, member(), b.taking("hungry", 1, update(v)), member())
	s.parked(1, b, "hungry", 1)
	end()
	require.NoError(t, s.wait(v))
	s.requireDone()
	require.Equal(t, 2, count)
	require.Zero(t, recycled.Load())
}

func bulkMemberFails(t *testing.T, new factory) {
	for kind, push := range together {
		t.Run(kind, func(t *testing.T) {
			s := start(t, new)
			b := newBudget(5)
			fine, bad, behind, last := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
			push(s,
				b.taking("fine", 1, write(fine)), b.taking("hopeless", 6, write(bad)), b.taking("behind", 1, read(bad), write(behind)),
				b.taking("after", 2, update(fine)), b.taking("last", 3, write(last)), b.taking("none", 0, update(fine)))
			require.NoError(t, s.wait(fine))
			for _, v := range []*engine.Var{bad, behind} {
				require.ErrorIs(t, s.wait(v), errNoMemory)
			}
			require.Equal(t, "hopeless", errorOf(t, s.wait(bad)).Operator)
			require.Equal(t, "behind", errorOf(t, s.wait(behind)).Operator)
			require.ErrorIs(t, s.wait(last), errNoMemory)
			require.Equal(t, []string{"fine", "after", "none"}, b.granted())
			require.Equal(t, []uint64{3, 0, 0, 0}, []uint64{fine.Version(), bad.Version(), behind.Version(), last.Version()})
			stats := s.Stats()
			require.Equal(t, []uint64{6, 2, 1}, []uint64{stats.Done, stats.Failed, stats.Skipped})
		})
	}
}

// bulkLetsGo has operations that free memory when they have read what a task has written that is parked.
func bulkLetsGo(t *testing.T, new factory) {
	for kind, push := range together {
		for _, ranged := range []bool{false, true} {
			t.Run(fmt.Sprint(kind, ranged), func(t *testing.T) {
				s := start(t, new)
				parks(t, s)
				b := newBudget(0)
				written, readLater, updatedLater, w := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
				access := func(a engine.Access) engine.Access {
					if ranged {
						a = part(a, 10, 20)
					}
					return a
				}
				s.stop()
				push(s,
					b.taking("first", 0, access(write(written)), access(write(readLater)), access(write(updatedLater))),
					b.taking("second", 0, access(write(written)), access(update(updatedLater))),
					b.taking("hungry", 4, access(read(readLater)), access(update(updatedLater)), write(w)),
					leaf("frees", func() { b.give(1) }))
				s.Push(leaf("frees", func() { b.give(1) }, access(update(written))))
				s.Push(leaf("frees", func() { b.give(1) }, access(read(readLater))))
				s.Push(leaf("frees", func() { b.give(1) }, access(read(readLater)), access(read(written))))
				s.Push(leaf("last", func() { b.give(3) }, access(read(updatedLater))))
				s.Start()
				require.NoError(t, s.wait(w))
				s.requireDone()
				for _, v := range []*engine.Var{written, readLater, updatedLater, w} {
					require.Equal(t, v.Sequence(), v.Version())
				}
				require.Equal(t, []string{"first", "second", "hungry"}, b.granted())
			})
		}
	}
}

// names notes what an observer is told of.
type names struct {
	mu  sync.Mutex
	all []string
}

// Observe implements profile.Observer.
func (n *names) Observe(record *profile.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, record.Name)
}

func parkedObserved(t *testing.T, new factory) {
	for kind, push := range together {
		t.Run(kind, func(t *testing.T) {
			s := start(t, new)
			parks(t, s)
			var told names
			b, v, w := newBudget(0), s.NewVar(), s.NewVar()
			end := s.holding(b, 3)
			defer s.Observe(&told)()
			push(s, b.taking("a", 0, write(v)), b.taking("b", 0, update(v)), b.taking("c", 3, update(v)), b.taking("d", 0, update(v)))
			s.parked(1, b, "c", 2)
			require.Equal(t, []string{"bulk of 2"}, told.all)
			push(s, b.taking("first", 1, write(w)), b.taking("second", 1, update(w)))
			for s.Stats().Parked != 2 {
				runtime.Gosched()
			}
			end()
			require.ErrorIs(t, s.waitAll(), errNoMemory, "the second bulk has none")
			told.mu.Lock()
			defer told.mu.Unlock()
			require.ElementsMatch(t, []string{"bulk of 2", "holder", "c", "d", "first", "second"}, told.all)
		})
	}
}
