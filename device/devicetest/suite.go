package devicetest

import (
	"errors"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// RunAll checks b, and its kernel neg/float32. Where b has several devices, two of them are used.
func RunAll(t *testing.T, b device.Backend) {
	for name, property := range map[string]func(t *testing.T, b device.Backend){
		"DevicesThatAreNotThereAreErrors":        missingDevices,
		"CopiesTravelBetweenHostAndDevices":      copies,
		"WaitOrdersStreamsOfDifferentDevices":    waits,
		"KernelsRunInOrderAndKeepTheirArguments": kernels,
		"MistakesInCallsAreErrorsAtOnce":         mistakes,
		"ClosedStreamsTakeNoWork":                closed,
		"EventsTellTheSameEachTime":              events,
		"ManyGoroutinesHaveStreamsOfTheirOwn":    concurrent,
		"PinnedMemoryIsCopiedLikeOther":          pinned,
	} {
		t.Run(name, func(t *testing.T) { property(t, b) })
	}
}

// far returns the number of a device that is another than 0 if there is one.
func far(b device.Backend) int {
	count, _ := b.Count()
	return min(1, count-1)
}

func host[T any](values []T) device.Pointer {
	return device.Pointer{Host: unsafe.Pointer(unsafe.SliceData(values))}
}

func stream(t *testing.T, b device.Backend, index int) device.Stream {
	s, err := b.NewStream(index)
	require.NoError(t, err)
	require.Equal(t, device.Device{Kind: b.Kind(), Index: index}, s.Device())
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func allocate(t *testing.T, b device.Backend, index, bytes int) device.Pointer {
	p, err := b.Allocate(index, bytes)
	require.NoError(t, err)
	require.Zero(t, p.Address%64)
	require.NotZero(t, p.Address)
	t.Cleanup(func() { b.Free(index, p, bytes) })
	return p
}

func record(t *testing.T, s device.Stream) device.Event {
	e, err := s.Record()
	require.NoError(t, err)
	return e
}

func missingDevices(t *testing.T, b device.Backend) {
	count, err := b.Count()
	require.NoError(t, err)
	require.NotZero(t, count)
	for _, index := range []int{-1, count} {
		_, err := b.Allocate(index, 1)
		require.Error(t, err)
		_, err = b.NewStream(index)
		require.Error(t, err)
	}
	_, found := b.Kernel("no such operator/float32")
	require.False(t, found)
}

func copies(t *testing.T, b device.Backend) {
	s := stream(t, b, 0)
	near, other := allocate(t, b, 0, 16), allocate(t, b, far(b), 16)
	back := make([]int32, 4)
	require.NoError(t, s.Copy(near, host([]int32{1, -2, 3, -4}), 16))
	require.NoError(t, s.Copy(other, near, 16))
	require.NoError(t, s.Fill(near.Add(4), 8))
	require.NoError(t, s.Copy(host(back), other, 16))
	require.NoError(t, s.Copy(other, near, 0))
	require.NoError(t, s.Fill(other, 0))
	require.NoError(t, record(t, s).Wait())
	require.Equal(t, []int32{1, -2, 3, -4}, back)
	require.NoError(t, s.Copy(host(back), near, 16))
	require.NoError(t, record(t, s).Wait())
	require.Equal(t, []int32{1, 0, 0, -4}, back)
	allocate(t, b, 0, 0)
}

func waits(t *testing.T, b device.Backend) {
	producer, consumer := stream(t, b, 0), stream(t, b, far(b))
	p, q := allocate(t, b, 0, 1<<20), allocate(t, b, far(b), 1<<20)
	sent, received := make([]byte, 1<<20), make([]byte, 1<<20)
	for i := range sent {
		sent[i] = byte(i * 7 / 3)
	}
	for round := range 10 {
		sent[0] = byte(round)
		require.NoError(t, producer.Copy(p, host(sent), len(sent)))
		require.NoError(t, consumer.Wait(record(t, producer)))
		require.NoError(t, consumer.Copy(q, p, len(sent)))
		require.NoError(t, consumer.Copy(host(received), q, len(sent)))
		require.NoError(t, producer.Wait(record(t, consumer)))
		require.NoError(t, record(t, consumer).Wait())
		require.Equal(t, sent, received)
	}
}

func kernels(t *testing.T, b device.Backend) {
	s, p := stream(t, b, 0), allocate(t, b, 0, 24)
	neg, found := b.Kernel(device.KernelName("neg", dtype.Float32))
	require.True(t, found)
	require.NoError(t, s.Copy(p, host([]float32{1, 2, 3, 4, 5, 6}), 24))
	whole := device.View{Pointer: p, DType: dtype.Float32, Shape: []int{2, 3}, Strides: []int{3, 1}}
	columns := device.View{Pointer: p.Add(20), DType: dtype.Float32, Shape: []int{2}, Strides: []int{-3}}
	for _, v := range []device.View{whole, whole, columns, {Pointer: p, DType: dtype.Float32, Shape: []int{0}, Strides: []int{1}}} {
		a := &device.Arguments{Outputs: []device.View{v}, Inputs: []device.View{v}}
		require.NoError(t, neg.Launch(s, a))
		*a = device.Arguments{}
	}
	back := make([]float32, 6)
	require.NoError(t, s.Copy(host(back), p, 24))
	require.NoError(t, record(t, s).Wait())
	require.Equal(t, []float32{1, 2, -3, 4, 5, -6}, back)
}

type foreign struct{}

func (foreign) Wait() error { return nil }
func (foreign) Done() bool  { return true }

func mistakes(t *testing.T, b device.Backend) {
	s, p, h := stream(t, b, 0), allocate(t, b, 0, 8), host(make([]byte, 8))
	neg, _ := b.Kernel(device.KernelName("neg", dtype.Float32))
	for name, err := range map[string]error{
		"host to host":          s.Copy(h, h, 8),
		"negative copy":         s.Copy(p, h, -1),
		"negative fill":         s.Fill(p, -1),
		"fill of host memory":   s.Fill(h, 8),
		"event of another type": s.Wait(foreign{}),
		"no event":              s.Wait(nil),
		"no stream":             neg.Launch(nil, &device.Arguments{}),
	} {
		require.Error(t, err, name)
	}
	require.NoError(t, record(t, s).Wait())
}

func closed(t *testing.T, b device.Backend) {
	s, err := b.NewStream(0)
	require.NoError(t, err)
	p, e := allocate(t, b, 0, 4), record(t, s)
	require.NoError(t, s.Fill(p, 4))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.True(t, e.Done())
	neg, _ := b.Kernel(device.KernelName("neg", dtype.Float32))
	_, err = s.Record()
	for _, err := range []error{err, s.Fill(p, 4), s.Copy(p, host([]byte{1}), 1), s.Wait(e), neg.Launch(s, &device.Arguments{})} {
		require.ErrorContains(t, err, "closed")
	}
}

func events(t *testing.T, b device.Backend) {
	s, p := stream(t, b, 0), allocate(t, b, 0, 4)
	var all []device.Event
	for range 50 {
		require.NoError(t, s.Fill(p, 4))
		all = append(all, record(t, s))
	}
	require.NoError(t, all[49].Wait())
	for range 2 {
		for _, e := range all {
			require.True(t, e.Done())
			require.NoError(t, e.Wait())
		}
	}
}

func concurrent(t *testing.T, b device.Backend) {
	const goroutines, rounds = 8, 20
	var group sync.WaitGroup
	errs := make(chan error, goroutines)
	for g := range goroutines {
		group.Go(func() { errs <- roundTrips(b, g, rounds) })
	}
	group.Wait()
	for range goroutines {
		require.NoError(t, <-errs)
	}
}

// roundTrips sends numbers to one device, negates them there, and brings them back by way of the other device.
func roundTrips(b device.Backend, g, rounds int) error {
	here, there := g%2*far(b), (1-g%2)*far(b)
	near, err := b.NewStream(here)
	if err != nil {
		return err
	}
	away, err := b.NewStream(there)
	if err != nil {
		return err
	}
	neg, _ := b.Kernel(device.KernelName("neg", dtype.Float32))
	for round := range rounds {
		p, err := b.Allocate(here, 64)
		if err != nil {
			return err
		}
		q, err := b.Allocate(there, 64)
		if err != nil {
			return err
		}
		sent, received := make([]float32, 16), make([]float32, 16)
		for i := range sent {
			sent[i] = float32(g + round + i)
		}
		v := device.View{Pointer: p, DType: dtype.Float32, Shape: []int{16}, Strides: []int{1}}
		first := errors.Join(near.Copy(p, host(sent), 64), neg.Launch(near, &device.Arguments{Outputs: []device.View{v}, Inputs: []device.View{v}}))
		ready, err := near.Record()
		if err != nil {
			return err
		}
		second := errors.Join(away.Wait(ready), away.Copy(q, p, 64), away.Copy(host(received), q, 64))
		done, err := away.Record()
		if err := errors.Join(first, second, err); err != nil {
			return err
		}
		if err := errors.Join(ready.Wait(), done.Wait()); err != nil {
			return err
		}
		for i := range received {
			if received[i] != -sent[i] {
				return errors.New("wrong numbers came back")
			}
		}
		b.Free(here, p, 64)
		b.Free(there, q, 64)
	}
	return errors.Join(near.Close(), away.Close())
}

func pinned(t *testing.T, b device.Backend) {
	pinning, ok := b.(device.PinningBackend)
	if !ok {
		t.Skip("the backend locks no pages")
	}
	s, p := stream(t, b, far(b)), allocate(t, b, far(b), 4096)
	for round := range 5 {
		h, err := pinning.AllocatePinned(4096)
		require.NoError(t, err)
		require.Zero(t, uintptr(h.Host)%64)
		sent := h.Bytes(4096)
		for i := range sent {
			sent[i] = byte(i + round)
		}
		require.NoError(t, s.Copy(p, h, 4096))
		require.NoError(t, record(t, s).Wait())
		clear(sent)
		require.NoError(t, s.Copy(h, p, 4096))
		require.NoError(t, record(t, s).Wait())
		require.Equal(t, byte(4095%256+round), sent[4095]+0)
		pinning.FreePinned(h, 4096)
	}
}
