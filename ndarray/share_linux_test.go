package ndarray_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

// left is what processes could leave behind.
type left struct {
	descriptors, mappings int
	files                 string // of /dev/shm
}

func leftNow(t *testing.T) (now left) {
	t.Helper()
	descriptors, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for _, d := range descriptors {
		if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err == nil && !strings.HasPrefix(to, "anon_inode") {
			now.descriptors++
		}
	}
	now.mappings = strings.Count(string(maps), "/memfd:weft")
	files, _ := filepath.Glob("/dev/shm/*weft*")
	now.files = strings.Join(files, " ")
	return now
}

// collect takes back what was dropped: an allocation beyond the limit waits for the collector before it is refused.
func collect(t *testing.T) {
	t.Helper()
	m, err := storage.ManagerOf(device.CPUShared(0))
	require.NoError(t, err)
	before := m.Stats().Limit
	m.SetLimit(1)
	_, err = storage.NewBlock(device.CPUShared(0), 2)
	require.ErrorIs(t, err, fault.ErrOutOfMemory)
	m.SetLimit(before)
}

// startNow returns what is there when a test starts.
func startNow(t *testing.T) left {
	t.Helper()
	for range 3 {
		collect(t)
	}
	return leftNow(t)
}

// settled returns what is there after what was dropped was collected, start if that is no more, however many rounds that takes.
func settled(t *testing.T, start left) (now left) {
	t.Helper()
	for range 100 {
		if now = leftNow(t); now.descriptors <= start.descriptors && now.mappings <= start.mappings && now.files == start.files {
			return start
		}
		collect(t)
	}
	return now
}

// residentShared returns the bytes of shared memory that the process has touched.
func residentShared(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(status), "RssShmem:")
	if !found {
		t.Skip("an emulator does not tell how much shared memory there is")
	}
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	return kilobytes << 10
}

func TestNothingIsLeftOfArraysAndChildren(t *testing.T) {
	const size = 32 << 20
	for name, end := range map[string]func(c *child){"ended": (*child).end, "killed": (*child).kill} {
		for _, dropped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/dropped=%v", name, dropped), func(t *testing.T) {
				before, resident := startNow(t), residentShared(t)
				func() {
					c := start(t, "square")
					defer c.Close()
					x := nd.OnesIn(nd.DefaultEnv().WithDevice(device.CPUShared(0)), dtype.Float32, size/4)
					require.NoError(t, nd.Share(c.UnixConn, x))
					c.told("+")
					require.GreaterOrEqual(t, residentShared(t), size*7/8) // the kernel counts by and by
					require.Greater(t, leftNow(t).mappings, before.mappings)
					end(c)
					require.EqualValues(t, 1, values[float32](t, x.Index(size/4-1))[0])
					if !dropped {
						x.Release()
					}
				}()
				require.Equal(t, before, settled(t, before))
				require.Less(t, residentShared(t)-resident, size/8)
			})
		}
	}
}

func TestArraysOnTheirWayToAKilledChildAreFreed(t *testing.T) {
	before := startNow(t)
	c := start(t, "deaf")
	c.told("!")
	for range 20 {
		x := nd.OnesIn(nd.DefaultEnv().WithDevice(device.CPUShared(0)), dtype.Float32, 10_000)
		require.NoError(t, nd.Share(c.UnixConn, x))
		x.Release()
	}
	c.kill()
	require.NoError(t, c.Close())
	require.Equal(t, before, settled(t, before))
}

// addRole is for package variables, which are there before any init.
func addRole(name string, role func(conn *net.UnixConn) error) bool {
	roles[name] = role
	return true
}

var _, _ = addRole("starter", startReader), addRole("reader", readOn)

// startReader is a process that starts another one, passes it an array, and waits to be killed.
func startReader(conn *net.UnixConn) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	grandchild := exec.Command(executable)
	grandchild.Env = append(os.Environ(), roleVariable+"=reader", quickExit)
	grandchild.Stdout, grandchild.Stderr = os.Stdout, os.Stderr
	down, err := nd.StartChild(grandchild)
	if err != nil {
		return err
	}
	x := nd.OnesIn(nd.DefaultEnv().WithDevice(device.CPUShared(0)), dtype.Float64, 100_000)
	if err := nd.Share(down, x); err != nil {
		return err
	}
	return await(conn) // for the test to kill this process, or to end
}

// readOn goes on reading an array when the process that made it is dead.
func readOn(conn *net.UnixConn) error {
	x, err := nd.Receive(conn)
	if err != nil {
		return err
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	inode := ""
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, "/memfd:weft") {
			inode = strings.Fields(line)[4]
		}
	}
	fmt.Println("inode", inode)
	if err := await(conn); err != nil {
		return err
	}
	increment(x)
	sum, err := nd.Item[float64](x.Sum())
	if err != nil {
		return err
	}
	fmt.Println("sum", sum)
	return nil
}

