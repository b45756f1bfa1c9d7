package storage

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

func newWatchedBestFit() (*bestFit, *watchedSource) {
	from := newWatchedSource()
	m := newBestFit(device.CPU(0), from)
	m.SetLimit(0)
	return m, from
}

// requireWithinLimit checks what Stats promises at any moment.
func requireWithinLimit(t *testing.T, s Stats) {
	t.Helper()
	require.GreaterOrEqual(t, s.InUse, int64(0))
	require.GreaterOrEqual(t, s.Cached, int64(0))
	require.GreaterOrEqual(t, s.Peak, s.InUse)
	require.LessOrEqual(t, s.Reused, s.Allocations)
	if s.Limit > 0 {
		require.LessOrEqual(t, s.Cached, max(0, s.Limit-s.InUse), "%+v", s)
	}
}

// marked is memory whose pages begin with a mark.
type marked struct {
	Memory
	mark byte
}

func (m marked) fill() {
	for at := 0; at < m.Bytes; at += classPage {
		*(*byte)(m.Pointer.Add(at).Host) = m.mark
	}
	*(*byte)(m.Pointer.Add(m.Bytes - 1).Host) = m.mark
}

func (m marked) whole() bool {
	for at := 0; at < m.Bytes; at += classPage {
		if *(*byte)(m.Pointer.Add(at).Host) != m.mark {
			return false
		}
	}
	return *(*byte)(m.Pointer.Add(m.Bytes - 1).Host) == m.mark
}

// Goroutines allocate, and free what others have allocated, while the manager is trimmed, limited, and asked.
func TestBestFitUnderEverythingAtOnce(t *testing.T) {
	const goroutines = 6
	rounds := 4000
	if testing.Short() {
		rounds = 1000
	}
	m, from := newWatchedBestFit()
	passed := make(chan marked, 64)
	var users, disturbers sync.WaitGroup
	for g := range goroutines {
		users.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for i := range rounds {
				bytes := 1 + random.IntN(1<<(10+random.IntN(13)))
				memory, err := m.Allocate(bytes)
				if err != nil {
					require.ErrorIs(t, err, fault.ErrOutOfMemory)
				} else {
					own := marked{memory, byte(g*37 + i)}
					own.fill()
					passed <- own
				}
				for len(passed) > 32 || err != nil && len(passed) > 0 {
					select {
					case other := <-passed:
						if !other.whole() {
							t.Errorf("%d bytes were overwritten", other.Bytes)
						}
						m.Free(other.Memory)
						err = nil
					default:
					}
				}
			}
		})
	}
	stop := make(chan struct{})
	disturb := func(step func(random *rand.Rand)) {
		disturbers.Go(func() {
			random := rand.New(rand.NewPCG(9, 9))
			for {
				select {
				case <-stop:
					return
				default:
					step(random)
					runtime.Gosched()
				}
			}
		})
	}
	disturb(func(*rand.Rand) { requireWithinLimit(t, m.Stats()) })
	disturb(func(r *rand.Rand) { m.TrimUnused(time.Duration(r.IntN(3)) * time.Millisecond) })
	disturb(func(r *rand.Rand) { m.SetLimit(int64(r.IntN(4)) * int64(r.IntN(32<<20))) })
	disturb(func(*rand.Rand) { m.trimUnused() })
	users.Wait()
	close(stop)
	disturbers.Wait()
	close(passed)
	for other := range passed {
		require.True(t, other.whole())
		m.Free(other.Memory)
	}
	require.Zero(t, m.Stats().InUse)
	m.Trim()
	stats := m.Stats()
	require.Zero(t, stats.InUse+stats.Cached)
	require.Empty(t, from.mapped)
}

