//go:build unix

package ndarray_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
	"github.com/weft-nd/weft/storage"
)

const roleVariable = "NDARRAY_TEST_ROLE"

// quickExit keeps the race detector from waiting a second at the end of every process.
const quickExit = "GORACE=atexit_sleep_ms=0"

// The binary of the tests is the other process, too, if it is asked to.
func init() {
	role, found := roles[os.Getenv(roleVariable)]
	if !found {
		return
	}
	conn, err := nd.Parent()
	if err == nil {
		err = role(conn)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// roles are what a child does. All end when the parent closes the connection.
var roles = map[string]func(conn *net.UnixConn) error{
	"square": squareAll,
	"return": returnAll,
	"scribble": func(conn *net.UnixConn) error {
		x, err := nd.Receive(conn)
		if err != nil {
			return err
		}
		for i := 0; ; i++ {
			increment(x)
			if err := x.Wait(context.Background()); err != nil {
				return err
			}
			if i == 100 {
				if _, err := conn.Write([]byte{1}); err != nil {
					return err
				}
			}
		}
	},
	"stammer": func(conn *net.UnixConn) error { return errors.Join(write(conn, "weft\x01"), await(conn)) },
	"deaf": func(conn *net.UnixConn) error {
		return errors.Join(write(conn, "!"), hangUp(conn))
	},
}

func write(conn *net.UnixConn, text string) error {
	_, err := conn.Write([]byte(text))
	return err
}

// increment adds one to every element of x, in place.
func increment(x *nd.Array) { nd.AddInto(x, x, nd.OnesIn(x.Env(), x.DType())) }

// await returns when conn is closed.
func await(conn *net.UnixConn) error {
	_, err := io.Copy(io.Discard, conn)
	return err
}

// hangUp returns when the other end of conn is closed, and reads nothing of what comes before.
func hangUp(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	return raw.Control(func(descriptor uintptr) {
		for hungUp := 0; hungUp == 0; {
			hungUp, _ = unix.Poll([]unix.PollFd{{Fd: int32(descriptor)}}, -1) // POLLHUP needs no asking for
		}
	})
}

// squareAll squares every array that comes in place, and tells when that is done.
func squareAll(conn *net.UnixConn) error {
	for {
		x, err := nd.Receive(conn)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		nd.SquareInto(x, x)
		if err := x.Wait(context.Background()); err != nil {
			return err
		}
		if err := write(conn, "+"); err != nil {
			return err
		}
	}
}

// returnAll sends every array back.
func returnAll(conn *net.UnixConn) error {
	for {
		x, err := nd.Receive(conn)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := nd.Share(conn, x); err != nil {
			return err
		}
		x.Release()
	}
}

// child is another process, and the connection to it.
type child struct {
	*net.UnixConn
	t     *testing.T
	cmd   *exec.Cmd
	ended bool
}

// start starts a child in the given role.
func start(t *testing.T, role string, environment ...string) *child {
	t.Helper()
	executable, err := os.Executable()
	require.NoError(t, err)
	c := &child{t: t, cmd: exec.Command(executable)}
	c.cmd.Env = append(append(os.Environ(), roleVariable+"="+role, quickExit), environment...)
	c.cmd.Stderr = os.Stderr
	c.UnixConn, err = nd.StartChild(c.cmd)
	skipUnderEmulator(t, err)
	require.NoError(t, err)
	t.Cleanup(func() {
		if !c.ended { // the test has failed
			_, _ = c.cmd.Process.Kill(), c.cmd.Wait()
		}
	})
	return c
}

// skipUnderEmulator skips a test that needs another program, if err says that none can be started.
func skipUnderEmulator(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this test, but cannot start another program: ", err)
	}
}

// told waits for a word of the child.
func (c *child) told(want string) {
	c.t.Helper()
	word := make([]byte, len(want))
	_, err := io.ReadFull(c, word)
	require.NoError(c.t, err)
	require.Equal(c.t, want, string(word))
}

// end closes the connection, upon which the child ends without an error.
func (c *child) end() {
	c.t.Helper()
	require.NoError(c.t, c.Close())
	c.ended = true
	require.NoError(c.t, c.cmd.Wait())
}

func (c *child) kill() {
	c.t.Helper()
	c.ended = true
	require.NoError(c.t, c.cmd.Process.Kill())
	require.Error(c.t, c.cmd.Wait())
}

// pair returns a connection of this process to itself.
func pair(t *testing.T) (here, there *net.UnixConn) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	var conns [2]*net.UnixConn
	for i, end := range ends {
		file := os.NewFile(uintptr(end), "end")
		conn, err := net.FileConn(file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		conns[i] = conn.(*net.UnixConn)
		t.Cleanup(func() { conn.Close() })
	}
	return conns[0], conns[1]
}

// passed returns the array that Receive gives for a.
func passed(t *testing.T, a *nd.Array) *nd.Array {
	t.Helper()
	here, there := pair(t)
	require.NoError(t, nd.Share(here, a))
	b, err := nd.ReceiveIn(a.Env(), there)
	require.NoError(t, err)
	return b
}

func onEngines(t *testing.T, check func(t *testing.T, env *nd.Env)) {
	for _, name := range []string{"naive", "pooled", "perdevice", "shuffled"} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(name)
			require.NoError(t, err)
			check(t, ops.NewEnv(e))
			require.NoError(t, e.Close(context.Background()))
		})
	}
}

