package storage_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
)

// history is a run of operations on a few Synceds, in the order in which they were registered.
type history struct {
	*machine
	synceds []*storage.Synced
	mu      sync.Mutex // held while an operation is registered and written down
	log     []event
	gifts   []*gift // memory that was handed over
}

// event is one operation, and what it does to the contents of all Synceds.
type event struct {
	done  *engine.Var
	apply func(contents [][]byte) // of a writer
	from  int                     // of a reader: the index of its Synced
	lo    int
	seen  []byte
}

func newHistory(m *machine, synceds, bytes int) *history {
	h := &history{machine: m}
	for range synceds {
		h.synceds = append(h.synceds, storage.NewSynced(m, bytes))
	}
	return h
}

func (h *history) push(d device.Device, e event, run work, uses ...use) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.Atomically(func(p engine.Pusher) {
		op := &engine.Operation{Name: "event", KeepOnSkip: true}
		e.done = h.acquire(p, op, d, nil, run, uses...)
		h.log = append(h.log, e)
	})
}

// requireSerial replays the log on ordinary memory, leaving out what has failed if failures are expected.
func (h *history) requireSerial(failures bool) (failed int) {
	contents := make([][]byte, len(h.synceds))
	for i, s := range h.synceds {
		contents[i] = make([]byte, s.Bytes())
	}
	for i, e := range h.log {
		if err := h.Wait(background, e.done); err != nil {
			require.True(h.t, failures, "event %d: %v", i, err)
			failed++
			continue
		}
		if e.apply != nil {
			e.apply(contents)
		} else {
			require.Equal(h.t, contents[e.from][e.lo:e.lo+len(e.seen)], e.seen, "event %d of %d", i, len(h.log))
		}
	}
	return failed
}

// part returns bounds of a part of n bytes.
func part(random *rand.Rand, n int) (lo, hi int) {
	lo = random.IntN(n)
	return lo, lo + 1 + random.IntN(n-lo)
}

// addOne pushes an operation: a read, a whole write, an update, a move between two Synceds, or memory of the caller's; or it
// prefetches, or writes without an operation.
func (h *history) addOne(random *rand.Rand, d device.Device) {
	i, j := random.IntN(len(h.synceds)), random.IntN(len(h.synceds))
	s, bytes := h.synceds[i], h.synceds[i].Bytes()
	lo, hi := part(random, bytes)
	switch random.IntN(8) {
	case 0, 1:
		h.pushRead(i, d, lo, hi)
	case 5:
		s.Prefetch(d, nil)
	case 6:
		if random.IntN(4) == 0 {
			h.pushMemory(random, i, d)
		}
	case 2:
		values := pattern(bytes, random.IntN(1000))
		h.push(d, event{apply: func(c [][]byte) { copy(c[i], values) }}, h.put(values, 0), whole(s, engine.Write))
	case 3:
		values := pattern(hi-lo, random.IntN(1000))
		h.push(d, event{apply: func(c [][]byte) { copy(c[i][lo:], values) }}, h.put(values, lo), use{s, engine.Update, lo, hi})
	case 7:
		h.writeAlone(i, d, lo, pattern(hi-lo, random.IntN(1000)))
	case 4:
		if i == j {
			return
		}
		n := min(hi-lo, bytes/3)
		from := random.IntN(bytes - n)
		h.push(d, event{apply: func(c [][]byte) { copy(c[i][lo:lo+n], c[j][from:]) }}, h.move(lo, from, n),
			use{s, engine.Update, lo, lo + n}, use{h.synceds[j], engine.Read, from, from + n})
	}
}

func (h *history) pushRead(i int, d device.Device, lo, hi int) {
	seen := make([]byte, hi-lo)
	h.push(d, event{from: i, lo: lo, seen: seen}, h.take(seen, lo), use{h.synceds[i], engine.Read, lo, hi})
}

// writeAlone writes part of Synced i without an operation, if that can be.
func (h *history) writeAlone(i int, d device.Device, lo int, values []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.TryAlone(true) {
		return
	}
	start := h.synceds[i].Free(d)
	if start != nil {
		copy(device.Pointer{Host: start}.Add(lo).Bytes(len(values)), values)
		h.synceds[i].CountWrite()
		h.log = append(h.log, event{done: h.NewVar(), apply: func(c [][]byte) { copy(c[i][lo:], values) }})
	}
	h.EndAlone(true, start != nil)
}

