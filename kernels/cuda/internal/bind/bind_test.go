//go:build linux && (amd64 || arm64)

package bind

import (
	"path/filepath"
	"runtime"
	"sync"
	"testing"

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

func TestDriverPassesTheSuite(t *testing.T) {
	fake, d, _ := open(t)
	cudatest.RunDriver(t, d, fake)
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