var hostKinds = []device.Device{device.CPUShared(0), device.CPUShared(2), device.CPUPinned(0), device.CPUPinned(1)}

func TestOperatorsRunOnSharedAndPinnedMemory(t *testing.T) {
	compute := func(x *nd.Array) *nd.Array {
		y := x.MatMul(x.T()).AddScalar(1).Tanh()
		y.SetSlice(nd.FullIn(y.Env(), y.DType(), 0.5), 3)
		return y.Index(nd.SpanBy(nd.Open, nd.Open, -2)).Mul(x.Sum(0).Sum()).Add(nd.FullIn(x.Env(), x.DType(), 1, y.Shape()[1]))
	}
	onEngines(t, func(t *testing.T, env *nd.Env) {
		x := floats(150, 150).DivScalar(1e4)
		data := values[float32](t, x)
		want := values[float32](t, compute(nd.FromSliceIn(env, data, 150, 150)))
		for _, d := range hostKinds {
			x := nd.FromSliceIn(env.WithDevice(d), data, 150, 150)
			y := compute(x)
			require.Equal(t, d, y.Device())
			require.Equal(t, want, values[float32](t, y))
			require.Equal(t, want, values[float32](t, compute(x.To(device.Sim(0))).To(d)))
			require.Equal(t, want, values[float32](t, compute(x.To(device.CPU(1)).Copy().To(d))))
			require.Equal(t, want, values[float32](t, y.To(device.Sim(1)).Copy().To(device.CPU(0))))
		}
	})
}

func TestArraysOfOneElementAndNoneAreOnSharedAndPinnedMemory(t *testing.T) {
	for _, d := range hostKinds {
		x := floats().To(d).AddScalar(3)
		require.Equal(t, []float32{3}, values[float32](t, x))
		require.Empty(t, values[float32](t, floats(0, 4).To(d).AddScalar(3)))
		err := mistake(t, func() { x.Add(floats()) })
		require.ErrorIs(t, err, fault.ErrDevice)
	}
}

func TestSharedArraysAreOneMemory(t *testing.T) {
	onEngines(t, func(t *testing.T, env *nd.Env) {
		x := nd.ZerosIn(env.WithDevice(device.CPUShared(0)), dtype.Float32, 100, 3)
		y := passed(t, x)
		require.Equal(t, device.CPUShared(0), y.Device())
		for i := range 5 {
			increment(x)
			require.NoError(t, x.Wait(t.Context()))
			require.EqualValues(t, 4*i+1, values[float32](t, y)[299])
			increment(y.T())
			require.NoError(t, y.Wait(t.Context()))
			require.EqualValues(t, 4*i+2, values[float32](t, x)[0])
			for j, a := range []*nd.Array{x, y} {
				require.NoError(t, nd.Write(t.Context(), a, func(elements []float32) error {
					for k := range elements {
						elements[k] = float32(4*i + 3 + j)
					}
					return nil
				}))
			}
		}
	})
}

func TestCopiesOfSharedMemoryAreMadeAgainAfterAWrite(t *testing.T) {
	x := nd.ZerosIn(nd.DefaultEnv().WithDevice(device.CPUShared(0)), dtype.Float32, 10)
	y := passed(t, x)
	remote := x.To(device.Sim(0))
	require.EqualValues(t, 0, values[float32](t, remote.Sum())[0])
	increment(y)
	require.NoError(t, y.Wait(t.Context()))
	require.NoError(t, nd.Write(t.Context(), x, func([]float32) error { return nil }))
	require.EqualValues(t, 10, values[float32](t, remote.Sum())[0])
	require.NoError(t, nd.Share(first(pair(t)), x), "to share is to write")
}

func first(here, _ *net.UnixConn) *net.UnixConn { return here }

func TestSharingWaitsForPendingOperators(t *testing.T) {
	onEngines(t, func(t *testing.T, env *nd.Env) {
		x := nd.ZerosIn(env.WithDevice(device.CPUShared(0)), dtype.Int64, 10_000)
		for range 50 {
			increment(x)
		}
		y := passed(t, x)
		sum := int64(0)
		require.NoError(t, nd.Read(t.Context(), y, func(elements []int64) error {
			for _, v := range elements {
				sum += v
			}
			return nil
		}))
		require.EqualValues(t, 500_000, sum)
	})
}

