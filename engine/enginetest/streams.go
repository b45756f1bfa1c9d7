package enginetest

import (
	"context"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/sim"
)

var streams = []property{
	{"StreamsEqualSerialRun", streamWorkload},
	{"ADeviceFaultSticksToDependantsAlone", deviceFault},
	{"AWholeWriteOnAStreamCures", deviceCure},
	{"NoSkipOnAStreamKeepsItsResult", deviceNoSkip},
	{"AFunctionThatFailsToEnqueueFails", enqueueFails},
	{"AMissingDeviceIsAnError", missingDevice},
	{"CancelledAndRefusedWorkIsNotEnqueued", deviceRefused},
	{"HostFunctionsOfADeviceMayWaitForIt", deviceHost},
}

func simulated(index int) device.Device { return device.Sim(index) }

// BufferSize is the number of bytes of a Buffer.
const BufferSize = 16

// Buffer is memory and the variable that stands for it: of a simulated device, or of the host where Device is a CPU.
type Buffer struct {
	Var     *engine.Var
	Device  device.Device
	Pointer device.Pointer
	Host    []byte // nil on a simulated device
}

// NewBuffer returns a buffer of d, with undefined contents, which lives until the test ends.
func NewBuffer(t *testing.T, e engine.Engine, d device.Device) *Buffer {
	b := &Buffer{Var: e.NewVar(), Device: d}
	if d.OnHost() {
		b.Host = make([]byte, BufferSize)
		b.Pointer = device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(b.Host))}
		return b
	}
	p, err := sim.Default().Allocate(d.Index, BufferSize)
	require.NoError(t, err)
	b.Pointer = p
	t.Cleanup(func() { sim.Default().Free(d.Index, p, BufferSize) })
	return b
}

// Fill returns an operation that sets a device's buffer to zero.
func Fill(b *Buffer) *engine.Operation {
	return onStream("fill", b.Device, func(s device.Stream) error { return s.Fill(b.Pointer, BufferSize) }, write(b.Var))
}

// Move returns an operation that copies from one buffer to another, of which at least one is on a simulated device.
func Move(to, from *Buffer) *engine.Operation {
	at, property := to.Device, engine.Normal
	switch {
	case to.Host != nil:
		at, property = from.Device, engine.CopyFromDevice
	case from.Host != nil:
		property = engine.CopyToDevice
	}
	op := onStream("move", at, func(s device.Stream) error { return s.Copy(to.Pointer, from.Pointer, BufferSize) }, read(from.Var), write(to.Var))
	op.Property = property
	return op
}

func onStream(name string, d device.Device, f func(s device.Stream) error, accesses ...engine.Access) *engine.Operation {
	op := leaf(name, nil, accesses...)
	op.Device = d
	op.Function = engine.FunctionOf(func(rc *engine.RunContext) error { return f(rc.Stream) })
	return op
}

// streamWorkload moves bytes between two devices and the host, and computes on the host. Streams that were not ordered
// would be a race in the simulated device's memory.
func streamWorkload(t *testing.T, new factory) {
	const buffers, length = 12, 2000
	s := start(t, new)
	random := rand.New(rand.NewPCG(5, 6))
	all := make([]*Buffer, buffers)
	want := make([][BufferSize]byte, buffers)
	for i := range all {
		all[i] = NewBuffer(t, s, []device.Device{device.CPU(0), device.Sim(0), device.Sim(1)}[i%3])
		if all[i].Host == nil {
			s.Push(Fill(all[i]))
		}
	}
	for range length {
		to, from := random.IntN(buffers), random.IntN(buffers)
		switch {
		case all[to].Host == nil && random.IntN(10) == 0:
			want[to] = [BufferSize]byte{}
			s.Push(Fill(all[to]))
		case all[to].Host != nil && all[from].Host != nil:
			scramble := func(target, source []byte) {
				for i := range target {
					target[i] = 31*target[i] + source[(i+1)%BufferSize] + byte(i)
				}
			}
			scramble(want[to][:], want[from][:])
			op := leaf("scramble", func() { scramble(all[to].Host, all[from].Host) }, read(all[from].Var), update(all[to].Var))
			op.Host = random.IntN(4) == 0
			s.Push(op)
		case to != from:
			want[to] = want[from]
			s.Push(Move(all[to], all[from]))
		}
	}
	for i, b := range all {
		if b.Host == nil {
			host := NewBuffer(t, s, device.CPU(0))
			s.Push(Move(host, b))
			b = host
		}
		require.NoError(t, s.wait(b.Var))
		require.Equal(t, want[i][:], b.Host, "buffer %d", i)
	}
	s.requireDone()
}

