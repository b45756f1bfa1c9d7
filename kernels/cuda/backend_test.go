//go:build linux && (amd64 || arm64)

package cuda

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/device/devicetest"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// start returns a backend on a fake driver of its own.
func start(t *testing.T, settings map[string]int64) (*Backend, *cudatest.Fake) {
	fake := cudatest.Start(t)
	for name, value := range settings {
		fake.Set(name, value)
	}
	return New(), fake
}

func TestBackendPassesTheSuite(t *testing.T) {
	b, fake := start(t, nil)
	devicetest.RunAll(t, b)
	for _, u := range unitsOf(t, b) {
		u.giveBack()
	}
	require.Zero(t, fake.Get("live"))
	require.Equal(t, fake.Get("pools"), fake.Get("streams"), "those of the pools")
}

func unitsOf(t *testing.T, b *Backend) []*unit {
	f, err := b.open()
	require.NoError(t, err)
	return f.units
}

func TestArgumentsHaveTheLayoutOfTheKernels(t *testing.T) {
	var a arguments
	require.EqualValues(t, 2440, unsafe.Sizeof(a), "as the PTX says")
	require.EqualValues(t, 328, unsafe.Offsetof(a.operands))
	require.EqualValues(t, 24+24*maxClipped, unsafe.Sizeof(clip{}), "and clip.cuh")
}

func TestSlowCopiesDoNotHoldTheCallerUpWithPinnedMemory(t *testing.T) {
	b, fake := start(t, map[string]int64{"copyMicroseconds": 1000})
	h, err := b.AllocatePinned(64)
	require.NoError(t, err)
	p, err := b.Allocate(0, 64)
	require.NoError(t, err)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	var last device.Event
	for range 20 {
		require.NoError(t, s.Copy(p, h, 64))
		require.NoError(t, s.Copy(h, p, 64))
		last, err = s.Record()
		require.NoError(t, err)
	}
	require.False(t, last.Done())
	require.NoError(t, last.Wait())
	require.Equal(t, 20, fake.Get("copiesIn"))
	stats, err := b.Stats(0)
	require.NoError(t, err)
	require.Equal(t, device.Traffic{Copies: 20, Bytes: 20 * 64}, stats.HostToDevice)
	require.Equal(t, device.Traffic{Copies: 20, Bytes: 20 * 64}, stats.DeviceToHost)
	require.Equal(t, 4<<30, stats.Total)
	total, err := b.Total(0)
	require.NoError(t, err)
	require.Equal(t, stats.Total, total)
	require.Equal(t, 4<<30-64, stats.Free)
	require.NoError(t, s.Close())
}

func TestOutOfMemoryTellsWhatIsFreeAndIsOver(t *testing.T) {
	b, fake := start(t, nil)
	_, err := b.Allocate(0, 5<<30)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	require.ErrorContains(t, err, "gpu(0): out of memory: 5368709120 bytes requested, 4294967296 of 4294967296 free")
	fake.Set("memory", 1000)
	p, err := b.Allocate(0, 900)
	require.NoError(t, err)
	b.Free(0, p, 900)
	p, err = b.Allocate(0, 900) // of what was freed a moment ago
	require.NoError(t, err)
	b.Free(0, p, 900)
	fake.Set("hostAllocationFails", 1)
	_, err = b.AllocatePinned(10)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	_, err = b.AllocatePinned(10)
	require.NoError(t, err)
}

func TestMemoryIsGivenBackBesideTheWorkOfOtherStreams(t *testing.T) {
	b, fake := start(t, nil)
	h, err := b.AllocatePinned(64)
	require.NoError(t, err)
	p, err := b.Allocate(0, 64)
	require.NoError(t, err)
	q, err := b.Allocate(0, 1<<20)
	require.NoError(t, err)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	fake.Set("copyMicroseconds", 500_000)
	require.NoError(t, s.Copy(p, h, 64))
	last, err := s.Record()
	require.NoError(t, err)
	b.Free(0, q, 1<<20)
	unitsOf(t, b)[0].giveBack()
	q, err = b.Allocate(0, 1<<20)
	require.NoError(t, err)
	require.False(t, last.Done(), "neither waits for the copy")
	stats, err := b.Stats(0)
	require.NoError(t, err)
	require.Equal(t, driver.Pool{Used: 1<<20 + 64, MostUsed: 1<<20 + 64, Reserved: 1<<20 + 64, MostReserved: 1<<20 + 64}, stats.Pool)
	b.Free(0, q, 1<<20)
	for unitsOf(t, b)[0].giveBack() {
	}
	stats, err = b.Stats(0)
	require.NoError(t, err)
	require.Equal(t, 64, stats.Pool.Reserved)
	require.Equal(t, 4<<30-64, stats.Free)
	require.NoError(t, last.Wait())
	require.NoError(t, s.Close())
}

func TestDevicesWithoutPoolsHaveMemoryAsBefore(t *testing.T) {
	b, fake := start(t, map[string]int64{"noPools": 1, "memory": 1000})
	fake.Set("memory", 1000) // the devices are there now
	for range 3 {
		p, err := b.Allocate(0, 900)
		require.NoError(t, err)
		b.Free(0, p, 900)
	}
	stats, err := b.Stats(0)
	require.NoError(t, err)
	require.Zero(t, stats.Pool)
	require.Zero(t, fake.Get("pools"))
}

