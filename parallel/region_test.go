package parallel

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkRegion runs a region and checks that each item ran once, under an identity below the mask that nobody else used at
// the time, with the settings of a fresh participant.
func checkRegion(t testing.TB, thread *Thread, n int) {
	mask, chunk, level := thread.NumThreads(), thread.ChunkSize(), thread.Level()
	runs := make([]atomic.Int32, n)
	busy := make([]atomic.Bool, mask)
	seen := make([]atomic.Bool, mask)
	thread.For(n, func(inner *Thread, lo, hi int) {
		id := inner.ID()
		if id < 0 || id >= mask || lo < 0 || lo >= hi || hi > n {
			t.Errorf("n %d mask %d chunk %d: slot %d got [%d, %d)", n, mask, chunk, id, lo, hi)
			return
		}
		if !busy[id].CompareAndSwap(false, true) {
			t.Errorf("n %d mask %d chunk %d: slot %d is used twice at a time", n, mask, chunk, id)
		}
		if inner.NumThreads() != mask || inner.ChunkSize() != 0 || inner.Level() != level+1 || inner.Pool() != thread.Pool() {
			t.Errorf("n %d mask %d chunk %d: participant has mask %d chunk %d level %d", n, mask, chunk, inner.NumThreads(), inner.ChunkSize(), inner.Level())
		}
		// What a body sets ends with the call.
		if inner.SetNumThreads(1+lo%inner.Pool().NumWorkers()) != nil {
			t.Error("the mask of a body is bounded by the workers")
		}
		if _, err := inner.SetChunkSize(lo); err != nil {
			t.Error(err)
		}
		seen[id].Store(true)
		for i := lo; i < hi; i++ {
			runs[i].Add(1)
		}
		busy[id].Store(false)
	})
	for i := range runs {
		if count := runs[i].Load(); count != 1 {
			t.Fatalf("n %d mask %d chunk %d: item %d ran %d times", n, mask, chunk, i, count)
		}
	}
	if chunk == 0 {
		for id := range min(mask, n) {
			if !seen[id].Load() {
				t.Fatalf("n %d mask %d: slot %d of the static schedule is missing", n, mask, id)
			}
		}
	}
	if thread.NumThreads() != mask || thread.ChunkSize() != chunk || thread.Level() != level {
		t.Fatalf("n %d mask %d chunk %d: the body changed the handle of its launcher", n, mask, chunk)
	}
}

func TestPiecesOfLotsHaveItemsAndCoverAll(t *testing.T) {
	for count := 1; count <= 70; count += 3 {
		for n := count; n < 1<<20; n += 1 + n/3 {
			for _, size := range []int{0, 100, 1 + n/1000} {
				r := &region{items: n, count: count, cuts: uint8(1 + n%mostCuts)}
				if size > 0 {
					r.chunks = Chunks(n, count, size)
				}
				next := 0
				for lot := range count {
					for piece := range r.pieces(lot) {
						lo, hi := r.bounds(lot, piece)
						if lo != next || hi <= lo {
							t.Fatalf("n %d count %d size %d: piece %d of lot %d is [%d, %d) after %d", n, count, size, piece, lot, lo, hi, next)
						}
						next = hi
					}
				}
				require.Equal(t, n, next)
			}
		}
	}
}

func TestLotsOfLittleWorkHaveFewPieces(t *testing.T) {
	for nanoseconds, pieces := range map[float64]int{
		0: 1, briefLot - 1: 1, briefLot: 4, 16*briefPiece - 1: 4, 31 * briefPiece: 5, 32 * briefPiece: mostCuts, math.Inf(1): mostCuts,
	} {
		require.Equal(t, pieces, cutsOf(nanoseconds), "%v nanoseconds", nanoseconds)
	}
}

// What one region leaves in the cache of a processor is what its worker runs in the next one, where nothing more is known than the worker.
func TestWorkersHaveTheSameLotInEveryRegion(t *testing.T) {
	severalProcessors(t)
	withoutProcessors(t)
	pool := newPool(t, 2)
	const regions, items = 200, 4
	source := &countedSource{pool: pool, work: func(thread *Thread) {
		_, _ = thread.SetChunkSize(1)
		own, stolen := 0, 0
		var helped atomic.Int32
		thread.For(items, func(inner *Thread, lo, hi int) {
			if inner.id != inner.place {
				t.Errorf("worker %d has slot %d", inner.place, inner.id)
			}
			switch {
			case inner.place != thread.place:
				helped.Add(1)
			case lo/(items/2) == inner.place:
				if own++; stolen > 0 {
					t.Errorf("worker %d took of another lot before its own", inner.place)
				}
			default:
				stolen++
			}
		})
		if own+stolen+int(helped.Load()) != items {
			t.Errorf("%d of its own, %d of another and %d by a helper are not %d items", own, stolen, helped.Load(), items)
		}
	}}
	pool.AddSource(source)
	for done := range int64(regions) {
		source.publish(1)
		await(func() bool { return source.done.Load() > done })
	}
}

