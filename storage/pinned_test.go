package storage

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
)

// plain is a backend that locks no pages, or cannot say how many devices it has.
type plain struct{ device.Backend }

type broken struct{ *sim.Backend }

func (broken) Count() (int, error) { return 0, errors.New("no driver") }

func TestPinnedMemoryComesFromTheFirstBackendThatHasADevice(t *testing.T) {
	one, two := sim.New(1), sim.New(2)
	for name, c := range map[string]struct {
		backends []device.Backend
		want     source
	}{
		"exactly one device":    {[]device.Backend{one}, pinnedSource{one}},
		"several devices":       {[]device.Backend{two}, pinnedSource{two}},
		"the first of two":      {[]device.Backend{one, two}, pinnedSource{one}},
		"no backend":            {nil, hostSource{}},
		"no device":             {[]device.Backend{sim.New(0), two}, pinnedSource{two}},
		"a broken one":          {[]device.Backend{broken{one}}, hostSource{}},
		"one that locks none":   {[]device.Backend{plain{one}, two}, pinnedSource{two}},
		"only one, locks none":  {[]device.Backend{plain{two}}, hostSource{}},
		"what is there for cpu": {registeredBackends(pinningOrder), pinnedSource{sim.Default()}},
	} {
		require.Equal(t, c.want, pinnedSourceOf(c.backends...), name)
	}
}

// The memory of a machine with one device is page-locked to the last byte, and all of it comes back.
func TestPinnedMemoryOfOneDeviceIsTheBackends(t *testing.T) {
	machine := sim.New(1)
	m := &naive{device: device.CPUPinned(0), source: pinnedSourceOf(machine)}
	p, err := m.Allocate(1000)
	require.NoError(t, err)
	require.Equal(t, 1000, machine.PinnedStats().InUse)
	machine.SetPinnedLimit(1500)
	_, err = m.Allocate(501)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	m.Free(p)
	require.Panics(t, func() { m.Free(p) })
	require.Zero(t, machine.PinnedStats().Live)
	require.Zero(t, m.Stats().InUse)
}

func TestPinnedBlocksAreNeverOfTheHeap(t *testing.T) {
	before := sim.Default().PinnedStats().Live
	b, err := NewBlock(device.CPUPinned(0), 10)
	require.NoError(t, err)
	m, err := ManagerOf(device.CPUPinned(0))
	require.NoError(t, err)
	require.GreaterOrEqual(t, sim.Default().PinnedStats().Live, before)
	require.Positive(t, m.Stats().InUse)
	b.Release()
}
