package storage

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"golang.org/x/sys/unix"
)

// connect returns two ends of a connection.
func connect(t *testing.T, kind int) (here, there *net.UnixConn) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	conns := make([]*net.UnixConn, 2)
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

// taken is what the process has of what can leak.
type taken struct{ descriptors, mappings int }

func takenNow(t testing.TB) (now taken) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, e := range entries {
		// Descriptors that the runtime opens for itself at first use are not ours.
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && !strings.HasPrefix(to, "anon_inode") {
			now.descriptors++
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	now.mappings = strings.Count(string(maps), "/memfd:"+sharedName)
	return now
}

// settle takes back what was dropped.
func settle(t *testing.T) {
	t.Helper()
	<-collector.request()
}

// requireBack waits until the collector has found what was dropped since there was start.
func requireBack(t *testing.T, start taken) {
	t.Helper()
	var now taken
	for range 100 {
		settle(t)
		if now = takenNow(t); now.descriptors <= start.descriptors && now.mappings <= start.mappings {
			return
		}
	}
	require.Equal(t, start, now)
}

// memory returns a descriptor of memory as it is shared, or spoiled by flags and seals.
func memory(t *testing.T, size, flags, seals int) int {
	t.Helper()
	descriptor, err := unix.MemfdCreate("weft-test", flags|unix.MFD_CLOEXEC)
	require.NoError(t, err)
	require.NoError(t, unix.Ftruncate(descriptor, int64(size)))
	if seals != 0 {
		_, err = unix.FcntlInt(uintptr(descriptor), unix.F_ADD_SEALS, seals)
		require.NoError(t, err)
	}
	return descriptor
}

func opened(t *testing.T, path string, mode int) int {
	t.Helper()
	descriptor, err := unix.Open(path, mode|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	return descriptor
}

func TestWhatIsNotAnArrayIsRefusedAndLeavesNothing(t *testing.T) {
	good, err := encodeView(View{DType: dtype.Float32, Shape: []int{2, 3}, Strides: []int{3, 1}}, 24)
	require.NoError(t, err)
	none, err := encodeView(View{DType: dtype.Float32, Shape: []int{0}, Strides: []int{1}}, 0)
	require.NoError(t, err)
	sealed := func(t *testing.T) int { return memory(t, 24, unix.MFD_ALLOW_SEALING, seals) }
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, make([]byte, 100), 0o600))
	one := func(open func(t *testing.T) int) func(t *testing.T) []int {
		return func(t *testing.T) []int { return []int{open(t)} }
	}
	nothing := func(*testing.T) []int { return nil }
	for name, c := range map[string]struct {
		message     []byte
		descriptors func(t *testing.T) []int
		want        error
		says        string
	}{
		"nothing":              {nil, nothing, io.EOF, ""},
		"half a head":          {good[:3], one(sealed), io.ErrUnexpectedEOF, ""},
		"a head":               {good[:8], one(sealed), io.ErrUnexpectedEOF, ""},
		"half a body":          {good[:len(good)-1], one(sealed), io.ErrUnexpectedEOF, ""},
		"other words":          {[]byte("GET / HTTP/1.1\r\n\r\n"), one(sealed), ErrMalformed, `"GET "`},
		"no descriptor":        {good, nothing, ErrMalformed, "0 descriptors, not 1"},
		"two descriptors":      {good, func(t *testing.T) []int { return []int{sealed(t), sealed(t)} }, ErrMalformed, "2 descriptors, not 1"},
		"very many of them":    {good, func(t *testing.T) []int { return manyOf(sealed(t)) }, ErrMalformed, "253 descriptors"},
		"one too many":         {none, one(sealed), ErrMalformed, "1 descriptors, not 0"},
		"memory too small":     {good, one(func(t *testing.T) int { return memory(t, 23, unix.MFD_ALLOW_SEALING, seals) }), ErrMalformed, "23 bytes, not 24"},
		"empty memory":         {good, one(func(t *testing.T) int { return memory(t, 0, unix.MFD_ALLOW_SEALING, seals) }), ErrMalformed, "0 bytes"},
		"no seals":             {good, one(func(t *testing.T) int { return memory(t, 24, unix.MFD_ALLOW_SEALING, 0) }), ErrMalformed, "not sealed"},
		"memory without seals": {good, one(func(t *testing.T) int { return memory(t, 24, 0, 0) }), ErrMalformed, "not sealed"},
		"the wrong seal":       {good, one(func(t *testing.T) int { return memory(t, 24, unix.MFD_ALLOW_SEALING, unix.F_SEAL_GROW) }), ErrMalformed, "not sealed"},
		"sealed for writers":   {good, one(func(t *testing.T) int { return memory(t, 24, unix.MFD_ALLOW_SEALING, seals|unix.F_SEAL_WRITE) }), unix.EPERM, ""},
		"only for readers": {good, one(func(t *testing.T) int {
			own := sealed(t)
			defer unix.Close(own)
			return opened(t, "/proc/self/fd/"+strconv.Itoa(own), unix.O_RDONLY)
		}), unix.EACCES, ""},
		"a file":   {good, one(func(t *testing.T) int { return opened(t, file, unix.O_RDWR) }), ErrMalformed, ""},
		"a folder": {good, one(func(t *testing.T) int { return opened(t, t.TempDir(), unix.O_RDONLY) }), ErrMalformed, ""},
		"a device": {good, one(func(t *testing.T) int { return opened(t, os.DevNull, unix.O_RDWR) }), ErrMalformed, ""},
		"a file of /dev/shm": {good, one(func(t *testing.T) int {
			f, err := os.CreateTemp("/dev/shm", "")
			if err != nil {
				return opened(t, file, unix.O_RDWR) // a system without the folder
			}
			require.NoError(t, os.Remove(f.Name()))
			require.NoError(t, f.Truncate(100))
			defer f.Close()
			own, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
			require.NoError(t, err)
			return own
		}), ErrMalformed, ""},
		"a connection": {good, func(t *testing.T) []int {
			ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			require.NoError(t, err)
			return ends[:]
		}, ErrMalformed, ""},
		"a pipe": {good, one(func(t *testing.T) int {
			var ends [2]int
			require.NoError(t, unix.Pipe2(ends[:], unix.O_CLOEXEC))
			require.NoError(t, unix.Close(ends[1]))
			return ends[0]
		}), ErrMalformed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := connect(t, unix.SOCK_STREAM)
			before := takenNow(t)
			descriptors := c.descriptors(t)
			if len(c.message) > 0 {
				_, _, err := there.WriteMsgUnix(c.message, unix.UnixRights(descriptors...), nil)
				require.NoError(t, err)
			}
			closed := map[int]bool{}
			for _, d := range descriptors {
				if !closed[d] {
					require.NoError(t, unix.Close(d))
				}
				closed[d] = true
			}
			require.NoError(t, there.Close())
			_, err := ReceiveView(here, engine.NewNaive())
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.says)
			before.descriptors-- // there
			require.Equal(t, before, takenNow(t))
		})
	}
}

