//go:build linux && (amd64 || arm64)

package bind

import (
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

func open(t *testing.T) (*cudatest.Fake, driver.Driver, driver.Context) {
	fake := cudatest.Start(t)
	d, libraries, err := Open()
	require.NoError(t, err)
	require.Len(t, libraries, 2)
	for _, l := range libraries {
		require.Equal(t, fake.Folder, filepath.Dir(l.File))
		require.Empty(t, l.Problem)
	}
	c, err := d.Open(0)
	require.NoError(t, err)
	return fake, d, c
}

func TestDriverDescribesItsDevices(t *testing.T) {
	_, d, c := open(t)
	require.Equal(t, 12040, d.Version())
	count, err := d.Count()
	require.NoError(t, err)
	require.Equal(t, 2, count)
	p, err := d.Describe(1)
	require.NoError(t, err)
	require.Equal(t, driver.Properties{Name: "Fake GPU", Major: 9, Minor: 0, Processors: 4, Memory: 4 << 30, ThreadsInBlock: 1024}, p)
	_, err = d.Open(2)
	require.Equal(t, &driver.Error{Call: "cuDeviceGet", Status: driver.InvalidDevice}, err)
	free, total, err := c.Memory()
	require.NoError(t, err)
	require.Equal(t, total, free)
	require.NoError(t, c.Close())
}

func TestWideCallsPassAllArguments(t *testing.T) {
	fake, _, _ := open(t)
	handle, err := purego.Dlopen(filepath.Join(fake.Folder, "libcuda.so.1"), purego.RTLD_NOW)
	require.NoError(t, err)
	address, err := purego.Dlsym(handle, "weftFakeWide")
	require.NoError(t, err)
	var arguments []uintptr
	for i := range 23 {
		arguments = append(arguments, uintptr(i+1))
	}
	s := symbol{"weftFakeWide", address}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if s.call(arguments...) != 23 {
					panic("arguments were lost")
				}
				growStack(50)
			}
		})
	}
	runtime.GC()
	group.Wait()
	require.Panics(t, func() { s.call(make([]uintptr, 25)...) })
}

func growStack(depth int) byte {
	var space [512]byte
	if depth > 0 {
		space[depth] = growStack(depth - 1)
	}
	return space[0]
}

func TestCopiesGoThereAndBack(t *testing.T) {
	_, d, c := open(t)
	other, err := d.Open(1)
	require.NoError(t, err)
	s, err := c.NewStream()
	require.NoError(t, err)
	p, err := c.Allocate(64)
	require.NoError(t, err)
	q, err := other.Allocate(64)
	require.NoError(t, err)
	sent, back := make([]byte, 64), make([]byte, 64)
	for i := range sent {
		sent[i] = byte(i)
	}
	require.NoError(t, c.CopyIn(p, unsafe.Pointer(&sent[0]), 64, s))
	require.NoError(t, c.Zero(p+8, 8, s))
	require.NoError(t, c.CopyOver(q, p, 64, s))
	require.NoError(t, c.CopyOut(unsafe.Pointer(&back[0]), q, 64, s))
	e, err := c.NewEvent()
	require.NoError(t, err)
	require.NoError(t, c.Record(e, s))
	require.NoError(t, c.Await(e))
	reached, err := c.Reached(e)
	require.NoError(t, err)
	require.True(t, reached)
	clear(sent[8:16])
	require.Equal(t, sent, back)
	require.NoError(t, c.CloseEvent(e))
	require.NoError(t, c.CloseStream(s))
	require.NoError(t, c.Free(p))
	require.Error(t, c.Free(p), "freed twice")
	require.Error(t, c.Free(q), "of another device")
}

