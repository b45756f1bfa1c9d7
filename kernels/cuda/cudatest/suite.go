package cudatest

import (
	"errors"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

// RunDriver is the suite that every driver.Driver passes. With a fake driver below it, which must be as Start, Install or Linked
// return it, faults are tested too; without one, fake is nil.
func RunDriver(t *testing.T, d driver.Driver, fake *Fake) {
	for name, property := range map[string]func(s *suite){
		"DevicesAreDescribed":                    devices,
		"CopiesGoThereAndBack":                   copies,
		"MemoryIsGivenBackOnce":                  memory,
		"DevicesThatArePeersAreReached":          peers,
		"PoolsKeepWhatIsFreeUntilTheyAreTrimmed": pools,
		"KernelsTakeTheWholeOfTheirArgument":     kernels,
		"TextThatIsNoKernelIsRefused":            texts,
		"StreamsFollowEvents":                    events,
		"ManyGoroutinesCallAtOnce":               concurrent,
		"KeptWorkRunsWhenItIsReplayed":           graphs,
		"ProductsAreThoseOfColumnMajorMatrices":  products,
		"ProductsOfEveryPrecision":               precisions,
		"RefusedProductsFailAlone":               refusedProducts,
		"ProductsWithABiasAreRoundedOnce":        affineProducts,
		"RefusedProductsWithABiasFailAlone":      refusedAffineProducts,
		"ConvolutionsHaveThreeDirections":        convolutions,
		"ConvolutionsOfEveryPrecision":           convolutionsOfEveryPrecision,
		"RefusedConvolutionsFailAlone":           refusedConvolutions,
		"ProgramsAreCompiledForTheDevice":        programs,
	} {
		t.Run(name, func(t *testing.T) { property(newSuite(t, d, fake)) })
	}
	if fake == nil {
		return
	}
	for name, property := range map[string]func(s *suite){
		"MemoryThatIsLackingIsAnErrorOnce":       lackingMemory,
		"RefusedLaunchesFailAlone":               refusedLaunches,
		"ALostDeviceFailsFromThenOn":             lostDevice,
		"CopiesMayLoseADevice":                   lostByCopies,
		"ADriverThatEndsIsAnErrorOfEveryCall":    killedDriver,
		"WorkThatCannotBeKeptIsAnErrorOfItsEnd":  refusedGraphs,
		"ThreadsThatPartAtABarrierLoseTheDevice": partedThreads,
		"StacksThatOverflowLoseTheDevice":        overflownStacks,
		"ResultsDependOnBarriers":                lackingBarriers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { fake.Set("restart", 1) })
			property(newSuite(t, d, fake))
		})
	}
}

// suite is one test of a driver, with the context of its first device.
type suite struct {
	*testing.T
	driver driver.Driver
	fake   *Fake
	driver.Context
	stream driver.Stream
}

func newSuite(t *testing.T, d driver.Driver, fake *Fake) *suite {
	s := &suite{T: t, driver: d, fake: fake}
	var err error
	s.Context, err = d.Open(0)
	require.NoError(t, err)
	s.stream, err = s.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() {
		if fake != nil {
			fake.Set("restart", 1)
		}
		require.NoError(t, s.CloseStream(s.stream))
		require.NoError(t, s.Close())
	})
	return s
}

// bytesOf is the memory of values.
func bytesOf[T any](values []T) (unsafe.Pointer, int) {
	var one T
	return unsafe.Pointer(unsafe.SliceData(values)), len(values) * int(unsafe.Sizeof(one))
}

// upload returns device memory with values, until the test ends.
func upload[T any](s *suite, values ...T) driver.Address {
	at, bytes := bytesOf(values)
	p, err := s.Allocate(bytes)
	require.NoError(s, err)
	require.Zero(s, p%256)
	s.Cleanup(func() {
		require.NoError(s, s.Synchronize(s.stream))
		require.NoError(s, s.Free(p))
	})
	require.NoError(s, s.CopyIn(p, at, bytes, s.stream))
	return p
}

// download returns count values of device memory.
func download[T any](s *suite, p driver.Address, count int) []T {
	values := make([]T, count)
	at, bytes := bytesOf(values)
	require.NoError(s, s.CopyOut(at, p, bytes, s.stream))
	require.NoError(s, s.Synchronize(s.stream))
	return values
}

// refused checks that err is the one of a call with a status.
func refused(s *suite, err error, status driver.Status) {
	s.Helper()
	var e *driver.Error
	require.ErrorAs(s, err, &e)
	require.Equal(s, status, e.Status)
	require.Regexp(s, "^cu[A-Z]", e.Call)
}