// manyOf is a message full of descriptors.
func manyOf(descriptor int) []int {
	all := make([]int, moreDescriptors)
	for i := range all {
		all[i] = descriptor
	}
	return all
}

func sharedView(t *testing.T, e engine.Engine, size int) (View, *Block, *os.File) {
	t.Helper()
	block, err := NewBlock(device.CPUShared(0), size)
	require.NoError(t, err)
	file, err := SharedFile(block.Pointer().Bytes(size))
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return View{Synced: NewSyncedFrom(e, device.CPUShared(0), block, size), DType: dtype.Uint8, Shape: []int{size}, Strides: []int{1}}, block, file
}

func TestOnlyStreamsCarryArrays(t *testing.T) {
	e := engine.NewNaive()
	view, block, file := sharedView(t, e, 100)
	defer block.Release()
	for _, kind := range []int{unix.SOCK_DGRAM, unix.SOCK_SEQPACKET} {
		here, there := connect(t, kind)
		require.ErrorIs(t, SendView(there, view, file), fault.ErrMisuse)
		_, err := ReceiveView(here, e)
		require.ErrorIs(t, err, fault.ErrMisuse)
	}
	require.ErrorIs(t, SendView(nil, view, file), fault.ErrMisuse)
	_, err := ReceiveView(nil, e)
	require.ErrorIs(t, err, fault.ErrMisuse)
	here, there := connect(t, unix.SOCK_STREAM)
	require.NoError(t, here.Close())
	require.ErrorIs(t, SendView(there, view, file), unix.EPIPE)
	_, err = ReceiveView(here, e)
	require.ErrorIs(t, err, net.ErrClosed)
}

