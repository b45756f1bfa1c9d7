package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// concurrent has several goroutines hold a few allocations each. Overlaps are found by the addresses of what is live and,
// in host memory, by the contents.
func concurrent(t *testing.T, m storage.Manager) {
	const goroutines, rounds = 8, 300
	var live ledger
	var all sync.WaitGroup
	errs := make(chan error, goroutines)
	for g := range goroutines {
		all.Go(func() { errs <- user(m, &live, byte(g+1), rounds) })
	}
	for range 50 {
		m.Trim()
		stats := m.Stats()
		require.GreaterOrEqual(t, stats.InUse, int64(0))
		require.GreaterOrEqual(t, stats.Peak, stats.InUse)
	}
	all.Wait()
	for range goroutines {
		require.NoError(t, <-errs)
	}
	require.EqualValues(t, goroutines*rounds, m.Stats().Allocations)
}

// handedOver has some goroutines allocate what others free, while the limit changes: it holds at every moment, and nothing is
// lost.
func handedOver(t *testing.T, m storage.Manager) {
	const makers, rounds = 3, 300
	passed := make(chan piece, 16)
	errs := make(chan error, makers*rounds)
	var making, freeing sync.WaitGroup
	for g := range makers {
		making.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for i := range rounds {
				memory, err := m.Allocate(1 + random.IntN(1<<(6+random.IntN(14))))
				if err != nil {
					if !errors.Is(err, fault.ErrOutOfMemory) {
						errs <- err
					}
					continue
				}
				p := piece{memory, byte(i)}
				if p.Pointer.Host != nil {
					fill(p.Pointer, p.Bytes, p.mark)
				}
				passed <- p
			}
		})
		freeing.Go(func() {
			for p := range passed {
				if p.Pointer.Host != nil && !holds(p.Pointer, p.Bytes, p.mark) {
					errs <- fmt.Errorf("%d bytes at %v were overwritten", p.Bytes, p.Pointer)
				}
				m.Free(p.Memory)
			}
		})
	}
	for i := range 60 {
		m.SetLimit(int64(i%4) << 19)
		within(t, m.Stats())
		m.TrimUnused(0)
	}
	making.Wait()
	close(passed)
	freeing.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	m.SetLimit(0)
}

// piece is an allocation that a user holds.
type piece struct {
	storage.Memory
	mark byte
}

func user(m storage.Manager, live *ledger, mark byte, rounds int) error {
	random := rand.New(rand.NewPCG(uint64(mark), 0))
	var held []piece
	release := func(i int) error {
		p := held[i]
		held = append(held[:i], held[i+1:]...)
		if p.Pointer.Host != nil && !holds(p.Pointer, p.Bytes, p.mark) {
			return fmt.Errorf("%d bytes at %v were overwritten", p.Bytes, p.Pointer)
		}
		live.remove(p)
		m.Free(p.Memory)
		return nil
	}
	for range rounds {
		size := 1 + random.IntN(1<<(3+random.IntN(16)))
		memory, err := m.Allocate(size)
		if err != nil {
			return err
		}
		p := piece{memory, mark}
		if err := live.add(p); err != nil {
			return err
		}
		if memory.Pointer.Host != nil {
			fill(memory.Pointer, size, mark)
		}
		held = append(held, p)
		if len(held) > 6 {
			if err := release(random.IntN(len(held))); err != nil {
				return err
			}
		}
	}
	for len(held) > 0 {
		if err := release(0); err != nil {
			return err
		}
	}
	return nil
}

// ledger knows what is live.
type ledger struct {
	sync.Mutex
	pieces map[uintptr]piece
}

func (l *ledger) add(p piece) error {
	l.Lock()
	defer l.Unlock()
	start := address(p.Pointer)
	for other, held := range l.pieces {
		if start < other+uintptr(held.Bytes) && other < start+uintptr(p.Bytes) {
			return fmt.Errorf("%d bytes at %#x overlap %d bytes at %#x", p.Bytes, start, held.Bytes, other)
		}
	}
	if l.pieces == nil {
		l.pieces = map[uintptr]piece{}
	}
	l.pieces[start] = p
	return nil
}

func (l *ledger) remove(p piece) {
	l.Lock()
	defer l.Unlock()
	delete(l.pieces, address(p.Pointer))
}

func fill(p device.Pointer, size int, mark byte) {
	memory := p.Bytes(size)
	for i := range memory {
		memory[i] = mark
	}
}

func holds(p device.Pointer, size int, mark byte) bool {
	return bytes.Count(p.Bytes(size), []byte{mark}) == size
}