func devices(s *suite) {
	count, err := s.driver.Count()
	require.NoError(s, err)
	require.NotZero(s, count)
	require.Greater(s, s.driver.Version(), 11000)
	p, err := s.driver.Describe(count - 1)
	require.NoError(s, err)
	require.NotEmpty(s, p.Name)
	if s.fake != nil {
		require.Equal(s, driver.Properties{Name: "Fake GPU", Major: 9, Minor: 0, Processors: 4, Memory: 4 << 30, ThreadsInBlock: 1024}, p)
	}
	for _, absent := range []int{-1, count} {
		_, err = s.driver.Open(absent)
		refused(s, err, driver.InvalidDevice)
		_, err = s.driver.Describe(absent)
		refused(s, err, driver.InvalidDevice)
	}
}

func copies(s *suite) {
	p := upload(s, []byte("sixty-four bytes that travel to a device, in it, and back again.")...)
	q, err := s.Allocate(64)
	require.NoError(s, err)
	require.NoError(s, s.Zero(p+6, 4, s.stream))
	require.NoError(s, s.CopyOver(q, p, 64, s.stream))
	require.Equal(s, "sixty-\x00\x00\x00\x00 bytes that travel to a device, in it, and back again.", string(download[byte](s, q, 64)))
	pinned, err := s.AllocateHost(64)
	require.NoError(s, err)
	require.NoError(s, s.CopyOut(pinned, q, 64, s.stream))
	require.NoError(s, s.Zero(p, 64, s.stream))
	require.NoError(s, s.CopyIn(p, pinned, 64, s.stream))
	require.Equal(s, "sixty", string(download[byte](s, p, 64)[:5]))
	require.NoError(s, s.FreeHost(pinned))
	require.NoError(s, s.Free(q))
}

func memory(s *suite) {
	free, total, err := s.Memory()
	require.NoError(s, err)
	p, err := s.Allocate(1 << 20)
	require.NoError(s, err)
	less, _, err := s.Memory()
	require.NoError(s, err)
	require.LessOrEqual(s, free, total)
	require.LessOrEqual(s, less, free)
	require.NoError(s, s.Free(p))
	if s.fake != nil { // A real driver may end the process.
		refused(s, s.Free(p), 1)
	}
	_, err = s.Allocate(total + 1)
	require.ErrorIs(s, err, fault.ErrOutOfMemory)
	refused(s, err, driver.OutOfMemory)
}

// pools takes and gives memory, of which a pool keeps what is free until it is trimmed.
func pools(s *suite) {
	before, err := s.Pool()
	if errors.Is(err, errors.ErrUnsupported) {
		require.NoError(s, s.Trim())
		s.Skip(err)
	}
	require.NoError(s, err)
	const bytes = 8 << 20
	p, err := s.Allocate(bytes)
	require.NoError(s, err)
	used, err := s.Pool()
	require.NoError(s, err)
	require.Equal(s, before.Used+bytes, used.Used)
	require.GreaterOrEqual(s, used.Reserved, used.Used)
	require.NoError(s, s.Free(p))
	p, err = s.Allocate(bytes)
	require.NoError(s, err)
	again, err := s.Pool()
	require.NoError(s, err)
	require.Equal(s, used, again, "what is free is handed out")
	require.NoError(s, s.Free(p))
	require.NoError(s, s.Trim())
	trimmed, err := s.Pool()
	require.NoError(s, err)
	require.Equal(s, driver.Pool{Used: before.Used, Reserved: before.Reserved, MostUsed: used.MostUsed, MostReserved: used.MostReserved}, trimmed)
}

// peers copies from another device, and back, where the first reaches it.
func peers(s *suite) {
	if count, err := s.driver.Count(); err != nil || count < 2 {
		s.Skip("there is one device")
	}
	other, err := s.driver.Open(1)
	require.NoError(s, err)
	p := upload[int32](s, 1, 2, 3, 4)
	q, err := other.Allocate(16)
	require.NoError(s, err)
	for device, at := range []driver.Address{p, q} {
		owner, err := s.Owner(at + 4)
		require.NoError(s, err)
		require.Equal(s, device, owner)
	}
	for range 2 {
		if err := s.Reach(other); errors.Is(err, errors.ErrUnsupported) {
			s.Skip(err)
		}
		require.NoError(s, err)
	}
	require.NoError(s, s.CopyOver(q, p, 16, s.stream))
	require.NoError(s, s.CopyOver(p, q+4, 12, s.stream))
	require.Equal(s, []int32{2, 3, 4, 4}, download[int32](s, p, 4))
	require.Equal(s, []int32{1, 2, 3, 4}, download[int32](s, q, 4))
	require.NoError(s, other.Free(q))
	require.NoError(s, other.Close())
}

// negated is the argument of a kernel that negates the only axis of an array of float32; see struct Arguments of weft.h.
type negated struct {
	count, inner, outerAxes, innerAxes, part, parts, columns, joins, packs uint64
	shape                                                                  [32]uint64
	operands                                                               [6]struct {
		start   driver.Address
		dtype   uint64
		strides [32]uint64
	}
	integers [48]uint64
	scalars  [12]float64
}

