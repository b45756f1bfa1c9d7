package storage

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	_ "github.com/weft-nd/weft/kernels/sim"
)

// Those of MXNet's storage_test.cc: Basic_CPU, CPU_MemAlign, Basic_GPU with the rounding to powers of two up to 2^20, and with
// the default.

func TestFreedMemoryIsNoLongerInUse(t *testing.T) {
	for _, maker := range makers {
		m, err := maker(device.CPU(0))
		require.NoError(t, err)
		first, second := allocateOf(t, m, 1024), allocateOf(t, m, 1024)
		for _, memory := range []Memory{first, second} {
			require.Equal(t, 1024, memory.Bytes)
			memory.Pointer.Bytes(1024)[1023] = 1
		}
		require.NotEqual(t, first.Pointer, second.Pointer)
		nothing := allocateOf(t, m, 0)
		require.True(t, nothing.Pointer.IsNil())
		m.Free(nothing)
		m.Free(first)
		m.Free(second)
		require.Zero(t, m.Stats().InUse)
		m.Trim()
	}
}

func TestCPUMemoryIsAligned(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, maker := range makers {
		m, err := maker(device.CPU(0))
		require.NoError(t, err)
		for range 5 {
			memory := allocateOf(t, m, 1+random.IntN(1024))
			require.Zero(t, uintptr(memory.Pointer.Host)%64)
			m.Free(memory)
		}
		m.Trim()
	}
}

func TestBasicDeviceWithPowersOfTwo(t *testing.T) {
	from, err := sourceOf(device.Sim(0))
	require.NoError(t, err)
	m := newRounded(device.Sim(0), from, roundPower2(1<<20), 1)
	small, large := allocateOf(t, m, 32), allocateOf(t, m, 2097153)
	m.Free(small)
	m.Free(large)
	require.EqualValues(t, 4096+3145728, m.Stats().Cached)
	again := allocateOf(t, m, 4095)
	require.Equal(t, small.Pointer, again.Pointer)
	m.Free(again)
	again = allocateOf(t, m, 3145728)
	require.Equal(t, large.Pointer, again.Pointer)
	m.Free(again)
	m.Trim()
}

func TestBasicDeviceWithTheDefault(t *testing.T) {
	for name, maker := range makers {
		m, err := maker(device.Sim(0))
		require.NoError(t, err)
		first := allocateOf(t, m, 1024)
		m.Free(first)
		again := allocateOf(t, m, 1024)
		if name != "naive" && name != "guarded" {
			require.Equal(t, first.Pointer, again.Pointer, name)
		}
		m.Free(again)
		require.True(t, allocateOf(t, m, 0).Pointer.IsNil())
		m.Trim()
	}
}

func TestRoundingOfMXNet(t *testing.T) {
	for _, c := range []struct {
		maker             func(device.Device) (Manager, error)
		bytes, wantRounds int
	}{
		{NewRoundMultiple, 1, 4096}, {NewRoundMultiple, 4096, 4096}, {NewRoundMultiple, 4097, 8192},
		{NewRoundMultiple, 2<<20 - 1, 2 << 20}, {NewRoundMultiple, 2 << 20, 2 << 20}, {NewRoundMultiple, 2<<20 + 1, 4 << 20},
		{NewRoundMultiple, 5 << 20, 6 << 20},
		{NewRoundPower2, 1, 4096}, {NewRoundPower2, 4097, 8192}, {NewRoundPower2, 8193, 16384}, {NewRoundPower2, 1<<24 - 1, 1 << 24},
		{NewRoundPower2, 1 << 24, 1 << 24}, {NewRoundPower2, 1<<24 + 1, 2 << 24}, {NewRoundPower2, 5 << 23, 3 << 24},
	} {
		m, err := c.maker(device.Sim(0))
		require.NoError(t, err)
		memory := allocateOf(t, m, c.bytes)
		require.EqualValues(t, c.wantRounds, m.Stats().InUse, "%d bytes", c.bytes)
		m.Free(memory)
		m.Trim()
	}
}

func TestOfOneSizeTheLatestIsReusedFirst(t *testing.T) {
	for _, maker := range []func(device.Device) (Manager, error){NewRoundMultiple, NewRoundPower2, NewPooled} {
		m, err := maker(device.Sim(0))
		require.NoError(t, err)
		var held []Memory
		for range 5 {
			held = append(held, allocateOf(t, m, 64<<10))
		}
		for _, memory := range held {
			m.Free(memory)
		}
		slices.Reverse(held)
		for i, memory := range held {
			held[i] = allocateOf(t, m, 64<<10)
			require.Equal(t, memory.Pointer, held[i].Pointer)
		}
		require.EqualValues(t, 5, m.Stats().Reused)
		for _, memory := range held {
			m.Free(memory)
		}
		m.Trim()
	}
}

// Where memory cannot be divided, an allocation takes the smallest kept piece that holds it, if that is no more than twice as
// large; against a list that is searched from end to end.
func TestFitWithinTwiceTheSize(t *testing.T) {
	m, err := NewPooled(device.Sim(0))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(4, 4))
	var held, kept []Memory
	for range 4000 {
		if random.IntN(5) < 2 && len(held) > 0 {
			i := random.IntN(len(held))
			m.Free(held[i])
			kept = append(kept, held[i])
			held = slices.Delete(held, i, i+1)
			continue
		}
		bytes := 1 + random.IntN(1<<(8+random.IntN(12)))
		size, best := roundToClass(bytes), -1
		for i, memory := range kept {
			has := memory.chunk.bytes
			if has >= size && has/2 <= size && (best < 0 || has <= kept[best].chunk.bytes) {
				best = i // of equals the latest
			}
		}
		reused := m.Stats().Reused
		memory := allocateOf(t, m, bytes)
		if best < 0 {
			require.Equal(t, reused, m.Stats().Reused)
			require.Equal(t, size, memory.chunk.bytes)
		} else {
			require.Equal(t, reused+1, m.Stats().Reused)
			require.Equal(t, kept[best].Pointer, memory.Pointer)
			kept = slices.Delete(kept, best, best+1)
		}
		held = append(held, memory)
		if random.IntN(500) == 0 {
			m.Trim()
			kept = nil
		}
		cached := int64(0)
		for _, k := range kept {
			cached += int64(k.chunk.bytes)
		}
		require.Equal(t, cached, m.Stats().Cached)
	}
	for _, memory := range held {
		m.Free(memory)
	}
	m.Trim()
}

// At its limit a manager gives back what it keeps rather than fail, and what it is given rather than keep too much.
func TestRoundedManagersKeepTheirLimit(t *testing.T) {
	for _, maker := range []func(device.Device) (Manager, error){NewRoundMultiple, NewRoundPower2, NewPooled} {
		m, err := maker(device.Sim(0))
		require.NoError(t, err)
		m.SetLimit(1 << 20)
		random := rand.New(rand.NewPCG(6, 6))
		var held []Memory
		for range 2000 {
			if random.IntN(2) == 0 && len(held) > 0 {
				m.Free(held[0])
				held = held[1:]
			} else {
				before := m.Stats()
				memory, err := m.Allocate(1 << random.IntN(19))
				if err == nil {
					held = append(held, memory)
				} else {
					require.ErrorIs(t, err, fault.ErrOutOfMemory)
					require.Greater(t, before.InUse, int64(1<<20-1<<19))
				}
			}
			requireWithinLimit(t, m.Stats())
		}
		for _, memory := range held {
			m.Free(memory)
		}
		m.Trim()
	}
}
