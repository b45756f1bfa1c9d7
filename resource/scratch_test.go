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
	var first, second resource.Scratch
	for round := range rounds {
		if err := first.Borrow(device.CPU(0), 5000); err != nil {
			return err
		}
		memory := first.Pointer().Bytes(5000)
		for i := range memory {
			memory[i] = mark
		}
		if err := second.Borrow(device.CPU(0), 5000); err != nil {
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
		var s resource.Scratch
		require.NoError(t, s.Borrow(d, 100_000))
		first := s.Pointer()
		s.Return()
		before := m.Stats()
		require.GreaterOrEqual(t, before.Cached, int64(100_000))
		for range 50 {
			require.NoError(t, s.Borrow(d, 100_000))
			require.Equal(t, first, s.Pointer())
			s.Return()
		}
		after := m.Stats()
		require.EqualValues(t, 50, after.Reused-before.Reused)
		require.Equal(t, before.Cached, after.Cached)
		m.Trim()
	}
}

func TestBorrowingWarmMemoryAllocatesNothing(t *testing.T) {
	freshManager(t, device.CPU(0))
	s := new(resource.Scratch)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if s.Borrow(device.CPU(0), 300_000) == nil {
			s.Return()
		}
	}))
}

func TestWhatABurstLeavesGoesBackByATrim(t *testing.T) {
	m := freshManager(t, device.CPU(0))
	burst := make([]resource.Scratch, 20)
	for i := range burst {
		require.NoError(t, burst[i].Borrow(device.CPU(0), 1<<20+i<<16))
	}
	require.GreaterOrEqual(t, m.Stats().InUse, int64(20<<20))
	for i := range burst {
		burst[i].Return()
	}
	require.Zero(t, m.Stats().InUse)
	m.Trim()
	require.Zero(t, m.Stats().Cached)
}

func TestReturningTwiceIsHarmless(t *testing.T) {
	m := freshManager(t, device.CPU(0))
	var s resource.Scratch
	s.Return()
	require.NoError(t, s.Borrow(device.CPU(0), 5000))
	var all sync.WaitGroup
	for range 8 {
		all.Go(s.Return)
	}
	all.Wait()
	require.Zero(t, m.Stats().InUse)
	require.NoError(t, s.Borrow(device.CPU(0), 0))
	require.True(t, s.Pointer().IsNil())
	s.Return()
	s.Return()
}

func TestBorrowingTwiceIsRefused(t *testing.T) {
	m := freshManager(t, device.CPU(0))
	var s resource.Scratch
	require.NoError(t, s.Borrow(device.CPU(0), 5000))
	require.Panics(t, func() { s.Borrow(device.CPU(0), 5000) })
	s.Return()
	require.Zero(t, m.Stats().InUse)
}

func TestBorrowingTooMuchIsAnErrorAndLosesNothing(t *testing.T) {
	m := freshManager(t, device.CPU(0))
	m.SetLimit(1 << 20)
	var s resource.Scratch
	held, err := storage.NewBlock(device.CPU(0), 300<<10)
	require.NoError(t, err)
	err = s.Borrow(device.CPU(0), 2<<20)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	require.ErrorContains(t, err, "the largest holders: 307200 bytes (300.0 KiB) in 1 array made at scratch_test.go:")
	held.Release()
	s.Return()
	require.Error(t, s.Borrow(device.Sim(99), 8))
	require.NoError(t, s.Borrow(device.CPU(0), 1<<19))
	s.Return()
	require.Zero(t, m.Stats().InUse)
}

// misuse borrows in an operation, and touches what it does not hold.
type misuse struct {
	scratch resource.Scratch
	touch   func(s *resource.Scratch)
}

func (m *misuse) Run(*engine.RunContext) error {
	if err := m.scratch.Borrow(device.CPU(5), 8192); err != nil {
		return err
	}
	m.touch(&m.scratch)
	return nil
}

func (m *misuse) Finished() { m.scratch.Return() }

func TestTheSanitizerFindsMisusesOfScratchMemory(t *testing.T) {
	e, err := engine.New("naive", engine.WithSanitizer())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		touch func(s *resource.Scratch)
		found error
	}{
		"all of it": {func(s *resource.Scratch) { clear(s.Pointer().Bytes(8192)) }, nil},
		"overrun":   {func(s *resource.Scratch) { clear(s.Pointer().Bytes(8193)) }, fault.ErrAccess},
		"after return": {func(s *resource.Scratch) {
			memory := s.Pointer().Bytes(8192)
			s.Return()
			memory[0] = 1
		}, fault.ErrAccess},
	} {
		v := e.NewVar()
		e.Push(&engine.Operation{
			Name: name, Function: &misuse{touch: c.touch}, Accesses: []engine.Access{{Var: v, Mode: engine.Write}},
		})
		require.ErrorIs(t, e.Wait(t.Context(), v), c.found, name)
	}
	manager, err := storage.ManagerOf(device.CPU(5))
	require.NoError(t, err)
	require.Zero(t, manager.Stats().InUse, "failed operations return what they borrowed")
	require.NoError(t, e.Close(t.Context()))
}

// scratchUser borrows on a stream and returns when its operation is done.
type scratchUser struct{ scratch resource.Scratch }

func (u *scratchUser) Run(rc *engine.RunContext) error {
	if err := u.scratch.Borrow(device.Sim(0), 4096); err != nil {
		return err
	}
	return rc.Stream.Fill(u.scratch.Pointer(), 4096)
}

func (u *scratchUser) Finished() { u.scratch.Return() }

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