// pushMemory makes memory of the caller's the contents of Synced i, lent or handed over. On a device it holds what new
// memory of a sim device does.
func (h *history) pushMemory(random *rand.Rand, i int, d device.Device) {
	s := h.synceds[i]
	values := undefined(s.Bytes())
	if d.OnHost() {
		values = pattern(s.Bytes(), random.IntN(1000))
	}
	g := newGift(h.t, d, values)
	var free func()
	if random.IntN(3) > 0 {
		free = g.free(s.Bytes())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	s.SetMemory(d, g.pointer, free, nil)
	h.log = append(h.log, event{done: h.NewVar(), apply: func(c [][]byte) { copy(c[i], values) }})
	if free != nil {
		h.gifts = append(h.gifts, g)
	}
}

// undefined returns what new memory of a sim device holds.
func undefined(n int) []byte {
	values := make([]byte, n)
	for i := range values {
		values[i] = [2]byte{0xfa, 0x7f}[i%2]
	}
	return values
}

// releaseAll releases all memory, half of it by dropping it, and requires that what was handed over is freed.
func (h *history) releaseAll() {
	for i, s := range h.synceds {
		if i%2 == 0 {
			s.Release(nil)
		}
	}
	h.synceds, h.log = nil, nil
	for _, g := range h.gifts {
		collectUntil(h.t, func() bool { return g.frees.Load() > 0 })
		g.requireFreedOnce(h.t)
	}
}

// move is work that copies n bytes of the second operand to the first.
func (m *machine) move(to, from, n int) work {
	return func(rc *engine.RunContext, at []device.Pointer) error {
		if n == 0 {
			return nil
		}
		if rc.Stream == nil {
			copy(at[0].Add(to).Bytes(n), at[1].Add(from).Bytes(n))
			return nil
		}
		return rc.Stream.Copy(at[0].Add(to), at[1].Add(from), n)
	}
}

var everywhere = []device.Device{cpu0, cpu1, sim0, sim1}

func TestRandomHistoriesEqualASerialRun(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		for round := range 8 {
			h := newHistory(m, 1+round%3, 100+round*40)
			var all sync.WaitGroup
			for g := range 4 {
				all.Go(func() {
					random := rand.New(rand.NewPCG(uint64(round), uint64(g)))
					for range 150 {
						h.addOne(random, everywhere[random.IntN(4)])
						if random.IntN(40) == 0 {
							hold(random.IntN(2))()
						}
					}
				})
			}
			all.Wait()
			for i, s := range h.synceds {
				h.pushRead(i, everywhere[(i+round)%4], 0, s.Bytes())
			}
			require.Zero(t, h.requireSerial(false))
			h.releaseAll()
		}
	})
}

var errCopy = errors.New("injected")

// Whatever copies and fills of coherence fail, and whenever that becomes known: what is read is right or an error. The
// operations themselves never fail, as they write on the host alone or by fills that are not failed.
func TestRandomHistoriesWithFailuresAreNeverWrong(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		failed, done := 0, 0
		for round := range 25 {
			h := newHistory(m, 2, 200)
			random := rand.New(rand.NewPCG(uint64(round), 7))
			for range 120 {
				h.addUnderFailures(random)
				if random.IntN(12) == 0 {
					sim.Default().InjectFault("copy", errCopy)
				}
				if random.IntN(20) == 0 && len(h.log) > 0 {
					h.Wait(background, h.log[len(h.log)-1].done)
				}
			}
			h.WaitAll(background)
			for i, s := range h.synceds {
				for _, d := range everywhere {
					h.pushRead(i, d, 0, s.Bytes())
				}
			}
			failed += h.requireSerial(true)
			done += len(h.log)
			h.releaseAll()
			drainFaults(t, m)
		}
		t.Logf("%d of %d operations were in error", failed, done)
		require.Greater(t, failed, 100)
		require.Greater(t, done-failed, 1000)
	})
}

func (h *history) addUnderFailures(random *rand.Rand) {
	i := random.IntN(len(h.synceds))
	s, bytes := h.synceds[i], h.synceds[i].Bytes()
	d, host := everywhere[random.IntN(4)], everywhere[random.IntN(2)]
	lo, hi := part(random, bytes)
	switch random.IntN(10) {
	case 0, 1:
		h.pushRead(i, d, lo, hi)
	case 8:
		s.Prefetch(d, nil)
	case 9:
		if random.IntN(4) == 0 {
			h.pushMemory(random, i, d)
		}
	case 2:
		values := pattern(bytes, random.IntN(1000))
		h.push(host, event{apply: func(c [][]byte) { copy(c[i], values) }}, h.put(values, 0), whole(s, engine.Write))
	case 3:
		h.push(d, event{apply: func(c [][]byte) { clear(c[i]) }}, h.clear(0, bytes), whole(s, engine.Write))
	case 4, 5:
		values := pattern(hi-lo, random.IntN(1000))
		h.push(host, event{apply: func(c [][]byte) { copy(c[i][lo:], values) }}, h.put(values, lo), use{s, engine.Update, lo, hi})
	case 6, 7:
		h.push(d, event{apply: func(c [][]byte) { clear(c[i][lo:hi]) }}, h.clear(lo, hi), use{s, engine.Update, lo, hi})
	}
}

// drainFaults uses up the faults that are left.
func drainFaults(t *testing.T, m *machine) {
	s := storage.NewSynced(m, 1)
	m.requireNoError(m.write(s, cpu0, []byte{1}))
	failures := 1
	for failures > 0 {
		failures = 0
		for range 3 {
			if _, err := m.read(s, sim0).wait(); err != nil {
				require.ErrorIs(t, err, errCopy)
				failures++
			}
		}
	}
	require.True(t, slices.Equal([]byte{1}, m.mustRead(s)))
}

func (m *machine) mustRead(s *storage.Synced) []byte {
	values, err := m.read(s, sim0).wait()
	require.NoError(m.t, err)
	return values
}
