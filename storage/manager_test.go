package storage_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
	"github.com/weft-nd/weft/storage/storagetest"
)

var makers = map[string]func(device.Device) (storage.Manager, error){
	"Naive": storage.NewNaive, "Pooled": storage.NewPooled, "RoundMultiple": storage.NewRoundMultiple, "RoundPower2": storage.NewRoundPower2,
}

func newManager(t *testing.T, maker func(device.Device) (storage.Manager, error), d device.Device) storage.Manager {
	t.Helper()
	m, err := maker(d)
	require.NoError(t, err)
	return m
}

func TestManagers(t *testing.T) {
	for name, maker := range makers {
		for _, d := range []device.Device{device.CPU(0), device.CPUPinned(0), device.Sim(0)} {
			t.Run(name+"/"+d.String(), func(t *testing.T) {
				storagetest.RunManager(t, func() storage.Manager { return newManager(t, maker, d) })
			})
		}
	}
}

func TestManagersOfDevicesThatAreNotThereAreErrors(t *testing.T) {
	makers := map[string]func(device.Device) (storage.Manager, error){
		"Naive": storage.NewNaive, "Pooled": storage.NewPooled, "ManagerOf": storage.ManagerOf,
	}
	for name, maker := range makers {
		for _, d := range []device.Device{device.Sim(99), device.GPU(0), device.CPUPinned(-1)} {
			_, err := maker(d)
			require.Error(t, err, "%s of %v", name, d)
		}
	}
}

func TestManagerOfReturnsOneManagerForADevice(t *testing.T) {
	first, err := storage.ManagerOf(device.Sim(1))
	require.NoError(t, err)
	second, err := storage.ManagerOf(device.Sim(1))
	require.NoError(t, err)
	require.Same(t, first, second)

	chosen := newManager(t, storage.NewNaive, device.Sim(1))
	storage.SetManager(device.Sim(1), chosen)
	defer storage.SetManager(device.Sim(1), first)
	second, err = storage.ManagerOf(device.Sim(1))
	require.NoError(t, err)
	require.Same(t, chosen, second)
}

// Memory that is kept in one size must not keep a device from giving it out in another.
func TestAFullDeviceGetsBackWhatIsKept(t *testing.T) {
	m := newManager(t, storage.NewPooled, device.Sim(1))
	defer limitDevice(1, sim.Default().Stats(1).InUse+1<<20)()
	for range 4 {
		var held []storage.Memory
		for {
			p, err := m.Allocate(64 << 10)
			if err != nil {
				require.ErrorIs(t, err, fault.ErrOutOfMemory)
				break
			}
			held = append(held, p)
		}
		require.GreaterOrEqual(t, len(held), 16)
		for _, p := range held {
			m.Free(p)
		}
		p, err := m.Allocate(1 << 20)
		require.NoError(t, err)
		m.Free(p)
	}
	m.Trim()
}

// limitDevice makes bytes the memory of sim(index) until restore is called.
func limitDevice(index, bytes int) (restore func()) {
	before := sim.Default().Stats(index).Limit
	sim.Default().SetMemoryLimit(index, bytes)
	return func() { sim.Default().SetMemoryLimit(index, before) }
}
