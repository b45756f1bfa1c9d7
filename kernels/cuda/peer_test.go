//go:build linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/device/devicetest"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
)

// between is memory of two devices, and a stream of the first.
type between struct {
	*testing.T
	backend *Backend
	fake    *cudatest.Fake
	stream  *stream
	p, q    device.Pointer // of device 0, of device 1
}

// bridged is more than two buffers of a bridge have.
const bridged = 2*bridgeBytes + bridgeBytes/2

func newBetween(t *testing.T, settings map[string]int64) *between {
	b, fake := start(t, settings)
	s, err := b.NewStream(0)
	require.NoError(t, err)
	p, err := b.Allocate(0, bridged)
	require.NoError(t, err)
	q, err := b.Allocate(1, bridged)
	require.NoError(t, err)
	all := &between{t, b, fake, s.(*stream), p, q}
	t.Cleanup(func() { require.NoError(t, all.stream.Close()) })
	return all
}

// travel copies numbers to the device 0, to 1, back to another place, and to the host, which has to find them there.
func (b *between) travel(bytes int) {
	sent, received := make([]byte, bytes), make([]byte, bytes)
	for i := range sent {
		sent[i] = byte(i * 7 / 3)
	}
	s := b.stream
	require.NoError(b, s.Copy(b.p, device.Pointer{Host: unsafe.Pointer(&sent[0])}, bytes))
	require.NoError(b, s.Copy(b.q, b.p, bytes))
	require.NoError(b, s.Fill(b.p, bytes))
	require.NoError(b, s.Copy(b.p, b.q, bytes))
	require.NoError(b, s.Copy(device.Pointer{Host: unsafe.Pointer(&received[0])}, b.p, bytes))
	require.NoError(b, s.mustRecord(b.T).Wait())
	require.Equal(b, sent, received)
}

func (s *stream) mustRecord(t *testing.T) device.Event {
	e, err := s.Record()
	require.NoError(t, err)
	return e
}

func TestBackendPassesTheSuiteWithoutPeersAndWithoutPools(t *testing.T) {
	for _, settings := range []map[string]int64{{"noPeers": 1}, {"noPools": 1}, {"noPeers": 1, "noPools": 1}} {
		b, fake := start(t, settings)
		devicetest.RunAll(t, b)
		require.Equal(t, settings["noPeers"] == 1, fake.Get("copiesOver") == 0)
	}
}

func TestPeersCopyFromOneAnotherAndAreLetOnce(t *testing.T) {
	b := newBetween(t, nil)
	b.travel(bridged)
	b.travel(5)
	require.Equal(t, 4, b.fake.Get("copiesOver"))
	require.Equal(t, 1, b.fake.Get("peers"))
	require.Equal(t, []int{2, 2}, []int{b.fake.Get("copiesIn"), b.fake.Get("copiesOut")})
	stats, err := b.backend.Stats(0)
	require.NoError(t, err)
	require.Equal(t, device.Traffic{Copies: 4, Bytes: 2 * (bridged + 5)}, stats.DeviceToDevice)
}

func TestDevicesThatAreNotPeersCopyByWayOfTheHost(t *testing.T) {
	for name, settings := range map[string]map[string]int64{
		"no peers": {"noPeers": 1}, "too many": {"peerFails": 1}, "no access to the pool": {"accessFails": 1}, "turned off": {},
	} {
		t.Run(name, func(t *testing.T) {
			if len(settings) == 0 {
				t.Setenv("WEFT_PEERS", "0")
			}
			b := newBetween(t, settings)
			b.travel(bridged)
			b.travel(5)
			require.Zero(t, b.fake.Get("copiesOver"))
			require.Equal(t, int(settings["accessFails"]), b.fake.Get("peers"))
			require.Equal(t, 2, b.fake.Get("hostLive"), "the buffers of the bridge")
			stats, err := b.backend.Stats(0)
			require.NoError(t, err)
			require.Equal(t, device.Traffic{Copies: 4, Bytes: 2 * (bridged + 5)}, stats.DeviceToDevice)
			received := make([]byte, 4)
			require.NoError(t, b.stream.Copy(device.Pointer{Host: unsafe.Pointer(&received[0])}, b.q, 4), "of the other device to the host")
			require.NoError(t, b.stream.mustRecord(t).Wait())
			require.Equal(t, []byte{0, 2, 4, 7}, received)
		})
	}
}

func TestNothingWaitsForCopiesBetweenDevices(t *testing.T) {
	for _, noPeers := range []int64{0, 1} {
		b := newBetween(t, map[string]int64{"noPeers": noPeers})
		b.fake.Set("copyMicroseconds", 60_000)
		require.NoError(t, b.stream.Copy(b.q, b.p, bridged))
		require.NoError(t, b.stream.Copy(b.p, b.q, bridged))
		last := b.stream.mustRecord(t)
		require.False(t, last.Done())
		require.NoError(t, last.Wait())
	}
}