// negate launches a kernel on four elements.
func negate(t *testing.T, b *Backend, s device.Stream, p device.Pointer) error {
	neg, found := b.Kernel("neg/float32")
	require.True(t, found)
	v := device.View{Pointer: p, DType: dtype.Float32, Shape: []int{4}, Strides: []int{1}}
	return neg.Launch(s, &device.Arguments{Outputs: []device.View{v}, Inputs: []device.View{v}})
}

func TestALaunchThatIsRefusedFailsAlone(t *testing.T) {
	b, fake := start(t, nil)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	p, err := b.Allocate(0, 16)
	require.NoError(t, err)
	fake.Set("launchFails", 2)
	require.NoError(t, negate(t, b, s, p))
	err = negate(t, b, s, p)
	require.ErrorContains(t, err, "gpu(0): cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
	require.ErrorIs(t, err, fault.ErrDevice)
	require.NoError(t, negate(t, b, s, p))
	require.NoError(t, s.Close())
}

func TestAStickyFaultDisablesItsDeviceAndNoOther(t *testing.T) {
	b, fake := start(t, nil)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	other, err := b.NewStream(1)
	require.NoError(t, err)
	p, err := b.Allocate(0, 16)
	require.NoError(t, err)
	q, err := b.Allocate(1, 16)
	require.NoError(t, err)
	fake.Set("launchLoses", 1)
	require.NoError(t, negate(t, b, s, p))
	e, err := s.Record()
	if err == nil { // The fault may be known by now.
		err = e.Wait()
		for range 2 {
			require.Equal(t, err, e.Wait(), "each time it is asked")
			require.True(t, e.Done())
		}
	}
	const want = "gpu(0) is disabled: cuEvent"
	_, errAllocate := b.Allocate(0, 1)
	_, errStream := b.NewStream(0)
	for _, err := range []error{err, negate(t, b, s, p), errAllocate, errStream, s.Close()} {
		require.ErrorIs(t, err, fault.ErrDevice)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "CUDA_ERROR_ILLEGAL_ADDRESS")
		require.ErrorContains(t, err, "only a new process")
	}
	b.Free(0, p, 16)
	require.NoError(t, negate(t, b, other, q))
	require.NoError(t, other.Close())
}

func TestMemoryThatIsNotThereLosesTheDevice(t *testing.T) {
	b, _ := start(t, nil)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	p, err := b.Allocate(0, 15) // one byte too few
	require.NoError(t, err)
	require.NoError(t, negate(t, b, s, p))
	require.ErrorContains(t, s.Close(), "CUDA_ERROR_ILLEGAL_ADDRESS")
}

func TestADriverThatEndsIsAnErrorOfEveryDevice(t *testing.T) {
	b, fake := start(t, nil)
	for index := range 2 {
		_, err := b.Allocate(index, 8)
		require.NoError(t, err)
	}
	fake.Set("killed", 1)
	for index := range 2 {
		_, err := b.Allocate(index, 8)
		require.ErrorContains(t, err, "is disabled: cuCtxSetCurrent: CUDA_ERROR_DEINITIALIZED")
	}
}

func TestDevicesThatCannotBeUsedSayWhy(t *testing.T) {
	old, _ := start(t, map[string]int64{"computeCapability": 61})
	_, err := old.Allocate(0, 8)
	require.ErrorContains(t, err, "gpu(0), Fake GPU, has compute capability 6.1, and 7.0 is needed")
	b, _ := start(t, nil)
	_, err = b.Allocate(2, 8)
	require.ErrorContains(t, err, "gpu(2) does not exist: CUDA has 2 devices")
	none, _ := start(t, map[string]int64{"devices": 0})
	count, err := none.Count()
	require.Zero(t, count)
	require.ErrorContains(t, err, "the driver finds no GPU")
	_, err = none.AllocatePinned(8)
	require.ErrorContains(t, err, "the driver finds no GPU")
}

func TestProductsOfFloat32AreInTF32WhereThatIsAllowed(t *testing.T) {
	b, _ := start(t, nil)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	defer s.Close()
	p, err := b.Allocate(0, 12)
	require.NoError(t, err)
	x := 1 + float32(1)/4096 // more bits than TF32 has
	multiply := func() (z float32) {
		host := []float32{x, 1, 0}
		require.NoError(t, s.Copy(p, device.Pointer{Host: unsafe.Pointer(&host[0])}, 12))
		view := func(i int) device.View {
			return device.View{Pointer: p.Add(4 * i), DType: dtype.Float32, Shape: []int{1, 1}, Strides: []int{1, 1}}
		}
		matmul, found := b.Kernel("matmul/float32")
		require.True(t, found)
		require.NoError(t, matmul.Launch(s, &device.Arguments{Outputs: []device.View{view(2)}, Inputs: []device.View{view(0), view(1)}}))
		require.NoError(t, s.Copy(device.Pointer{Host: unsafe.Pointer(&host[0])}, p, 12))
		e, err := s.Record()
		require.NoError(t, err)
		require.NoError(t, e.Wait())
		return host[2]
	}
	require.Equal(t, x, multiply())
	before := allowsTF32
	defer func() { allowsTF32 = before }()
	allowsTF32 = func() bool { return true }
	require.Equal(t, float32(1), multiply())
}