func TestViewsAndTypesArriveAsTheyAre(t *testing.T) {
	x := floats(4, 5).To(device.CPUShared(0))
	cases := map[string]*nd.Array{
		"all":           x,
		"from the cpu":  floats(3, 2),
		"from a device": floats(3, 2).To(device.Sim(0)).AddScalar(1),
		"pinned":        floats(3, 2).To(device.CPUPinned(0)),
		"transposed":    x.T(),
		"a row":         x.Index(2),
		"backwards":     x.Index(nd.SpanBy(nd.Open, nd.Open, -2), nd.SpanBy(nd.Open, nd.Open, -1)),
		"an element":    x.Index(1, 2),
		"repeated":      x.Index(1).BroadcastTo(3, 5),
		"with ones":     x.Index(nd.NewAxis, nd.Span(1, 2), nd.NewAxis),
		"no elements":   x.Index(nd.Span(2, 2)),
		"no memory":     floats(0, 3),
		"unwritten":     nd.Zeros[float32](7, 7),
		"large":         floats(300, 300),
	}
	for _, d := range dtype.All() {
		cases[d.String()] = nd.OnesIn(nd.DefaultEnv(), d, 2, 2)
	}
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			b := passed(t, a)
			require.Equal(t, a.Shape(), b.Shape())
			require.Equal(t, a.DType(), b.DType())
			if a.Count() > 0 {
				for axis, n := range a.Shape() {
					if n > 1 {
						require.Equal(t, a.Strides()[axis], b.Strides()[axis])
					}
				}
			}
			require.Equal(t, fmt.Sprint(a), fmt.Sprint(b))
		})
	}
}

func TestSharingRefusesWhatOthersMustNotWrite(t *testing.T) {
	here, there := pair(t)
	x := floats(3).To(device.CPUShared(0))
	watched := (&tape{}).watch(x)
	require.ErrorIs(t, mistake(t, func() { _ = nd.Share(here, watched) }), fault.ErrMisuse)
	var saved *storage.Hold
	x.Env().Engine().Atomically(func(engine.Pusher) { saved = (*ops.Tensor)(x).View().Synced.Hold(fault.Here(0)) })
	require.ErrorIs(t, mistake(t, func() { _ = nd.Share(here, x) }), fault.ErrSaved)
	saved.Drop()
	require.NoError(t, nd.Share(here, x))
	x.Release()
	require.ErrorIs(t, mistake(t, func() { _ = nd.Share(here, x) }), fault.ErrReleased)
	require.ErrorIs(t, mistake(t, func() { _ = nd.Share(here, nil) }), fault.ErrMisuse)
	b, err := nd.Receive(there)
	require.NoError(t, err)
	require.Equal(t, []float32{0, 1, 2}, values[float32](t, b), "released here, not there")
}

func TestErrorsStickAndAreNotSent(t *testing.T) {
	here, there := pair(t)
	x := floats(3).To(device.CPUShared(0))
	cause := errors.New("the user's own")
	require.ErrorIs(t, nd.Write(t.Context(), x, func([]float32) error { return cause }), cause)
	require.ErrorIs(t, nd.Share(here, x), cause)
	require.NoError(t, here.Close())
	_, err := nd.Receive(there)
	require.Equal(t, io.EOF, err)

	err = nd.Share(here, floats(2))
	require.ErrorIs(t, err, net.ErrClosed)
	var typed *nd.Error
	require.ErrorAs(t, err, &typed)
	require.Contains(t, err.Error(), "share_unix_test.go")
	require.ErrorIs(t, nd.Share(nil, floats(2)), fault.ErrMisuse)
	_, err = nd.Receive(nil)
	require.ErrorIs(t, err, fault.ErrMisuse)
	require.ErrorIs(t, mistake(t, func() { _, _ = nd.ReceiveIn(nil, there) }), fault.ErrMisuse)
}

func TestBoolsOfOtherBitsAreAFormatError(t *testing.T) {
	x := nd.Zeros[bool](3, 4).To(device.CPUShared(0))
	require.NoError(t, nd.Write(t.Context(), x, func(elements []bool) error {
		*(*byte)(unsafe.Pointer(&elements[5])) = 2
		return nil
	}))
	here, there := pair(t)
	require.NoError(t, nd.Share(here, x))
	_, err := nd.Receive(there)
	require.ErrorIs(t, err, nd.ErrFormat)
	require.ErrorContains(t, err, "2 is no bool")
	require.NoError(t, nd.Share(here, x.Index(0)))
	part, err := nd.Receive(there)
	require.NoError(t, err, "the part has none")
	require.Equal(t, []bool{false, false, false, false}, values[bool](t, part))
}