// A message may come in any pieces, with others' bytes before and behind it.
func TestMessagesArriveInPieces(t *testing.T) {
	e := engine.NewNaive()
	view, block, file := sharedView(t, e, 100)
	defer block.Release()
	block.Pointer().Bytes(100)[99] = 7
	message, err := encodeView(view, 100)
	require.NoError(t, err)
	here, there := connect(t, unix.SOCK_STREAM)
	go func() {
		_, _ = there.Write([]byte("before"))
		_, _, _ = there.WriteMsgUnix(message[:1], unix.UnixRights(int(file.Fd())), nil)
		for i := range message[1:] {
			_, _ = there.Write(message[1+i : 2+i])
		}
		_, _ = there.Write([]byte("behind"))
		_ = SendView(there, view, file)
		_ = there.Close()
	}()
	word := make([]byte, 6)
	for _, want := range []string{"before", "behind"} {
		_, err = io.ReadFull(here, word)
		require.NoError(t, err)
		require.Equal(t, want, string(word))
		got, err := ReceiveView(here, e)
		require.NoError(t, err)
		require.EqualValues(t, 7, got.Synced.first.block.Pointer().Bytes(100)[99])
		got.Synced.Release(nil)
	}
	_, err = ReceiveView(here, e)
	require.Equal(t, io.EOF, err)
}

func TestADeadlineEndsTheWaitForAnArray(t *testing.T) {
	here, _ := connect(t, unix.SOCK_STREAM)
	require.NoError(t, here.SetReadDeadline(time.Now()))
	_, err := ReceiveView(here, engine.NewNaive())
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

func TestReceivedMemoryIsReleasedOrCollected(t *testing.T) {
	e := engine.NewNaive()
	here, there := connect(t, unix.SOCK_STREAM)
	settle(t)
	start := takenNow(t)
	func() {
		view, block, file := sharedView(t, e, 100_000)
		for i := range 50 {
			require.NoError(t, SendView(there, view, file))
			got, err := ReceiveView(here, e)
			require.NoError(t, err)
			require.Equal(t, 100_000, got.Synced.Bytes())
			if i%2 == 0 {
				got.Synced.Release(nil)
			}
		}
		block.Release()
		require.NoError(t, file.Close())
	}()
	requireBack(t, start)
}

// Dropped memory takes descriptors, which make no collector run.
func TestDroppedMemoryDoesNotPileUp(t *testing.T) {
	e := engine.NewNaive()
	here, there := connect(t, unix.SOCK_STREAM)
	view, block, file := sharedView(t, e, 1)
	defer block.Release()
	for range 2 * collectFromDescriptors {
		require.NoError(t, SendView(there, view, file))
		_, err := ReceiveView(here, e)
		require.NoError(t, err)
		_, err = NewBlock(device.CPUShared(1), 1)
		require.NoError(t, err)
		require.LessOrEqual(t, takenNow(t).mappings, 4*collectFromDescriptors)
	}
	require.Less(t, takenNow(t).mappings, 3*collectFromDescriptors)
}

// allow lets the process have so many descriptors more, until the test is over.
func allow(t *testing.T, more int) (limit uint64) {
	t.Helper()
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	limited := unix.Rlimit{Cur: uint64(len(entries) - 1 + more), Max: before.Max}
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &limited))
	t.Cleanup(func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &before)) })
	return limited.Cur
}

