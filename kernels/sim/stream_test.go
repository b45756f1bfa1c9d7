package sim

import (
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
)

func TestDefaultBackendIsRegisteredWithTwoDevices(t *testing.T) {
	b, err := device.BackendOf(device.KindSim)
	require.NoError(t, err)
	require.Same(t, Default(), b)
	require.NoError(t, device.Check(device.Sim(1)))
	require.ErrorContains(t, device.Check(device.Sim(2)), "2 sim devices")
	_, err = b.NewStream(2)
	require.ErrorContains(t, err, "no device 2")
	_, err = b.Allocate(-1, 1)
	require.ErrorContains(t, err, "no device -1")
}

func TestCopiesTravelBetweenHostAndDevices(t *testing.T) {
	b := New(2)
	s := newStream(t, b, 0)
	values := []int32{1, -2, 3, -4}
	near := upload(t, s, values)
	far := allocate(t, b, 1, 16)
	require.NoError(t, s.Copy(far, near, 16))
	require.NoError(t, s.Fill(near.Add(4), 8))
	require.Equal(t, values, download[int32](t, s, far, 4))
	require.Equal(t, []int32{1, 0, 0, -4}, download[int32](t, s, near, 4))
	require.NoError(t, s.Copy(near, far.Add(8), 4))
	require.Equal(t, []int32{3, 0, 0, -4}, download[int32](t, s, near, 4))
	stats := b.Stats(0)
	require.Equal(t, device.Traffic{Copies: 1, Bytes: 16}, stats.HostToDevice)
	require.Equal(t, device.Traffic{Copies: 3, Bytes: 48}, stats.DeviceToHost)
	require.Equal(t, device.Traffic{Copies: 2, Bytes: 20}, stats.DeviceToDevice)
	require.Equal(t, 1, stats.Fills)
	require.Equal(t, 16, b.Stats(1).InUse)
	require.NoError(t, s.Close())
}

func TestStreamRunsInOrderAndNothingWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(2)
		s, free := newStream(t, b, 0), newStream(t, b, 1)
		release, releaseToo := b.Hold(0), b.Hold(0)
		result := []byte{9}
		p := upload(t, s, []byte{1})
		var events []device.Event
		for range 7 {
			require.NoError(t, double(b).Launch(s, &device.Arguments{Outputs: []device.View{bytesView(p, 1)}}))
			events = append(events, record(t, s))
		}
		require.NoError(t, s.Copy(host(result), p, 1))
		done := record(t, s)
		require.NoError(t, record(t, free).Wait(), "the other device is not held")

		synctest.Wait()
		require.False(t, events[0].Done())
		release()
		release()
		synctest.Wait()
		require.False(t, events[0].Done(), "the second hold is still there")
		releaseToo()
		require.NoError(t, done.Wait())
		for _, e := range events {
			require.True(t, e.Done())
		}
		require.Equal(t, []byte{128}, result)
	})
}

func TestWaitOrdersStreamsOfDifferentDevices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(2)
		producer, consumer := newStream(t, b, 0), newStream(t, b, 1)
		p, q := allocate(t, b, 0, 3), allocate(t, b, 1, 3)
		release := b.Hold(0)
		require.NoError(t, producer.Copy(p, host([]byte{1, 2, 3}), 3))
		written := record(t, producer)
		require.NoError(t, consumer.Wait(written))
		require.NoError(t, consumer.Copy(q, p, 3))
		result := make([]byte, 3)
		require.NoError(t, consumer.Copy(host(result), q, 3))
		read := record(t, consumer)

		synctest.Wait()
		require.False(t, read.Done(), "the consumer waits though its own device is not held")
		release()
		require.NoError(t, read.Wait())
		require.True(t, written.Done())
		require.Equal(t, []byte{1, 2, 3}, result)
	})
}

func TestFaultsAreReportedByTheNextEventEachTimeItIsAsked(t *testing.T) {
	b := New(1)
	s, p := newStream(t, b, 0), allocate(t, b, 0, 4)
	bad := device.Pointer{Address: p.Address + 5}
	before := record(t, s)
	require.NoError(t, s.Fill(bad, 1))
	require.NoError(t, s.Fill(p, 400))
	require.NoError(t, s.Copy(p, host([]byte{1, 2, 3, 4}), 4))
	faulty := record(t, s)
	after := record(t, s)
	for range 3 {
		require.NoError(t, before.Wait())
		require.NoError(t, after.Wait())
		var memory *MemoryFault
		require.ErrorAs(t, faulty.Wait(), &memory)
		require.Equal(t, bad.Address, memory.Address, "the first fault wins")
	}
	require.Equal(t, []byte{1, 2, 3, 4}, download[byte](t, s, p, 4), "work behind a fault runs")

	b.InjectFault("fill", io.ErrUnexpectedEOF)
	b.InjectFault("fill", io.ErrClosedPipe)
	require.NoError(t, s.Fill(p, 4))
	first := record(t, s)
	require.NoError(t, s.Fill(p, 4))
	second := record(t, s)
	require.NoError(t, s.Fill(p, 2))
	require.ErrorIs(t, first.Wait(), io.ErrUnexpectedEOF)
	require.ErrorIs(t, second.Wait(), io.ErrClosedPipe)
	require.Equal(t, []byte{0, 0, 3, 4}, download[byte](t, s, p, 4), "a fault replaces the work")
}