func TestCountersBeginAnewInEveryUse(t *testing.T) {
	var c counter
	for _, use := range []uint32{1, 2, math.MaxUint32} {
		var pieces []int
		for piece, found := c.take(use, 1, 4); found; piece, found = c.take(use, 1, 4) {
			pieces = append(pieces, piece)
		}
		require.Equal(t, []int{1, 2, 3}, pieces)
	}
}

func TestRegionsWorkWhenTheirUsesAreCountedAnew(t *testing.T) {
	pool := newPool(t, 3)
	checkRegion(t, pool.Thread(), 100)
	for i := range pool.regions {
		pool.regions[i].use = math.MaxUint32 - 2
	}
	for range 5 {
		checkRegion(t, pool.Thread(), 100)
	}
}

func TestRegionsOfManyGoroutines(t *testing.T) {
	for _, workers := range []int{2, 4} {
		for _, rounds := range []int{1, searchRounds} {
			t.Run(fmt.Sprintf("%d workers, %d rounds", workers, rounds), func(t *testing.T) {
				pool := newPool(t, workers)
				pool.rounds, pool.keen = rounds, rounds-1
				var group sync.WaitGroup
				for caller := range 100 { // more than helpers can see at a time
					group.Go(func() {
						thread := pool.Thread()
						for i := range 20 {
							_ = thread.SetNumThreads(1 + (caller+i)%workers)
							_, _ = thread.SetChunkSize(i % 3)
							checkRegion(t, thread, (caller*31+i*17)%200)
						}
					})
				}
				group.Wait()
				require.Equal(t, ^uint64(0), pool.free.Load(), "all regions came back")
				require.Zero(t, pool.open.Load())
			})
		}
	}
}

func TestHelpersJoinARegion(t *testing.T) {
	severalProcessors(t)
	for _, chunk := range []int{0, 1} {
		pool := impatient(newPool(t, 4))
		thread := pool.Thread()
		_, err := thread.SetChunkSize(chunk)
		require.NoError(t, err)
		for range 50 {
			// A body that waits for all others is against the contract of For. Here it shows that all four slots run at once,
			// since every parked worker is woken for an open region.
			var arrived atomic.Int32
			thread.For(4, func(inner *Thread, lo, hi int) {
				arrived.Add(1)
				await(func() bool { return arrived.Load() == 4 })
			})
			await(func() bool { return allParked(pool) })
		}
	}
}

func TestRegionDoesNotAllocate(t *testing.T) {
	pool := newPool(t, 2)
	thread := pool.Thread()
	body := func(*Thread, int, int) {}
	thread.For(100, body)
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() { thread.For(100, body) }), 0.5)
}

func TestForCostSharesOnlyEnoughWork(t *testing.T) {
	severalProcessors(t)
	pool := newPool(t, 2)
	calls := func(thread *Thread, n int, nanoseconds float64) (calls int) {
		var count atomic.Int32
		thread.ForCost(n, nanoseconds, func(inner *Thread, lo, hi int) {
			count.Add(1)
			require.Equal(t, []int{1, 2}, []int{inner.Level(), inner.NumThreads()})
		})
		return int(count.Load())
	}
	thread := pool.Thread()
	require.Zero(t, calls(thread, 0, 1e9))
	_, err := thread.SetChunkSize(3)
	require.NoError(t, err)
	require.Equal(t, 1, calls(thread, 1000, 0.1), "chunks do not matter for work that is not shared")
	_, err = thread.SetChunkSize(0)
	require.NoError(t, err)

	require.Greater(t, calls(thread, 1000, 1e6), 1)
	await(func() bool { return allParked(pool) })
	require.Equal(t, 1, calls(pool.Thread(), 1000, 10), "parked workers are not woken for ten microseconds")
	require.Equal(t, 1, calls(pool.Thread(), 1000, 1))

	// but they are once such work goes on.
	woken := 0
	thread = pool.Thread()
	await(func() bool { return allParked(pool) })
	for range 25 {
		if calls(thread, 1000, 10) > 1 {
			woken++
		}
	}
	require.Positive(t, woken)
}

// Those who join a region begin later than its launcher, whose lot is longer where it is known how long an item takes.
func TestLaunchersHaveMoreOfBriefRegions(t *testing.T) {
	for count := 2; count <= 9; count++ {
		for host := range count {
			for _, items := range []int{2 * count, 2*count + 3, 100, 4096, 100_003} {
				for _, lead := range []int{0, 1, items/2 - count} {
					for _, cuts := range []uint8{1, 3, mostCuts} {
						r := &region{items: items, count: count, lead: int32(lead), host: int32(host), cuts: cuts}
						next := 0
						for lot := range count {
							from := next
							for piece := range r.pieces(lot) {
								lo, hi := r.bounds(lot, piece)
								require.Equal(t, next, lo)
								require.Greater(t, hi, lo)
								next = hi
							}
							own := r.border(host+1) - r.border(host)
							if lead > 0 && lot != host && items/count < long {
								require.GreaterOrEqual(t, own-(next-from), lead)
								require.LessOrEqual(t, own-(next-from), lead+1)
							}
						}
						require.Equal(t, items, next)
					}
				}
			}
		}
	}
}