// One goroutine's sequence of everything, with exact counts.
func TestBestFitCountsExactly(t *testing.T) {
	m, from := newWatchedBestFit()
	random := rand.New(rand.NewPCG(5, 5))
	var held []Memory
	allocations, inUse := uint64(0), int64(0)
	for range 3000 {
		switch random.IntN(20) {
		case 0:
			m.SetLimit(int64(random.IntN(2)) * int64(1+random.IntN(64<<20)))
		case 1:
			m.TrimUnused(time.Duration(random.IntN(1000)))
		default:
			if bytes := random.IntN(1 << (8 + random.IntN(15))); random.IntN(2) == 0 {
				before := m.Stats()
				memory, err := m.Allocate(bytes)
				if err != nil {
					require.ErrorIs(t, err, fault.ErrOutOfMemory)
					require.Greater(t, before.InUse+int64(roundToClass(bytes)), before.Limit, "there was room")
					continue
				}
				held = append(held, memory)
				if bytes > 0 {
					allocations++
					inUse += int64(memory.chunk.bytes)
					require.LessOrEqual(t, memory.chunk.bytes, bytes+bytes/8+classPage)
				}
			} else if len(held) > 0 {
				i := random.IntN(len(held))
				if held[i].Bytes > 0 {
					inUse -= int64(held[i].chunk.bytes)
				}
				m.Free(held[i])
				held[i] = held[len(held)-1]
				held = held[:len(held)-1]
			}
		}
		stats := m.Stats()
		require.Equal(t, inUse, stats.InUse)
		require.Equal(t, allocations, stats.Allocations)
		requireWithinLimit(t, stats)
		require.LessOrEqual(t, stats.InUse+stats.Cached, int64(from.bytes()))
	}
	for _, memory := range held {
		m.Free(memory)
	}
	m.Trim()
	require.Empty(t, from.mapped)
}

// The limit counts what is rounded up, and is reached to the last page.
func TestLimitIsReachedAndNotExceeded(t *testing.T) {
	m, _ := newWatchedBestFit()
	for _, pages := range []int64{1, 16, 17, 33, 100, 1000} {
		m.SetLimit(pages * classPage)
		var held []Memory
		for {
			memory, err := m.Allocate(classPage)
			if err != nil {
				break
			}
			held = append(held, memory)
			requireWithinLimit(t, m.Stats())
		}
		require.Len(t, held, int(pages))
		for i, memory := range held {
			if i%2 == 0 {
				m.Free(memory) // holes of one page
			}
		}
		requireWithinLimit(t, m.Stats())
		for i, memory := range held {
			if i%2 != 0 {
				m.Free(memory)
			}
		}
		all, err := m.Allocate(int(pages) * classPage * 16 / 17)
		require.NoError(t, err)
		requireWithinLimit(t, m.Stats())
		m.Free(all)
	}
}

// What another worker's front keeps is not out of reach although that worker is in the middle of something.
func TestMemoryInABusyFrontIsWaitedFor(t *testing.T) {
	for name, limited := range map[string]bool{"limit": true, "system": false} {
		t.Run(name, func(t *testing.T) {
			m, from := newWatchedBestFit()
			memory, err := m.Allocate(8 << 20)
			require.NoError(t, err)
			m.Free(memory)
			if limited {
				m.limit = 8 << 20
			} else {
				from.room = 8 << 20
			}
			var busy *front
			m.fronts.each(func(own *front) {
				if own.large != nil {
					busy = own
				}
			})
			busy.mu.Lock()
			done := make(chan error)
			go func() {
				memory, err := m.Allocate(7 << 20)
				if err == nil {
					m.Free(memory)
				}
				done <- err
			}()
			for range 1000 {
				runtime.Gosched()
			}
			select {
			case err := <-done:
				require.NoError(t, err)
			default:
				busy.mu.Unlock()
				require.NoError(t, <-done)
			}
			m.Trim()
			require.Empty(t, from.mapped)
		})
	}
}

