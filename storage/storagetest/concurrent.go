package storagetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
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

// piece is an allocation that a user holds.
type piece struct {
	pointer device.Pointer
	size    int
	mark    byte
}

func user(m storage.Manager, live *ledger, mark byte, rounds int) error {
	random := rand.New(rand.NewPCG(uint64(mark), 0))
	var held []piece
	release := func(i int) error {
		p := held[i]
		held = append(held[:i], held[i+1:]...)
		if p.pointer.Host != nil && !holds(p.pointer, p.size, p.mark) {
			return fmt.Errorf("%d bytes at %v were overwritten", p.size, p.pointer)
		}
		live.remove(p)
		m.Free(p.pointer, p.size)
		return nil
	}
	for range rounds {
		size := 1 + random.IntN(1<<(3+random.IntN(16)))
		pointer, err := m.Allocate(size)
		if err != nil {
			return err
		}
		p := piece{pointer, size, mark}
		if err := live.add(p); err != nil {
			return err
		}
		if pointer.Host != nil {
			fill(pointer, size, mark)
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
	start := address(p.pointer)
	for other, held := range l.pieces {
		if start < other+uintptr(held.size) && other < start+uintptr(p.size) {
			return fmt.Errorf("%d bytes at %#x overlap %d bytes at %#x", p.size, start, held.size, other)
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
	delete(l.pieces, address(p.pointer))
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
