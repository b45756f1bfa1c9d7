package storage

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
)

func TestPoolVariableNamesTheKindOfManagers(t *testing.T) {
	for kind, want := range map[string][2]Manager{ // of the host, and of a device
		"": {&bestFit{}, &rounded{}}, "bestfit": {&bestFit{}, &rounded{}}, "multiple": {&rounded{}, &rounded{}},
		"power2": {&rounded{}, &rounded{}}, "naive": {&naive{}, &naive{}}, "guarded": {&guarded{}, &naive{}},
	} {
		t.Setenv(poolVariable, kind)
		for i, d := range []device.Device{device.CPU(0), device.Sim(0)} {
			m, err := unchosen{device: d}.make()
			require.NoError(t, err)
			require.IsType(t, want[i], m, "%s of %v", kind, d)
		}
		m, err := unchosen{device: device.CPU(0), guarded: true}.make()
		require.NoError(t, err)
		require.IsType(t, &guarded{}, m, "whatever is named, where an engine has a sanitizer")
	}
}

func TestPoolVariableThatNamesNothingIsAnError(t *testing.T) {
	t.Setenv(poolVariable, "swimming")
	_, err := unchosen{device: device.CPU(0)}.make()
	require.ErrorIs(t, err, fault.ErrParameter)
	require.ErrorContains(t, err, `WEFT_POOL: the environment variable is "swimming" (legal: bestfit, guarded, multiple, naive, power2)`)
}

func TestNilIsNoManager(t *testing.T) {
	defer func() {
		mistake, _ := recover().(*fault.Error)
		require.ErrorIs(t, mistake, fault.ErrMisuse)
	}()
	SetManager(device.Sim(0), nil)
}

// touches reports whether the bytes at offset can be read and written.
func touches(m Memory, offset int) (allowed bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { allowed = recover() == nil }()
	(*(*byte)(m.Pointer.Add(offset).Host))++
	return
}

func TestGuardedMemoryIsClosedOnceFreed(t *testing.T) {
	t.Setenv(poolVariable, "guarded")
	m, err := unchosen{device: device.CPU(0)}.make()
	require.NoError(t, err)
	for _, bytes := range []int{64, 4096, 100 << 10} {
		memory := allocateOf(t, m, bytes)
		require.True(t, touches(memory, 0))
		require.True(t, touches(memory, bytes-1))
		require.False(t, touches(memory, bytes), "behind the end")
		m.Free(memory)
		require.False(t, touches(memory, 0))
		require.False(t, touches(memory, bytes-1))
		require.Panics(t, func() { m.Free(memory) })
		other := allocateOf(t, m, bytes)
		require.NotEqual(t, memory.Pointer, other.Pointer, "not at once")
		m.Free(other)
	}
}
