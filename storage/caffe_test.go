package storage_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/kernels/sim"
	"github.com/weft-nd/weft/storage"
)

// cost is what an access may do.
type cost struct {
	toDevice, toHost, fills         int // copies to and from sim(0), and fills of it
	hostAllocations, simAllocations int
}

// meter counts from now on.
type meter struct {
	m    *machine
	host storage.Manager
	from cost
}

func (m *meter) read() cost {
	s := sim.Default().Stats(0)
	return cost{
		s.HostToDevice.Copies, s.DeviceToHost.Copies, s.Fills, int(m.host.Stats().Allocations), s.Allocations,
	}
}

func newMeter(t *testing.T, m *machine) *meter {
	useManager(t, sim0, storage.NewNaive)
	return &meter{m: m, host: useManager(t, cpu0, storage.NewNaive)}
}

func (m *meter) reset() {
	require.NoError(m.m.t, m.m.WaitAll(background))
	m.from = m.read()
}

func (m *meter) spent() cost {
	require.NoError(m.m.t, m.m.WaitAll(background))
	now := m.read()
	return cost{
		now.toDevice - m.from.toDevice, now.toHost - m.from.toHost, now.fills - m.from.fills,
		now.hostAllocations - m.from.hostAllocations, now.simAllocations - m.from.simAllocations,
	}
}

// touch accesses all of s on d, which costs nothing beside what coherence does.
func (m *machine) touch(s *storage.Synced, d device.Device, mode engine.Mode) {
	m.requireNoError(m.do("touch", d, func(*engine.RunContext, []device.Pointer) error { return nil }, whole(s, mode)))
}

// Caffe's table of the transitions of SyncedMemory, one by one, with its copies and allocations, and the column that it
// lacks: an access that only writes. Where Caffe refuses a push, there is nothing to copy but zeros.
func TestTransitionsOfCaffe(t *testing.T) {
	const (
		cpuData        = "cpu_data"
		mutableCPUData = "mutable_cpu_data"
		gpuData        = "gpu_data"
		mutableGPUData = "mutable_gpu_data"
		push           = "async_gpu_push"
		writeCPU       = "write-only on the host"
		writeGPU       = "write-only on the device"
	)
	calls := map[string]func(m *machine, s *storage.Synced){
		cpuData:        func(m *machine, s *storage.Synced) { m.touch(s, cpu0, engine.Read) },
		mutableCPUData: func(m *machine, s *storage.Synced) { m.touch(s, cpu0, engine.Update) },
		gpuData:        func(m *machine, s *storage.Synced) { m.touch(s, sim0, engine.Read) },
		mutableGPUData: func(m *machine, s *storage.Synced) { m.touch(s, sim0, engine.Update) },
		push:           func(m *machine, s *storage.Synced) { m.requireNoError(s.Prefetch(sim0, nil)) },
		writeCPU:       func(m *machine, s *storage.Synced) { m.touch(s, cpu0, engine.Write) },
		writeGPU:       func(m *machine, s *storage.Synced) { m.touch(s, sim0, engine.Write) },
	}
	atCPU, atGPU, synced := []device.Device{cpu0}, []device.Device{sim0}, []device.Device{cpu0, sim0}
	type transition struct {
		to   []device.Device
		cost cost
	}
	states := []struct {
		name  string
		reach []string
		calls map[string]transition
	}{
		{"UNINITIALIZED", nil, map[string]transition{
			cpuData: {atCPU, cost{hostAllocations: 1}}, mutableCPUData: {atCPU, cost{hostAllocations: 1}},
			gpuData: {atGPU, cost{fills: 1, simAllocations: 1}}, mutableGPUData: {atGPU, cost{fills: 1, simAllocations: 1}},
			push:     {atGPU, cost{fills: 1, simAllocations: 1}},
			writeCPU: {atCPU, cost{hostAllocations: 1}}, writeGPU: {atGPU, cost{simAllocations: 1}},
		}},
		{"HEAD_AT_CPU", []string{mutableCPUData}, map[string]transition{
			cpuData: {atCPU, cost{}}, mutableCPUData: {atCPU, cost{}},
			gpuData: {synced, cost{toDevice: 1, simAllocations: 1}}, mutableGPUData: {atGPU, cost{toDevice: 1, simAllocations: 1}},
			push:     {synced, cost{toDevice: 1, simAllocations: 1}},
			writeCPU: {atCPU, cost{}}, writeGPU: {atGPU, cost{simAllocations: 1}},
		}},
		{"HEAD_AT_CPU with memory on the device", []string{gpuData, mutableCPUData}, map[string]transition{
			cpuData: {atCPU, cost{}}, mutableCPUData: {atCPU, cost{}},
			gpuData: {synced, cost{toDevice: 1}}, mutableGPUData: {atGPU, cost{toDevice: 1}},
			push:     {synced, cost{toDevice: 1}},
			writeCPU: {atCPU, cost{}}, writeGPU: {atGPU, cost{}},
		}},
		{"HEAD_AT_GPU", []string{mutableGPUData}, map[string]transition{
			cpuData: {synced, cost{toHost: 1, hostAllocations: 1}}, mutableCPUData: {atCPU, cost{toHost: 1, hostAllocations: 1}},
			gpuData: {atGPU, cost{}}, mutableGPUData: {atGPU, cost{}}, push: {atGPU, cost{}},
			writeCPU: {atCPU, cost{hostAllocations: 1}}, writeGPU: {atGPU, cost{}},
		}},
		{"HEAD_AT_GPU with memory on the host", []string{cpuData, mutableGPUData}, map[string]transition{
			cpuData: {synced, cost{toHost: 1}}, mutableCPUData: {atCPU, cost{toHost: 1}},
			gpuData: {atGPU, cost{}}, mutableGPUData: {atGPU, cost{}}, push: {atGPU, cost{}},
			writeCPU: {atCPU, cost{}}, writeGPU: {atGPU, cost{}},
		}},
		{"SYNCED from the host", []string{mutableCPUData, gpuData}, map[string]transition{
			cpuData: {synced, cost{}}, mutableCPUData: {atCPU, cost{}}, gpuData: {synced, cost{}}, mutableGPUData: {atGPU, cost{}},
			push: {synced, cost{}}, writeCPU: {atCPU, cost{}}, writeGPU: {atGPU, cost{}},
		}},
		{"SYNCED from the device", []string{mutableGPUData, cpuData}, map[string]transition{
			cpuData: {synced, cost{}}, mutableCPUData: {atCPU, cost{}}, gpuData: {synced, cost{}}, mutableGPUData: {atGPU, cost{}},
			push: {synced, cost{}}, writeCPU: {atCPU, cost{}}, writeGPU: {atGPU, cost{}},
		}},
	}
	onEngines(t, func(t *testing.T, m *machine) {
		meter := newMeter(t, m)
		for _, state := range states {
			require.Len(t, state.calls, len(calls))
			for name, want := range state.calls {
				t.Run(fmt.Sprint(state.name, " → ", name), func(t *testing.T) {
					s := storage.NewSynced(m, size)
					for _, step := range state.reach {
						calls[step](m, s)
					}
					meter.reset()
					calls[name](m, s)
					require.Equal(t, want.cost, meter.spent())
					require.ElementsMatch(t, want.to, s.Valid())
					s.Release(nil)
				})
			}
		}
	})
}

