//go:build linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

func newStream(t *testing.T) (*Backend, *stream, *cudatest.Fake) {
	b, fake := start(t, nil)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return b, s.(*stream), fake
}

func recordAll(t *testing.T, s *stream, count int) []*event {
	all := make([]*event, count)
	for i := range all {
		e, err := s.Record()
		require.NoError(t, err)
		all[i] = e.(*event)
	}
	return all
}

func TestEventsBeforeACompleteOneAreCompleteWithoutACallOfTheDriver(t *testing.T) {
	b, s, fake := newStream(t)
	all := recordAll(t, s, 100)
	require.NoError(t, all[60].Wait())
	asked := fake.Get("eventCalls")
	other, err := b.NewStream(0)
	require.NoError(t, err)
	defer other.Close()
	for _, e := range all[:61] {
		require.NoError(t, other.Wait(e))
		require.True(t, e.Done())
		require.NoError(t, e.Wait())
	}
	require.Equal(t, asked, fake.Get("eventCalls"))
	require.NoError(t, all[61].Wait())
	require.Greater(t, fake.Get("eventCalls"), asked, "it was not known")
}

func TestEventsThatAreCompleteAreUsedAgain(t *testing.T) {
	b, s, fake := newStream(t)
	all := recordAll(t, s, 50)
	require.NoError(t, all[49].Wait())
	made := fake.Get("events")
	require.NoError(t, recordAll(t, s, 50)[0].Wait())
	require.Equal(t, made, fake.Get("events"))
	require.NoError(t, s.Close())
	other, err := b.NewStream(0)
	require.NoError(t, err)
	defer other.Close()
	recordAll(t, other.(*stream), 50)
	require.Equal(t, made, fake.Get("events"), "by other streams, too")
	require.NoError(t, all[3].Wait())
}

func TestAnEventIsNotUsedAgainWhileSomebodyWaitsForIt(t *testing.T) {
	b, s, fake := newStream(t)
	fake.Set("copyMicroseconds", 100)
	p, err := b.Allocate(0, 64)
	require.NoError(t, err)
	for range 100 {
		require.NoError(t, s.Copy(p.Add(32), p, 8))
		all := recordAll(t, s, 4)
		var group sync.WaitGroup
		for _, e := range append(all, all...) {
			group.Go(func() {
				if err := e.Wait(); err != nil || !e.Done() {
					panic("the event is not complete")
				}
			})
		}
		group.Wait()
	}
	require.LessOrEqual(t, fake.Get("events"), 8)
}

// TestEveryEventTellsOfItsOwnChecks asks for them in another order than that of the stream.
func TestEveryEventTellsOfItsOwnChecks(t *testing.T) {
	_, s, _ := newStream(t)
	errFound := errors.New("found")
	var all []*event
	for i := range 4 {
		place, err := s.unit.findings.take(s.unit.backend)
		require.NoError(t, err)
		*(*finding)(place.Host) = finding{number: uint64(i % 2)}
		s.checks = append(s.checks, check{place, func(finding) error { return errFound }})
		all = append(all, recordAll(t, s, 1)...)
	}
	require.ErrorIs(t, all[3].Wait(), errFound)
	require.NoError(t, all[2].Wait())
	require.True(t, all[1].Done())
	require.ErrorIs(t, all[1].Wait(), errFound)
	require.NoError(t, all[0].Wait())
	require.ErrorIs(t, all[1].Wait(), errFound, "each time")
}

func TestALostDeviceIsToldByEveryEventThatIsNotKnownToBeComplete(t *testing.T) {
	b, s, fake := newStream(t)
	p, err := b.Allocate(0, 64)
	require.NoError(t, err)
	before := recordAll(t, s, 3)
	require.NoError(t, before[1].Wait())
	fake.Set("copyLoses", 1)
	fake.Set("copyMicroseconds", 20_000)
	require.NoError(t, s.Copy(p.Add(32), p, 8))
	var after []device.Event
	for range 3 {
		e, err := s.Record()
		if err != nil { // The copy has lost it already.
			require.ErrorIs(t, err, fault.ErrDevice)
			break
		}
		after = append(after, e)
	}
	slices.Reverse(after)
	for _, e := range after {
		require.ErrorIs(t, e.Wait(), fault.ErrDevice)
		require.True(t, e.Done())
	}
	require.NoError(t, before[0].Wait())
	require.NoError(t, before[1].Wait())
	require.Error(t, s.Close())
	for _, e := range after {
		require.ErrorIs(t, e.Wait(), fault.ErrDevice, "the stream is closed")
	}
}