// Column-major: A is 2 x 3, B 3 x 2.
func TestProductsAreThoseOfColumnMajorMatrices(t *testing.T) {
	_, _, c := open(t)
	s, err := c.NewStream()
	require.NoError(t, err)
	b, err := c.NewBLAS(s)
	require.NoError(t, err)
	upload := func(values []float64) driver.Address {
		p, err := c.Allocate(8 * len(values))
		require.NoError(t, err)
		require.NoError(t, c.CopyIn(p, unsafe.Pointer(&values[0]), 8*len(values), s))
		return p
	}
	x, y := upload([]float64{1, 2, 3, 4, 5, 6, 1, 0, 0, 1, 0, 0}), upload([]float64{1, 0, 2, 0, 1, 0, 1, 0, 0, 0, 1, 0})
	z := upload(make([]float64, 8))
	require.NoError(t, b.Multiply(&driver.Product{
		Precision: driver.Float64, M: 2, N: 2, K: 3, A: x, B: y, C: z, LeadA: 2, LeadB: 3, LeadC: 2, Count: 2, NextA: 6, NextB: 6, NextC: 4,
	}))
	got := make([]float64, 8)
	require.NoError(t, c.CopyOut(unsafe.Pointer(&got[0]), z, 64, s))
	require.Equal(t, []float64{11, 14, 3, 4, 1, 0, 0, 1}, got)
	require.NoError(t, b.Multiply(&driver.Product{
		Precision: driver.Float64, TransposeA: true, TransposeB: true, M: 2, N: 2, K: 3, A: x, B: y, C: z, LeadA: 3, LeadB: 2, LeadC: 2, Count: 1,
	}))
	require.NoError(t, c.CopyOut(unsafe.Pointer(&got[0]), z, 64, s))
	require.Equal(t, []float64{1*1 + 2*2 + 3*1, 4*1 + 5*2 + 6*1, 0, 0}, got[:4])
	err = b.Multiply(&driver.Product{M: 2, N: 2, K: 2, LeadA: 1, LeadB: 1, LeadC: 1, Count: 1})
	require.ErrorContains(t, err, "cublasSgemm_v2: CUBLAS_STATUS_INVALID_VALUE")
	require.NoError(t, b.Close())
	require.False(t, math.IsNaN(got[0]))
}

func TestADriverThatIsNoneIsOneClearError(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, fake *cudatest.Fake)
		want    []string
	}{
		"no device":      {func(t *testing.T, f *cudatest.Fake) { f.Set("devices", 0) }, []string{"CUDA_ERROR_NO_DEVICE", "the driver finds no GPU"}},
		"hidden":         {func(t *testing.T, f *cudatest.Fake) { t.Setenv("CUDA_VISIBLE_DEVICES", "") }, []string{`CUDA_VISIBLE_DEVICES=""`}},
		"stub":           {func(t *testing.T, f *cudatest.Fake) { f.Set("init", 34) }, []string{"STUB_LIBRARY", "not a driver"}},
		"old":            {func(t *testing.T, f *cudatest.Fake) { f.Set("version", 10020) }, []string{"supports CUDA 10.2, and 11.4 is needed"}},
		"another kernel": {func(t *testing.T, f *cudatest.Fake) { f.Set("init", 803) }, []string{"SYSTEM_DRIVER_MISMATCH", "reboot"}},
		"killed":         {func(t *testing.T, f *cudatest.Fake) { f.Set("killed", 1) }, []string{"CUDA_ERROR_DEINITIALIZED"}},
	} {
		t.Run(name, func(t *testing.T) {
			fake := cudatest.Start(t)
			c.prepare(t, fake)
			_, libraries, err := Open()
			require.ErrorIs(t, err, fault.ErrDevice)
			for _, part := range append(c.want, "does not start", fake.Folder) {
				require.ErrorContains(t, err, part)
			}
			require.NotEmpty(t, libraries[0].Problem)
		})
	}
}

func TestCuBLASOfAnotherVersionIsAnErrorOfProductsAlone(t *testing.T) {
	fake := cudatest.Start(t)
	fake.Set("version", 14000)
	_, libraries, err := Open()
	require.NoError(t, err)
	require.NotEmpty(t, libraries[1].File, "cuBLAS 13 does with a driver of 14")
	fake = cudatest.Start(t)
	fake.Set("version", 11040)
	d, libraries, err := Open()
	require.NoError(t, err)
	require.Equal(t, "libcublas.so.11", filepath.Base(libraries[1].File))
	c, err := d.Open(0)
	require.NoError(t, err)
	s, err := c.NewStream()
	require.NoError(t, err)
	_, err = c.NewBLAS(s)
	require.NoError(t, err)
}