func TestAChildReadsOnWhenItsParentIsKilled(t *testing.T) {
	executable, err := os.Executable()
	require.NoError(t, err)
	c := &child{t: t, cmd: exec.Command(executable)}
	c.cmd.Env = append(os.Environ(), roleVariable+"=starter", quickExit)
	output, theirs, err := os.Pipe()
	require.NoError(t, err)
	defer output.Close()
	c.cmd.Stdout = theirs
	c.UnixConn, err = nd.StartChild(c.cmd)
	require.NoError(t, theirs.Close())
	skipUnderEmulator(t, err)
	require.NoError(t, err)
	defer c.Close()
	lines := bufio.NewReader(output)
	var inode string
	_, err = fmt.Fscanln(lines, new(string), &inode)
	require.NoError(t, err)
	require.NotEmpty(t, usersOf(t, inode), "two processes have the memory")
	c.kill()
	var sum float64
	_, err = fmt.Fscanln(lines, new(string), &sum)
	require.NoError(t, err)
	require.EqualValues(t, 200_000, sum)
	_, err = lines.ReadByte()
	require.Equal(t, io.EOF, err)
	require.Empty(t, usersOf(t, inode))
	files, err := filepath.Glob("/dev/shm/*weft*")
	require.NoError(t, err)
	require.Empty(t, files)
}

// usersOf returns the processes that have the memory with the given inode open or mapped.
func usersOf(t *testing.T, inode string) (users []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, process := range processes {
		maps, _ := os.ReadFile(process + "/maps")
		for line := range strings.Lines(string(maps)) {
			if fields := strings.Fields(line); strings.Contains(line, "/memfd:weft") && fields[4] == inode {
				users = append(users, process)
				break
			}
		}
		descriptors, _ := filepath.Glob(process + "/fd/*")
		for _, d := range descriptors {
			var status unix.Stat_t
			to, _ := os.Readlink(d)
			if strings.Contains(to, "/memfd:weft") && unix.Stat(d, &status) == nil && strconv.FormatUint(status.Ino, 10) == inode {
				users = append(users, process)
			}
		}
	}
	return users
}

// A loader makes batches that its reader drops.
func TestBatchesThatAreDroppedDoNotPileUp(t *testing.T) {
	batches := 1000
	if testing.Short() {
		batches = 700
	}
	here, there := pair(t)
	before := startNow(t)
	go func() {
		for i := range batches {
			x := nd.FullIn(nd.DefaultEnv().WithDevice(device.CPUShared(0)), dtype.Float32, float64(i), 1000)
			if err := nd.Share(here, x); err != nil {
				t.Error(err)
			}
		}
		here.Close()
	}()
	most := 0
	for i := range batches {
		x, err := nd.Receive(there)
		require.NoError(t, err)
		require.EqualValues(t, i, values[float32](t, x)[999])
		if i%50 == 0 {
			most = max(most, leftNow(t).mappings)
		}
	}
	require.Less(t, most, 1200)
	require.NoError(t, there.Close())
	before.descriptors -= 2
	require.Equal(t, before, settled(t, before))
	require.Eventually(t, func() bool {
		runtime.GC() // Arrays of other tests may be in error.
		return nd.DefaultEnv().Engine().WaitAll(context.Background()) == nil
	}, time.Minute, time.Millisecond)
}

// limitFiles lets the process have so many descriptors more, until restore is called.
func limitFiles(t *testing.T, more int) (restore func()) {
	t.Helper()
	var before unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &before))
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(len(entries) - 1 + more), Max: before.Max}))
	return func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &before)) }
}

// openAll takes all descriptors that there are, those of dropped arrays included.
func openAll() (files []*os.File) {
	for range 10 {
		runtime.GC()
		runtime.Gosched()
		for file, err := os.Open(os.DevNull); err == nil; file, err = os.Open(os.DevNull) {
			files = append(files, file)
		}
	}
	return files
}

func TestTooManyArraysAreOutOfMemoryAndHurtNone(t *testing.T) {
	onEngines(t, func(t *testing.T, env *nd.Env) {
		here, there := pair(t)
		env = env.WithDevice(device.CPUShared(0))
		x, elsewhere := nd.OnesIn(env, dtype.Float32, 3), nd.OnesIn(env.WithDevice(device.CPU(0)), dtype.Float32, 3)
		require.NoError(t, x.Wait(t.Context()))
		restore := limitFiles(t, 20)
		defer restore()
		var held []*nd.Array
		var err error
		for len(held) < 100 {
			y := x.AddScalar(float64(len(held)))
			if err = y.Wait(t.Context()); err != nil {
				break
			}
			held = append(held, y)
		}
		require.ErrorIs(t, err, fault.ErrOutOfMemory)
		require.ErrorIs(t, err, unix.EMFILE)
		require.ErrorContains(t, err, "ulimit -n")
		require.Greater(t, len(held), 10)
		fillers := openAll()
		require.ErrorIs(t, nd.Share(here, x), fault.ErrOutOfMemory)
		require.ErrorIs(t, nd.Share(here, elsewhere), fault.ErrOutOfMemory)
		for _, file := range fillers {
			require.NoError(t, file.Close())
		}
		for i, y := range held {
			require.EqualValues(t, i+1, values[float32](t, y)[2])
			y.Release()
		}
		_ = env.Engine().WaitAll(t.Context()) // the error of the copy that found no room
		for _, a := range []*nd.Array{x, elsewhere} {
			require.NoError(t, nd.Share(here, a))
			b, err := nd.ReceiveIn(env, there)
			require.NoError(t, err)
			require.Equal(t, []float32{1, 1, 1}, values[float32](t, b))
		}
	})
}