func TestTooManyOpenFilesAreOutOfMemory(t *testing.T) {
	e := engine.NewNaive()
	here, there := connect(t, unix.SOCK_STREAM)
	view, block, file := sharedView(t, e, 100)
	defer block.Release()
	require.NoError(t, SendView(there, view, file))
	settle(t)
	start := takenNow(t)
	limit := allow(t, 20)
	m, err := NewShared(device.CPUShared(0))
	require.NoError(t, err)
	var held []Memory
	for err == nil {
		var p Memory
		if p, err = m.Allocate(100); err == nil {
			held = append(held, p)
		}
		require.LessOrEqual(t, len(held), 100)
	}
	require.NotEmpty(t, held)
	full := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
		require.ErrorIs(t, err, unix.EMFILE)
		require.ErrorContains(t, err, "this process may have "+strconv.Itoa(int(limit)))
	}
	full(err)
	// What earlier tests dropped may come back as late as this, and takes the place of a refusal.
	var late []io.Closer
	refusal := func(attempt func() (io.Closer, error)) error {
		for range 100 {
			got, err := attempt()
			if err != nil {
				return err
			}
			late = append(late, got)
		}
		return nil
	}
	full(refusal(func() (io.Closer, error) { return SharedFile(block.Pointer().Bytes(100)) }))
	full(refusedShared(100, refusal(func() (io.Closer, error) {
		descriptor, err := newUnlinkedFile(100)
		if err != nil {
			return nil, err
		}
		return os.NewFile(uintptr(descriptor), "late"), nil
	})))
	_, err = ReceiveView(here, e)
	full(err)
	require.EqualValues(t, 100*len(held), m.Stats().InUse)

	m.Free(held[0])
	got, err := ReceiveView(here, e) // what was sent is not lost
	require.NoError(t, err)
	got.Synced.Release(nil)
	for _, p := range held[1:] {
		m.Free(p)
	}
	for _, file := range late {
		require.NoError(t, file.Close())
	}
	requireBack(t, start)
}

// What nobody holds is taken back before an allocation is refused for want of descriptors.
func TestDroppedMemoryIsTakenBackBeforeItIsMissed(t *testing.T) {
	allow(t, 20)
	for range 100 {
		_, err := NewBlock(device.CPUShared(0), 100)
		require.NoError(t, err)
	}
}

// The mappings of others are feigned, because thousands of real ones take too long.
func TestTheNumberOfMappingsIsBounded(t *testing.T) {
	before, feigned := takenNow(t), make([]byte, sharedLimit)
	mappings.Lock()
	for i := range feigned {
		mappings.descriptors[unsafe.Pointer(&feigned[i])] = -1
	}
	mappings.Unlock()
	defer func() {
		mappings.Lock()
		defer mappings.Unlock()
		for i := range feigned {
			delete(mappings.descriptors, unsafe.Pointer(&feigned[i]))
		}
	}()
	_, err := NewBlock(device.CPUShared(0), 100)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	require.ErrorContains(t, err, "at most 16384 arrays")
	require.ErrorIs(t, receiving.makeRoom(), fault.ErrOutOfMemory)
	require.LessOrEqual(t, takenNow(t).descriptors, before.descriptors)
}

func TestSharedMemoryKeepsItsSize(t *testing.T) {
	_, block, file := sharedView(t, engine.NewNaive(), 10_000)
	defer block.Release()
	require.ErrorIs(t, unix.Ftruncate(int(file.Fd()), 1), unix.EPERM)
	require.ErrorIs(t, unix.Ftruncate(int(file.Fd()), 20_000), unix.EPERM)
	_, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_WRITE)
	require.ErrorIs(t, err, unix.EPERM)
	require.Equal(t, make([]byte, 10_000), block.Pointer().Bytes(10_000))
}

func TestUnlinkedFilesHaveNoNameAndAllTheirBytes(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	for _, size := range []int{1, zeroChunk - 1, zeroChunk, 2*zeroChunk + 1} {
		descriptor, err := newUnlinkedFile(size)
		require.NoError(t, err)
		var status unix.Stat_t
		require.NoError(t, unix.Fstat(descriptor, &status))
		require.EqualValues(t, size, status.Size)
		require.GreaterOrEqual(t, status.Blocks*512, int64(size))
		require.NoError(t, checkSize(descriptor, size))
		require.ErrorIs(t, checkSize(descriptor, size+1), ErrMalformed)
		p, err := mapShared(descriptor, size)
		require.NoError(t, err)
		mapped := device.Pointer{Host: p}.Bytes(size)
		require.True(t, bytes.Equal(make([]byte, size), mapped))
		mapped[size-1] = 3
		seen := make([]byte, 1)
		_, err = unix.Pread(descriptor, seen, int64(size-1))
		require.NoError(t, err)
		require.Equal(t, []byte{3}, seen)
		require.NoError(t, unmapShared(p, size))
		require.NoError(t, unix.Close(descriptor))
	}
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
	before := takenNow(t)
	_, err = newUnlinkedFile(1 << 62)
	require.Error(t, err)
	t.Setenv("TMPDIR", filepath.Join(folder, "nowhere"))
	_, err = newUnlinkedFile(1)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.Equal(t, before, takenNow(t))
}