func TestBytesThatAreNoArrayAreAFormatError(t *testing.T) {
	here, there := pair(t)
	require.NoError(t, write(here, "GET / HTTP/1.1\r\n\r\n"))
	_, err := nd.Receive(there)
	require.ErrorIs(t, err, nd.ErrFormat)
	require.ErrorContains(t, err, "GET")
}

func TestAChildSeesAndChangesWhatItsParentHas(t *testing.T) {
	for _, name := range []string{"naive", "perdevice"} {
		t.Run(name, func(t *testing.T) {
			c := start(t, "square", "WEFT_ENGINE="+name)
			x := nd.FromSlice([]float32{1, 2, -3, 4}, 2, 2).To(device.CPUShared(0))
			large := nd.FullIn(x.Env(), dtype.Float64, 2, 1000, 300)
			for range 2 {
				require.NoError(t, nd.Share(c.UnixConn, x))
				require.NoError(t, nd.Share(c.UnixConn, large.Index(nd.Whole, nd.Span(7, 8))))
				c.told("++")
			}
			require.Equal(t, []float32{1, 16, 81, 256}, values[float32](t, x))
			require.EqualValues(t, 2*(1000*299)+16*1000, values[float64](t, large.Sum())[0])
			increment(x)
			require.NoError(t, nd.Share(c.UnixConn, x))
			c.told("+")
			require.Equal(t, []float32{4, 17 * 17, 82 * 82, 257 * 257}, values[float32](t, x))
			c.end()
			require.Equal(t, []float32{4, 17 * 17, 82 * 82, 257 * 257}, values[float32](t, x))
		})
	}
}

func TestManyArraysGoThereAndBack(t *testing.T) {
	count := 200
	if testing.Short() {
		count = 60
	}
	c := start(t, "return")
	var arrays []*nd.Array
	for i := range count {
		x := nd.FullIn(nd.DefaultEnv().WithDevice(device.CPUShared(0)), dtype.Float32, float64(i), 1+i%7, 2)
		arrays = append(arrays, x)
		require.NoError(t, nd.Share(c.UnixConn, x))
		y, err := nd.Receive(c.UnixConn)
		require.NoError(t, err)
		require.Equal(t, x.Shape(), y.Shape())
		increment(y)
		require.NoError(t, y.Wait(t.Context()))
	}
	for i, x := range arrays {
		require.EqualValues(t, i+1, values[float32](t, x)[0])
	}
	c.end()
}

func TestAKilledChildLeavesItsParentsMemoryAsItIs(t *testing.T) {
	c := start(t, "scribble")
	x := nd.ZerosIn(nd.DefaultEnv().WithDevice(device.CPUShared(0)), dtype.Float64, 50_000)
	untouched := nd.OnesIn(x.Env(), dtype.Float64, 50_000)
	require.NoError(t, nd.Share(c.UnixConn, x))
	require.NoError(t, nd.Share(c.UnixConn, untouched))
	c.told("\x01")
	c.kill()
	_, err := nd.Receive(c.UnixConn)
	require.Error(t, err) // the end, or a reset: the child has not read all
	for _, v := range values[float64](t, x) {
		require.GreaterOrEqual(t, v, 101.0)
	}
	require.EqualValues(t, 50_000, values[float64](t, untouched.Sum())[0])
	x.SetSlice(nd.Weak(0.0))
	require.EqualValues(t, 0, values[float64](t, x.Sum())[0])
}

func TestAChildThatIsKilledInTheMiddleOfAMessageIsAnError(t *testing.T) {
	c := start(t, "stammer")
	c.told("w") // the rest is on its way
	x := make([]byte, 4)
	_, err := io.ReadFull(c, x)
	require.NoError(t, err)
	c.kill()
	_, err = nd.Receive(c.UnixConn)
	require.Equal(t, io.EOF, err)

	c = start(t, "stammer")
	done := make(chan error)
	go func() {
		_, err := nd.Receive(c.UnixConn)
		done <- err
	}()
	require.NoError(t, c.CloseWrite()) // it ends by itself
	require.ErrorIs(t, <-done, io.ErrUnexpectedEOF)
	c.end()
}

func TestStartChildReportsWhatCannotBeStarted(t *testing.T) {
	cmd := exec.Command("/nowhere/at/all")
	_, err := nd.StartChild(cmd)
	require.ErrorIs(t, err, os.ErrNotExist)
	var typed *nd.Error
	require.ErrorAs(t, err, &typed)
	_, err = nd.StartChild(nil)
	require.ErrorIs(t, err, fault.ErrMisuse)
	_, err = nd.Parent()
	require.ErrorIs(t, err, fault.ErrMisuse)
	require.ErrorContains(t, err, "not started by StartChild")
}