func deviceFault(t *testing.T, new factory) {
	s := start(t, new)
	near, far := device.Sim(0), device.Sim(1)
	source, faulty, copied, remote, unrelated := NewBuffer(t, s, device.CPU(0)), NewBuffer(t, s, near), NewBuffer(t, s, near), NewBuffer(t, s, far), NewBuffer(t, s, near)
	host := NewBuffer(t, s, device.CPU(0))
	last := s.NewVar()

	s.Push(Move(unrelated, source))
	sim.Default().InjectFault("fill", errBroken)
	culprit := Fill(faulty)
	s.Push(culprit)
	s.Push(Move(copied, faulty))
	s.Push(Move(remote, copied))
	s.Push(Move(host, remote))
	s.Push(leaf("compute", func() { t.Error("compute ran") }, read(host.Var), write(last)))
	s.Push(Fill(unrelated))

	for links, v := range []*engine.Var{faulty.Var, copied.Var, remote.Var, host.Var, last} {
		err := s.wait(v)
		require.ErrorIs(t, err, errBroken)
		e := errorOf(t, err)
		require.Equal(t, links, e.Links)
		root := e
		if links > 0 {
			root = e.Root
		}
		require.Equal(t, "fill", root.Operator)
		require.Equal(t, "sim(0)", root.Device)
		require.Same(t, culprit.Site, root.Site)
		require.Zero(t, v.Version())
	}
	require.NoError(t, s.wait(source.Var))
	require.NoError(t, s.wait(unrelated.Var))
	require.Equal(t, uint64(2), unrelated.Var.Version())
}

func deviceCure(t *testing.T, new factory) {
	s := start(t, new)
	b, taken, host := NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.CPU(0))
	for range 20 {
		sim.Default().InjectFault("fill", errBroken)
		s.Push(Fill(b))
		s.Push(Move(taken, b))
		s.Push(Fill(b))
		s.Push(Move(host, b))
		require.NoError(t, s.wait(b.Var))
		require.NoError(t, s.wait(host.Var))
		require.ErrorIs(t, s.wait(taken.Var), errBroken)
	}
	require.Equal(t, make([]byte, BufferSize), host.Host)
}

func deviceNoSkip(t *testing.T, new factory) {
	s := start(t, new)
	bad, result := NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.Sim(0))
	sim.Default().InjectFault("fill", errBroken)
	s.Push(Fill(bad))
	op := Move(result, bad)
	op.Property = engine.NoSkip
	s.Push(op)
	require.NoError(t, s.wait(result.Var))
	require.ErrorIs(t, s.wait(bad.Var), errBroken)
}

func enqueueFails(t *testing.T, new factory) {
	s := start(t, new)
	a, b, good := NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.Sim(0))
	for name, f := range map[string]func(s device.Stream) error{
		"error": func(device.Stream) error { return errBroken },
		"panic": func(device.Stream) error { panic(errBroken) },
	} {
		s.Push(onStream(name, a.Device, f, write(a.Var)))
		s.Push(Move(b, a))
		s.Push(Fill(good))
		require.ErrorIs(t, s.wait(b.Var), errBroken)
		require.Equal(t, name, errorOf(t, s.wait(a.Var)).Operator)
		require.NoError(t, s.wait(good.Var))
	}
	s.Push(onStream("nothing", a.Device, func(device.Stream) error { return nil }, write(a.Var)))
	require.NoError(t, s.wait(a.Var))
}

func missingDevice(t *testing.T, new factory) {
	s := start(t, new)
	v := s.NewVar()
	for _, d := range []device.Device{device.Sim(7), device.GPU(99)} {
		for range 2 {
			s.Push(onStream("lost", d, func(device.Stream) error { t.Error("it ran"); return nil }, write(v)))
			err := s.wait(v)
			require.Error(t, err)
			require.Equal(t, d.String(), errorOf(t, err).Device)
		}
	}
}

func deviceRefused(t *testing.T, new factory) {
	s := start(t, new)
	b := NewBuffer(t, s, device.Sim(0))
	s.Push(Fill(b))
	require.NoError(t, s.wait(b.Var))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fills := sim.Default().Stats(0).Fills
	s.Push(within(ctx, Fill(b)))
	require.ErrorIs(t, s.wait(b.Var), context.Canceled)
	require.NoError(t, s.Close(context.Background()))
	s.Push(Fill(b))
	require.ErrorIs(t, s.wait(b.Var), fault.ErrClosed)
	require.Equal(t, fills, sim.Default().Stats(0).Fills)
	freed := false
	op := leaf("free", func() { freed = true }, write(b.Var))
	op.Device, op.Property = b.Device, engine.DeleteVar
	s.Push(op)
	require.True(t, freed)
}

func deviceHost(t *testing.T, new factory) {
	s := start(t, new)
	b, host, result := NewBuffer(t, s, device.Sim(0)), NewBuffer(t, s, device.CPU(0)), s.NewVar()
	op := hosted("custom", nil, write(result))
	op.Device = device.Sim(0)
	op.Function = engine.FunctionOf(func(*engine.RunContext) error {
		s.Push(Fill(b))
		s.Push(Move(host, b))
		return s.wait(host.Var)
	})
	s.Push(op)
	require.NoError(t, s.wait(result))
	require.Equal(t, make([]byte, BufferSize), host.Host)
}
