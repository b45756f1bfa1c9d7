package sim

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

func TestAddressesAreAlignedApartAndNeverGivenOutTwice(t *testing.T) {
	b, other := New(2), New(2)
	end := uintptr(0)
	for _, unit := range []struct {
		backend *Backend
		index   int
	}{{b, 0}, {b, 1}, {other, 0}, {other, 1}} {
		for _, size := range []int{0, 1, 255, 256, 257, 4096, 100_000} {
			p := allocate(t, unit.backend, unit.index, size)
			require.Nil(t, p.Host)
			require.Zero(t, p.Address%addressAlign)
			require.GreaterOrEqual(t, p.Address, max(end+addressGap, rangeBase))
			end = p.Address + uintptr(size)
			unit.backend.Free(unit.index, p, size)
		}
	}
}

func TestHostMemoryBehindAddressesIsAligned(t *testing.T) {
	b := New(1)
	for size := range 300 {
		p := allocate(t, b, 0, size+1)
		found, err := b.units[0].memory.find(device.Sim(0), p.Address, size+1)
		require.NoError(t, err)
		require.Zero(t, uintptr(unsafe.Pointer(&found.at(p.Address, 1)[0]))%hostAlign)
		require.True(t, found.intact())
	}
}

func TestNewAndFreedMemoryIsNaNInEveryFloatType(t *testing.T) {
	b := New(1)
	for _, size := range []int{8, 64, 1000, 1 << 16} {
		p := allocate(t, b, 0, size)
		found, err := b.units[0].memory.find(device.Sim(0), p.Address, size)
		require.NoError(t, err)
		contents := found.at(p.Address, size)
		check := func() {
			start := unsafe.Pointer(&contents[0])
			for _, v := range unsafe.Slice((*float64)(start), size/8) {
				require.True(t, math.IsNaN(v))
			}
			for _, v := range unsafe.Slice((*float32)(start), size/4) {
				require.True(t, v != v)
			}
			for i := range size / 2 {
				half := *(*uint16)(unsafe.Add(start, 2*i))
				require.True(t, math.IsNaN(float64(dtype.F16(half).Float32())))
				require.True(t, math.IsNaN(float64(dtype.BF16(half).Float32())))
			}
		}
		check()
		clear(contents)
		b.Free(0, p, size)
		check()
	}
}

func TestAccessOutsideOfLiveMemoryFaults(t *testing.T) {
	b := New(2)
	p, behind, freed := allocate(t, b, 0, 100), allocate(t, b, 0, 100), allocate(t, b, 0, 100)
	foreign, err := New(1).Allocate(0, 100)
	require.NoError(t, err)
	b.Free(0, freed, 100)
	cases := []struct {
		name  string
		at    device.Pointer
		bytes int
		fault bool
	}{
		{"all", p, 100, false},
		{"the last byte", p.Add(99), 1, false},
		{"nothing anywhere", device.Pointer{Address: 7}, 0, false},
		{"one byte too many", p, 101, true},
		{"interior and too many", p.Add(90), 11, true},
		{"over the gap into the next", p, int(behind.Address-p.Address) + 1, true},
		{"just behind", p.Add(100), 1, true},
		{"just before", p.Add(-1), 1, true},
		{"between two", behind.Add(-1), 1, true},
		{"freed", freed, 1, true},
		{"inside of freed", freed.Add(50), 1, true},
		{"nowhere", device.Pointer{}, 1, true},
		{"a low address", device.Pointer{Address: 4096}, 1, true},
		{"another backend", foreign, 1, true},
		{"behind all devices", device.Pointer{Address: math.MaxUint}, 1, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, buffer := newStream(t, b, 0), make([]byte, max(c.bytes, 1))
			commands := map[string]func() error{
				"copy to":   func() error { return s.Copy(c.at, host(buffer), c.bytes) },
				"copy from": func() error { return s.Copy(host(buffer), c.at, c.bytes) },
				"fill":      func() error { return s.Fill(c.at, c.bytes) },
			}
			for name, command := range commands {
				require.NoError(t, command(), name)
				err := record(t, s).Wait()
				if !c.fault {
					require.NoError(t, err, name)
					continue
				}
				var memory *MemoryFault
				require.ErrorAs(t, err, &memory, name)
				require.Equal(t, MemoryFault{device.Sim(0), c.at.Address, c.bytes, memory.Reason}, *memory)
				require.ErrorContains(t, err, "memory fault")
			}
		})
	}
}

func TestOnlyCopiesReachOtherDevices(t *testing.T) {
	b := New(2)
	s, far := newStream(t, b, 0), allocate(t, b, 1, 8)
	require.NoError(t, s.Copy(far, host(make([]byte, 8)), 8))
	require.NoError(t, record(t, s).Wait())
	var memory *MemoryFault
	require.NoError(t, s.Fill(far, 8))
	require.ErrorAs(t, record(t, s).Wait(), &memory)
	require.NoError(t, double(b).Launch(s, &device.Arguments{Outputs: []device.View{bytesView(far, 8)}}))
	require.ErrorAs(t, record(t, s).Wait(), &memory)
}

func TestAllocationsBeyondTheLimitAreRefused(t *testing.T) {
	b := New(2)
	b.SetMemoryLimit(0, 1000)
	p := allocate(t, b, 0, 600)
	_, err := b.Allocate(0, 401)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	require.EqualError(t, err, "sim(0): out of memory: 401 bytes requested, 600 of 1000 in use")
	allocate(t, b, 1, 2000)
	q := allocate(t, b, 0, 400)
	b.Free(0, p, 600)
	allocate(t, b, 0, 600)
	b.SetMemoryLimit(0, 10)
	_, err = b.Allocate(0, 1)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	_, err = b.Allocate(0, math.MaxInt)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	b.Free(0, q, 400)
	require.Equal(t, Stats{InUse: 600, Peak: 1000, Limit: 10, Live: 1, Allocations: 3}, b.Stats(0))
}

func TestWrongFreePanicsWithTheReason(t *testing.T) {
	b := New(2)
	p, freed := allocate(t, b, 0, 64), allocate(t, b, 0, 64)
	b.Free(0, freed, 64)
	cases := []struct {
		name  string
		index int
		p     device.Pointer
		bytes int
		text  string
	}{
		{"twice", 0, freed, 64, "freed before"},
		{"on another device", 1, p, 64, "never allocated on this device"},
		{"nowhere", 0, device.Pointer{}, 0, "never allocated"},
		{"interior", 0, p.Add(1), 63, "no live allocation starts"},
		{"host memory", 0, host(make([]byte, 8)), 8, "host memory"},
		{"another size", 0, p, 63, "63 bytes at"},
		{"no such device", 2, p, 64, "no device 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			defer func() { require.Contains(t, recover(), c.text) }()
			b.Free(c.index, c.p, c.bytes)
		})
	}
	require.Equal(t, 64, b.Stats(0).InUse)
}
