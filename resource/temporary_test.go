package resource_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// freshManager gives d a pooled manager of its own for the time of a test.
func freshManager(t *testing.T, d device.Device) storage.Manager {
	before, err := storage.ManagerOf(d)
	require.NoError(t, err)
	m, err := storage.NewPooled(d)
	require.NoError(t, err)
	storage.SetManager(d, m)
	t.Cleanup(func() { storage.SetManager(d, before) })
	return m
}

func TestBorrowersNeverOverlap(t *testing.T) {
	m := freshManager(t, device.CPU(0))
	const goroutines, rounds = 8, 200
	errs := make(chan error, goroutines)
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() { errs <- borrower(byte(g+1), rounds) })
	}
	all.Wait()
	for range goroutines {
		require.NoError(t, <-errs)
	}
	require.Zero(t, m.Stats().InUse)
}

// borrower fills what it borrows, borrows more, and looks whether the first is untouched.
func borrower(mark byte, rounds int) error {
	for round := range rounds {
		first, err := resource.Borrow(device.CPU(0), 5000)
		if err != nil {
			return err
		}
		memory := first.Pointer().Bytes(5000)
		for i := range memory {
			memory[i] = mark
		}
		second, err := resource.Borrow(device.CPU(0), 5000)
		if err != nil {
			return err
		}
		clear(second.Pointer().Bytes(5000))
		second.Return()
		for i, v := range memory {
			if v != mark {
				return fmt.Errorf("byte %d was overwritten in round %d", i, round)
			}
		}
		first.Return()
	}
	return nil
}

func TestReturnedMemoryStaysWarm(t *testing.T) {
	for _, d := range []device.Device{device.CPU(0), device.Sim(0)} {
		m := freshManager(t, d)
		s, err := resource.Borrow(d, 100_000)
		require.NoError(t, err)
		s.Return()
		cached := m.Stats().Cached
		require.GreaterOrEqual(t, cached, int64(100_000))
		for i := range uint64(50) {
			again, err := resource.Borrow(d, 100_000)
			require.NoError(t, err)
			require.Equal(t, s.Pointer(), again.Pointer())
			again.Return()
			require.Equal(t, i+1, m.Stats().Reused)
			require.Equal(t, cached, m.Stats().Cached)
		}
		m.Trim()
	}
}

func TestReturningTwiceIsHarmless(t *testing.T) {
	m := freshManager(t, device.CPU(0))
	s, err := resource.Borrow(device.CPU(0), 5000)
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(s.Return)
	}
	all.Wait()
	require.Zero(t, m.Stats().InUse)
	empty, err := resource.Borrow(device.CPU(0), 0)
	require.NoError(t, err)
	require.True(t, empty.Pointer().IsNil())
	empty.Return()
	empty.Return()
}

func TestBorrowingTooMuchIsAnError(t *testing.T) {
	freshManager(t, device.CPU(0)).SetLimit(1 << 20)
	_, err := resource.Borrow(device.CPU(0), 2<<20)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	_, err = resource.Borrow(device.Sim(99), 8)
	require.Error(t, err)
}

// scratchUser borrows on a stream and returns when its operation is done.
type scratchUser struct{ scratch *resource.Scratch }

func (u *scratchUser) Run(rc *engine.RunContext) (err error) {
	if u.scratch, err = resource.Borrow(device.Sim(0), 4096); err != nil {
		return err
	}
	return rc.Stream.Fill(u.scratch.Pointer(), 4096)
}

func (u *scratchUser) Finished() {
	if u.scratch != nil {
		u.scratch.Return()
	}
}

func TestOperationsOnStreamsReturnWhenTheyAreDone(t *testing.T) {
	m := freshManager(t, device.Sim(0))
	e := engine.NewPerDevice()
	release := sim.Default().Hold(0)
	const operations = 5
	vars := make([]*engine.Var, operations)
	for i := range vars {
		vars[i] = e.NewVar()
		e.Push(&engine.Operation{
			Name: "scratch", Device: device.Sim(0), Function: &scratchUser{},
			Accesses: []engine.Access{{Var: vars[i], Mode: engine.Write}},
		})
	}
	require.EqualValues(t, 0, vars[0].Version())
	release()
	for _, v := range vars {
		require.NoError(t, e.Wait(t.Context(), v))
	}
	stats := m.Stats()
	require.Zero(t, stats.InUse)
	require.EqualValues(t, operations, stats.Allocations)
	require.LessOrEqual(t, stats.Peak, int64(operations*4096))
	require.NoError(t, e.Close(t.Context()))
	m.Trim()
}