// negate enqueues the negation of count float32 in place.
func (s *suite) negate(on driver.Stream, p driver.Address, count int) error {
	found, ok := ptx.Find("neg_float32")
	require.True(s, ok)
	m, err := s.Load(ptx.Text(found.Module))
	require.NoError(s, err)
	f, err := s.Function(m, found.Entry)
	require.NoError(s, err)
	a := &negated{count: uint64(count), inner: 1, outerAxes: 1}
	a.shape[0] = uint64(count)
	for i := range 2 {
		a.operands[i].start, a.operands[i].dtype, a.operands[i].strides[0] = p, uint64(dtype.Float32), 1
	}
	return s.Launch(f, 1, 256, 0, on, unsafe.Pointer(a))
}

func kernels(s *suite) {
	p := upload[float32](s, 1, 2, 3, 4)
	require.NoError(s, s.negate(s.stream, p, 3))
	require.Equal(s, []float32{-1, -2, -3, 4}, download[float32](s, p, 4))
}

func texts(s *suite) {
	_, err := s.Load("this is no PTX")
	var e *driver.Error
	require.ErrorAs(s, err, &e)
	if e.Status != driver.InvalidImage || s.fake != nil { // A driver may take it for a binary.
		refused(s, err, driver.InvalidPTX)
	}
	found, _ := ptx.Find("neg_float32")
	m, err := s.Load(ptx.Text(found.Module))
	require.NoError(s, err)
	_, err = s.Function(m, "each_nothing")
	refused(s, err, 500)
}

func events(s *suite) {
	other, err := s.NewStream()
	require.NoError(s, err)
	e, err := s.NewEvent()
	require.NoError(s, err)
	p := upload[float32](s, 1)
	for range 20 {
		require.NoError(s, s.negate(s.stream, p, 1))
		require.NoError(s, s.Record(e, s.stream))
		require.NoError(s, s.Follow(other, e))
		require.NoError(s, s.negate(other, p, 1))
		require.NoError(s, s.Record(e, other))
		require.NoError(s, s.Follow(s.stream, e))
	}
	require.NoError(s, s.Await(e))
	reached, err := s.Reached(e)
	require.NoError(s, err)
	require.True(s, reached)
	require.Equal(s, []float32{1}, download[float32](s, p, 1))
	require.NoError(s, s.Synchronize(other))
	require.NoError(s, s.CloseStream(other))
	require.NoError(s, s.CloseEvent(e))
	if s.fake == nil {
		return
	}
	s.fake.Set("copyMicroseconds", 100_000)
	require.NoError(s, s.CopyOver(p, p, 4, s.stream))
	e, err = s.NewEvent()
	require.NoError(s, err)
	require.NoError(s, s.Record(e, s.stream))
	reached, err = s.Reached(e)
	require.NoError(s, err)
	require.False(s, reached)
	require.NoError(s, s.Await(e))
	require.NoError(s, s.CloseEvent(e))
}

func concurrent(s *suite) {
	var group sync.WaitGroup
	problems := make([]error, 8)
	for i := range problems {
		group.Go(func() { problems[i] = s.roundTrips(byte(i)) })
	}
	group.Wait()
	require.NoError(s, errors.Join(problems...))
}

// roundTrips copies to the device and back on a stream of its own.
func (s *suite) roundTrips(value byte) error {
	own, err := s.NewStream()
	if err != nil {
		return err
	}
	for range 50 {
		p, err := s.Allocate(1)
		if err != nil {
			return err
		}
		object := &struct { // Small arrays are inside objects that have pointers.
			self       any
			sent, back byte
		}{sent: value}
		object.self = object
		err = errors.Join(s.CopyIn(p, unsafe.Pointer(&object.sent), 1, own), s.CopyOut(unsafe.Pointer(&object.back), p, 1, own), s.Synchronize(own), s.Free(p))
		if err == nil && object.back != value {
			err = errors.New("another goroutine's byte came back")
		}
		if err != nil {
			return err
		}
	}
	return s.CloseStream(own)
}

func graphs(s *suite) {
	p := upload[float32](s, 1, 2)
	require.NoError(s, s.negate(s.stream, p, 2))
	require.NoError(s, s.Synchronize(s.stream))
	require.NoError(s, s.Capture(s.stream))
	require.NoError(s, s.negate(s.stream, p, 1))
	g, err := s.EndCapture(s.stream)
	require.NoError(s, err)
	require.Equal(s, []float32{-1, -2}, download[float32](s, p, 2), "nothing has run")
	require.NoError(s, s.Replay(g, s.stream))
	require.Equal(s, []float32{1, -2}, download[float32](s, p, 2))
	require.NoError(s, s.CloseGraph(g))
}