func TestBestFitFindsBadFrees(t *testing.T) {
	m, _ := newWatchedBestFit()
	other, _ := newWatchedBestFit()
	first, err := m.Allocate(5000)
	require.NoError(t, err)
	require.PanicsWithValue(t, "storage: freed what another manager has handed out: 5000 bytes (4.9 KiB)", func() { other.Free(first) })
	m.Free(first)
	require.PanicsWithValue(t, "storage: freed twice: 5000 bytes (4.9 KiB)", func() { m.Free(first) })
	second, err := m.Allocate(6000)
	require.NoError(t, err)
	require.Equal(t, first.Pointer, second.Pointer)
	require.Panics(t, func() { m.Free(first) }, "the memory is another's by now")
	require.False(t, alive(first))
	require.True(t, alive(second))
	m.Free(second)
	m.Trim() // the chunk is nobody's any more
	third, err := m.Allocate(1 << 20)
	require.NoError(t, err)
	require.Panics(t, func() { m.Free(first) })
	require.Panics(t, func() { m.Free(second) })
	m.Free(third)

	// Of many frees of the same memory at once, one is the first.
	memory, err := m.Allocate(100)
	require.NoError(t, err)
	var all sync.WaitGroup
	panics := make(chan any, 8)
	for range cap(panics) {
		all.Go(func() {
			defer func() { panics <- recover() }()
			m.Free(memory)
		})
	}
	all.Wait()
	freed := 0
	for range cap(panics) {
		if <-panics == nil {
			freed++
		}
	}
	require.Equal(t, 1, freed)
	require.Zero(t, m.Stats().InUse)
	m.Trim()
}

// A system without memory gets back what is kept, before an allocation fails.
func TestSystemThatRefusesGetsBackWhatIsKept(t *testing.T) {
	m, from := newWatchedBestFit()
	from.room = 40 << 20
	for range 5 {
		var held []Memory
		for {
			memory, err := m.Allocate(1 << 20)
			if err != nil {
				require.ErrorIs(t, err, fault.ErrOutOfMemory)
				break
			}
			held = append(held, memory)
		}
		require.Greater(t, len(held), 30)
		for _, memory := range held {
			m.Free(memory)
		}
		large, err := m.Allocate(35 << 20)
		require.NoError(t, err)
		m.Free(large)
	}
	m.Trim()
	require.Empty(t, from.mapped)
}

func TestSizesThatAreNoneAreOutOfMemory(t *testing.T) {
	m, _ := newWatchedBestFit()
	for _, bytes := range []int{-1, -4096, -1 << 62} {
		_, err := m.Allocate(bytes)
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
	}
	require.Zero(t, m.Stats())
}

// A loop that uses the same sizes again and again takes nothing new from the system, and no lock but its own.
func TestSteadyLoopReusesWhatItHas(t *testing.T) {
	m, from := newWatchedBestFit()
	sizes := []int{5000, 70_000, 300_000, 1 << 20, 3 << 20, 20 << 20}
	step := func() {
		var held []Memory
		for _, bytes := range sizes {
			memory, err := m.Allocate(bytes)
			require.NoError(t, err)
			held = append(held, memory)
		}
		for _, memory := range held {
			m.Free(memory)
		}
	}
	for range 3 {
		step()
	}
	before, mapped, discards := m.Stats(), from.bytes(), from.discards
	for range 100 {
		step()
	}
	after := m.Stats()
	require.EqualValues(t, 100*len(sizes), after.Reused-before.Reused)
	require.Equal(t, before.Peak, after.Peak)
	require.Equal(t, mapped, from.bytes())
	require.Equal(t, discards, from.discards)
	m.Trim()
}

// Memory that fits nowhere goes back once much more is kept than was in use lately, and not before.
func TestMemoryThatFitsNowhereIsKeptUpToWhatWasUsedLately(t *testing.T) {
	for _, c := range []struct {
		name     string
		looks    int // of the trimmer, after most was in use
		goesBack bool
	}{{"used a moment ago", 0, false}, {"used since the look before", 1, false}, {"used long ago", 2, true}} {
		t.Run(c.name, func(t *testing.T) {
			m, from := newWatchedBestFit()
			var held []Memory
			for range 100 {
				memory, err := m.Allocate(1 << 20)
				require.NoError(t, err)
				held = append(held, memory)
			}
			for i := 0; i < len(held); i += 2 {
				m.Free(held[i])
			}
			for range c.looks {
				m.looked()
			}
			large, err := m.Allocate(8 << 20) // fits in none of the gaps
			require.NoError(t, err)
			require.Equal(t, c.goesBack, from.discards > 0)
			m.Free(large)
			for i := 1; i < len(held); i += 2 {
				m.Free(held[i])
			}
			m.Trim()
			require.Empty(t, from.mapped)
		})
	}
}

// alive reports whether m was not freed yet.
func alive(m Memory) bool { return m.chunk.generation == m.generation } // which nobody frees meanwhile
