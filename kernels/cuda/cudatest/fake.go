//go:build linux && (amd64 || arm64)

package cudatest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// Fake is one fake driver, with devices of its own.
type Fake struct {
	Folder   string // of the libraries, for WEFT_CUDA_PATH
	set, get uintptr
}

// Start returns a fake driver, with two devices, and makes those who load CUDA until the test ends find it.
func Start(t testing.TB) *Fake {
	t.Helper()
	if _, err := library(); err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	if err := Write(folder); err != nil {
		t.Fatal(err)
	}
	f := load(t, folder)
	t.Setenv(driver.PathVariable, f.Folder)
	return f
}

var (
	installing sync.Once
	installed  *Fake
)

// Install makes the process find a fake driver, the same for all tests of it. It has to come before the first use of a gpu.
func Install(t testing.TB) *Fake {
	t.Helper()
	if _, err := library(); err != nil {
		t.Skip(err)
	}
	installing.Do(func() {
		folder, err := sharedFolder()
		if err != nil {
			t.Fatal(err)
		}
		installed = load(t, folder)
		os.Setenv(driver.PathVariable, folder)
	})
	return installed
}

// load loads the library in folder: another file has another state.
func load(t testing.TB, folder string) *Fake {
	t.Helper()
	handle, err := purego.Dlopen(filepath.Join(folder, "libcuda.so.1"), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	f := &Fake{Folder: folder}
	if err := f.resolve(handle); err != nil {
		t.Fatal(err)
	}
	return f
}

// Linked returns the fake driver that the program is linked with, by the libraries of Write. The test is skipped where it is linked
// with another driver. Whatever the test has set is as before when it ends, and no device is lost.
func Linked(t testing.TB) *Fake {
	t.Helper()
	f := &Fake{}
	if err := f.resolve(purego.RTLD_DEFAULT); err != nil {
		t.Skip("the program is not linked with the fake CUDA driver")
	}
	t.Cleanup(func() { f.Set("restart", 1) })
	return f
}

func (f *Fake) resolve(handle uintptr) (err error) {
	for name, address := range map[string]*uintptr{"weftFakeSet": &f.set, "weftFakeGet": &f.get} {
		if *address, err = purego.Dlsym(handle, name); err != nil {
			return err
		}
	}
	return nil
}

// links are the names under which the library is found beside its own.
var links = []string{
	"libcuda.so", "libcublas.so", "libcublas.so.11", "libcublas.so.12", "libcublas.so.13", "libcublasLt.so.11", "libcublasLt.so.12", "libcublasLt.so.13",
	"libcudnn.so.8", "libcudnn_ops_infer.so.8", "libcudnn_ops_train.so.8", "libcudnn_cnn_infer.so.8", "libcudnn_cnn_train.so.8",
	"libcudnn.so.9", "libcudnn_graph.so.9", "libcudnn_ops.so.9", "libcudnn_cnn.so.9", "libcudnn_heuristic.so.9",
	"libnvrtc.so", "libnvrtc.so.11.2", "libnvrtc.so.12", "libnvrtc.so.13", "libcudnn_engines_precompiled.so.9", "libcudnn_engines_runtime_compiled.so.9",
}

// Write puts the libraries of the fake driver into folder, under the names by which programs load them and by which linkers find them.
func Write(folder string) error {
	built, err := library()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "libcuda.so.1"), text, 0o700); err != nil {
		return err
	}
	for _, name := range links {
		if err := os.Symlink("libcuda.so.1", filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// sharedFolder returns the folder with the libraries that every process installs: in each of them they have a state of their own.
func sharedFolder() (string, error) {
	built, err := library()
	if err != nil {
		return "", err
	}
	folder := strings.TrimSuffix(built, ".so")
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	part, err := os.MkdirTemp("", "weft-fake-cuda")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	if err := Write(part); err != nil {
		return "", err
	}
	if err := os.Rename(part, folder); err != nil && !errors.Is(err, fs.ErrExist) { // Another process may have been faster.
		return "", err
	}
	return folder, nil
}

// Set changes how the driver behaves; an unknown name ends the process. Before the driver is opened:
//
//	devices, version (12040 for 12.4), computeCapability (90 for 9.0), init (the result of cuInit),
//	dnnVersion (90600 for 9.6.0; 8907, for 8.9.7, has the numbers of errors of version 8), dnnCUDA (for which cuDNN is made),
//	ltVersion (of cuBLASLt, 120400 for 12.4.0), dnnIncomplete (whether cuDNN lacks its library of convolutions),
//	compilerVersion (of NVRTC, that of the driver if it is 0),
//	noPools, noPeers (whether devices have no pools of memory, and do not reach the memory of one another)
//
// and at any time:
//
//	lastCapability     computeCapability of the last device, where it is another
//	staticShared       bytes of shared memory that kernels of programs declare a size for, as seen when a function is found
//	memory             bytes that each device has, of which pools keep what is freed until they are trimmed
//	modulesTogether    how many modules have to be loading before one of them is loaded
//	killed             whether every call fails as after the end of the driver
//	allocationFails    the allocation of device memory that fails, 1 being the next; zero is none
//	allocationFailures how many allocations fail from that one on; 1 if it is less
//	hostAllocationFails, launchFails, blasFails   the same for page-locked memory, launches and products (of cuBLASLt too)
//	blasStatus         what a product that fails returns, a cublasStatus_t; 13, CUBLAS_STATUS_EXECUTION_FAILED, if it is not set
//	ltDevices          which devices cuBLASLt computes on, a bit for each; on others it supports nothing
//	dnnCreateFails, dnnChooseFails, dnnFails      the same for handles of cuDNN, choices of algorithms and convolutions
//	dnnRefuses, ltRefuses                         the convolution, or product of cuBLASLt, that is not supported though an algorithm was chosen
//	dnnDevices         which devices cuDNN convolves on, a bit for each; on others it supports none
//	noGraphs           whether no stream can keep work
//	graphFails         the graph that cannot be made
//	compileFails       the program that NVRTC has no memory for
//	peerFails          the device that gets no access to another, which has too many peers
//	loadFails          the module that does not load, as if its PTX were invalid
//	accessFails        the pool whose memory another device gets no access to
//	launchLoses, copyLoses                        the launch, or copy, that loses the device when it runs
//	copyMicroseconds                              how much longer a copy takes
//	restart            all of the latter as at the beginning, and no device is lost
func (f *Fake) Set(name string, value int64) {
	text := append([]byte(name), 0)
	purego.SyscallN(f.set, uintptr(unsafe.Pointer(&text[0])), uintptr(value))
}

// Get returns how many there have been of allocations, launches, products, affineProducts, convolutions, copiesIn,
// copiesOut, copiesOver, modules, eventCalls (that ask whether an event is complete, or wait for it), asyncFrees (of
// memory of pools) and peers (pairs of devices of which one reaches the other), or there are now: live (allocations),
// hostLive, streams, events, graphs, dnnHandles, pools; compiled are programs of NVRTC; chains, and chainShared, the
// bytes of shared memory of the last; keepingPools are those that have been told to keep what is free; replays are
// launches of graphs; allocationFails is what is left of what was set. An unknown name ends the process.
func (f *Fake) Get(name string) int {
	text := append([]byte(name), 0)
	value, _, _ := purego.SyscallN(f.get, uintptr(unsafe.Pointer(&text[0])))
	return int(value)
}