func TestClosingAStreamWaitsForItsCopiesByWayOfTheHost(t *testing.T) {
	b := newBetween(t, map[string]int64{"noPeers": 1})
	b.fake.Set("copyMicroseconds", 20_000)
	require.NoError(t, b.stream.Copy(b.p, b.q, bridged))
	require.NoError(t, b.stream.Close(), "the buffers are given back, which no copy uses any more")
	other, err := unitsOf(t, b.backend)[0].newStream()
	require.NoError(t, err)
	b.stream = other
	b.travel(16)
}

func TestCopiesBetweenDevicesThatFailAreErrorsAlone(t *testing.T) {
	b := newBetween(t, map[string]int64{"noPeers": 1})
	b.fake.Set("hostAllocationFails", 2)
	require.ErrorIs(t, b.stream.Copy(b.q, b.p, 4), fault.ErrOutOfMemory)
	b.travel(16)
	require.NoError(t, b.stream.Capture())
	require.ErrorIs(t, b.stream.Copy(b.q, b.p, 4), errors.ErrUnsupported)
	_, err := b.stream.Captured()
	require.NoError(t, err)
	b.travel(16)
	b.fake.Set("copyLoses", 2)
	err = b.stream.Copy(b.q, b.p, 4)
	if err == nil { // It may be known by now.
		err = b.stream.mustRecord(t).Wait()
	}
	require.ErrorContains(t, err, "gpu(1) is disabled")
	require.ErrorContains(t, b.stream.Copy(b.q, b.p, 4), "gpu(1) is disabled")
	require.NoError(t, b.stream.Fill(b.p, 4))
	require.NoError(t, b.stream.mustRecord(t).Wait(), "the other device goes on")
	require.ErrorContains(t, b.stream.Close(), "gpu(1) is disabled")
	b.stream, err = unitsOf(t, b.backend)[0].newStream()
	require.NoError(t, err)
}

func TestEventsTellOfCopiesBetweenTwoOtherDevices(t *testing.T) {
	b := newBetween(t, map[string]int64{"noPeers": 1, "devices": 3})
	r, err := b.backend.Allocate(2, 16)
	require.NoError(t, err)
	sent, received := []byte("between the others"), make([]byte, 16)
	require.NoError(t, b.stream.Copy(b.q, device.Pointer{Host: unsafe.Pointer(&sent[0])}, 16))
	require.NoError(t, b.stream.Copy(r, b.q, 16))
	require.NoError(t, b.stream.Copy(device.Pointer{Host: unsafe.Pointer(&received[0])}, r, 16))
	require.NoError(t, b.stream.mustRecord(t).Wait())
	require.Equal(t, sent[:16], received)
	require.Empty(t, b.stream.bridges[unitsOf(t, b.backend)[2]].far.elsewhere)
	b.fake.Set("copyLoses", 1)
	err = b.stream.Copy(r, b.q, 16)
	if err == nil { // It may be known by now.
		err = b.stream.mustRecord(t).Wait()
	}
	require.ErrorContains(t, err, "gpu(1) is disabled")
	require.ErrorContains(t, b.stream.Close(), "gpu(1) is disabled")
	b.stream, err = unitsOf(t, b.backend)[0].newStream()
	require.NoError(t, err)
}

func TestEventsOfALostDeviceWaitForNoOther(t *testing.T) {
	b := newBetween(t, nil)
	b.fake.Set("copyMicroseconds", 100_000)
	require.NoError(t, b.stream.Copy(b.p, b.q, 16))
	behind, err := b.stream.mark()
	require.NoError(t, err)
	lost := &event{timeline: &timeline{unit: unitsOf(t, b.backend)[1]}, elsewhere: []*event{behind}}
	require.ErrorIs(t, lost.complete(fault.ErrDevice), fault.ErrDevice)
	require.False(t, behind.Done())
	require.NoError(t, behind.Wait())
}

func TestKeptWorkCopiesBetweenPeers(t *testing.T) {
	b := newBetween(t, nil)
	b.travel(16)
	require.NoError(t, b.stream.Capture())
	require.NoError(t, b.stream.Copy(b.q, b.p, 16))
	w, err := b.stream.Captured()
	require.NoError(t, err)
	require.NoError(t, b.stream.Fill(b.p, 16))
	require.NoError(t, w.Enqueue(b.stream))
	received := make([]byte, 4)
	require.NoError(t, b.stream.Copy(device.Pointer{Host: unsafe.Pointer(&received[0])}, b.q, 4))
	require.NoError(t, b.stream.mustRecord(t).Wait())
	require.Equal(t, make([]byte, 4), received)
}