// Caffe's tests of SyncedMemory, on the host and a device.
func TestSyncedMemoryOfCaffe(t *testing.T) {
	onEngines(t, func(t *testing.T, m *machine) {
		pointers := func(s *storage.Synced, d device.Device, mode engine.Mode) {
			m.requireNoError(m.do("see", d, func(_ *engine.RunContext, at []device.Pointer) error {
				require.False(t, at[0].IsNil())
				return nil
			}, whole(s, mode)))
		}
		t.Run("C1 Initialization", func(t *testing.T) {
			s := storage.NewSynced(m, 10)
			require.Empty(t, s.Valid())
			require.Equal(t, 10, s.Bytes())
			require.Equal(t, 10*4, storage.NewSynced(m, 10*4).Bytes())
		})
		for _, c := range []struct {
			name   string
			places []device.Device
		}{{"C2 AllocationCPU", []device.Device{cpu0}}, {"C2 AllocationGPU", []device.Device{sim0}}, {"C2 AllocationCPUGPU", []device.Device{cpu0, sim0}}} {
			t.Run(c.name, func(t *testing.T) {
				s := storage.NewSynced(m, 10)
				for _, mode := range []engine.Mode{engine.Read, engine.Update} {
					for _, d := range c.places {
						pointers(s, d, mode)
					}
				}
			})
		}
		t.Run("C3 CPUWrite", func(t *testing.T) {
			s := storage.NewSynced(m, 10)
			for value := range 2 {
				m.requireNoError(m.update(s, cpu0, 0, pattern(10, value)))
				require.Equal(t, []device.Device{cpu0}, s.Valid())
				m.read(s, cpu0).requires(pattern(10, value))
			}
		})
		t.Run("C4 GPURead", func(t *testing.T) {
			s := storage.NewSynced(m, 10)
			for value := range 2 {
				m.requireNoError(m.update(s, cpu0, 0, pattern(10, value)))
				require.Equal(t, []device.Device{cpu0}, s.Valid())
				m.read(s, sim0).requires(pattern(10, value))
				require.Equal(t, []device.Device{cpu0, sim0}, s.Valid())
				m.read(s, cpu0).requires(pattern(10, value))
			}
		})
		t.Run("C5 GPUWrite", func(t *testing.T) {
			s := storage.NewSynced(m, 10)
			for value := range 2 {
				m.requireNoError(m.update(s, sim0, 0, pattern(10, value)))
				require.Equal(t, []device.Device{sim0}, s.Valid())
				m.read(s, cpu0).requires(pattern(10, value))
				require.ElementsMatch(t, []device.Device{sim0, cpu0}, s.Valid())
				m.read(s, sim0).requires(pattern(10, value))
			}
		})
	})
}