func TestFaultsStayOnTheirStream(t *testing.T) {
	b := New(1)
	s, other := newStream(t, b, 0), newStream(t, b, 0)
	b.InjectFault("copy", io.ErrUnexpectedEOF)
	p := upload(t, s, []byte{1})
	e := record(t, s)
	require.NoError(t, other.Wait(e))
	require.NoError(t, other.Fill(p, 1))
	require.NoError(t, record(t, other).Wait())
	require.ErrorIs(t, e.Wait(), io.ErrUnexpectedEOF)
}

func TestCloseWaitsAndReturnsTheFaultThatNoEventReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1)
		s := newStream(t, b, 0)
		release := b.Hold(0)
		b.InjectFault("copy", io.ErrUnexpectedEOF)
		p := upload(t, s, []byte{1})
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		synctest.Wait()
		select {
		case <-closed:
			t.Fatal("Close did not wait for the held work")
		default:
		}
		release()
		require.ErrorIs(t, <-closed, io.ErrUnexpectedEOF)
		require.ErrorIs(t, s.Close(), io.ErrUnexpectedEOF)
		_, err := s.Record()
		for _, err := range []error{
			err, s.Fill(p, 1), s.Copy(p, host([]byte{1}), 1), s.Wait(newEvent(b)),
			double(b).Launch(s, &device.Arguments{}),
		} {
			require.ErrorContains(t, err, "closed")
		}
		require.Equal(t, 1, b.Stats(0).HostToDevice.Copies, "refused commands are not counted")
	})
}

func TestMistakesInCallsAreErrorsAtOnce(t *testing.T) {
	b := New(1)
	s, p, h := newStream(t, b, 0), allocate(t, b, 0, 8), host(make([]byte, 8))
	otherStream := newStream(t, New(1), 0)
	for name, err := range map[string]error{
		"host to host":              s.Copy(h, h, 8),
		"negative copy":             s.Copy(p, h, -1),
		"negative fill":             s.Fill(p, -1),
		"fill of host memory":       s.Fill(h, 8),
		"event of another backend":  s.Wait(record(t, otherStream)),
		"event of another type":     s.Wait(foreignEvent{}),
		"no event":                  s.Wait(nil),
		"stream of another backend": double(b).Launch(otherStream, &device.Arguments{}),
		"no stream":                 double(b).Launch(nil, &device.Arguments{}),
	} {
		require.Error(t, err, name)
	}
	require.NoError(t, s.Close())
}

type foreignEvent struct{}

func (foreignEvent) Wait() error { return nil }
func (foreignEvent) Done() bool  { return true }

func TestLatencyIsAddedToEveryCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1)
		s := newStream(t, b, 0)
		b.SetLatency(time.Second)
		start := time.Now()
		p := upload(t, s, []byte{1})
		require.NoError(t, s.Fill(p, 1))
		require.NoError(t, double(b).Launch(s, &device.Arguments{Outputs: []device.View{bytesView(p, 1)}}))
		require.Zero(t, time.Since(start), "the caller does not wait")
		require.NoError(t, record(t, s).Wait())
		require.Equal(t, 3*time.Second, time.Since(start))
	})
}

// A bubble of synctest ends only when every goroutine in it has.
func TestNoGoroutineOutlivesTheWorkOfAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1)
		for range 10 {
			s := newStream(t, b, 0)
			require.NoError(t, s.Fill(allocate(t, b, 0, 4), 4))
			require.NoError(t, s.Close())
			abandoned := newStream(t, b, 0)
			require.NoError(t, abandoned.Fill(allocate(t, b, 0, 4), 4))
		}
	})
}

func TestManyGoroutinesAndStreams(t *testing.T) {
	const goroutines, rounds = 16, 40
	b := New(2)
	var group sync.WaitGroup
	errs := make(chan error, goroutines)
	for g := range goroutines {
		group.Go(func() { errs <- roundTrips(b, g, rounds) })
	}
	for range 20 {
		b.Hold(0)()
		b.Hold(1)()
	}
	group.Wait()
	for range goroutines {
		require.NoError(t, <-errs)
	}
	for index := range 2 {
		stats := b.Stats(index)
		require.Zero(t, stats.InUse)
		require.Equal(t, goroutines*rounds, stats.Allocations)
		require.Equal(t, goroutines*rounds/2, stats.Launches)
	}
}

// roundTrips sends bytes to one device, doubles them there, and brings them back by way of the other device.
func roundTrips(b *Backend, g, rounds int) error {
	near, err := b.NewStream(g % 2)
	if err != nil {
		return err
	}
	far, err := b.NewStream(1 - g%2)
	if err != nil {
		return err
	}
	for round := range rounds {
		p, err := b.Allocate(g%2, 64)
		if err != nil {
			return err
		}
		q, err := b.Allocate(1-g%2, 64)
		if err != nil {
			return err
		}
		sent, received := make([]byte, 64), make([]byte, 64)
		for i := range sent {
			sent[i] = byte(g + round + i)
		}
		arguments := &device.Arguments{Outputs: []device.View{bytesView(p, 64)}}
		first := errors.Join(near.Copy(p, host(sent), 64), double(b).Launch(near, arguments))
		arguments.Outputs[0] = device.View{}
		ready, err := near.Record()
		second := errors.Join(far.Wait(ready), far.Copy(q, p, 64), far.Copy(host(received), q, 64))
		done, errDone := far.Record()
		if err := errors.Join(first, err, second, errDone, ready.Wait(), done.Wait()); err != nil {
			return err
		}
		for i := range received {
			if received[i] != 2*sent[i] {
				return errors.New("wrong bytes came back")
			}
		}
		b.Free(g%2, p, 64)
		b.Free(1-g%2, q, 64)
	}
	return errors.Join(near.Close(), far.Close())
}
