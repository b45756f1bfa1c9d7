//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"os"
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
	require.Len(t, libraries, 4)
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

func TestDriverWithoutPoolsPassesTheSuite(t *testing.T) {
	fake := cudatest.Start(t)
	fake.Set("version", 11040)
	d, _, err := Open()
	require.NoError(t, err)
	fake.Set("noPools", 1)
	c, err := d.Open(0)
	require.NoError(t, err)
	_, err = c.Pool()
	require.ErrorIs(t, err, errors.ErrUnsupported)
	p, err := c.Allocate(8)
	require.NoError(t, err)
	require.NoError(t, c.Free(p))
	require.NoError(t, c.Trim())
	require.NoError(t, c.Close())
	cudatest.RunDriver(t, d, fake)
	require.Zero(t, fake.Get("asyncFrees"))
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

func TestACallIsNotMadeWhereItsContextIsRefused(t *testing.T) {
	fake, _, c := open(t)
	s, err := c.NewStream()
	require.NoError(t, err)
	e, err := c.NewEvent()
	require.NoError(t, err)
	require.NoError(t, c.Record(e, s))
	asked := fake.Get("eventCalls")
	fake.Set("killed", 1)
	err = c.Await(e)
	var refused *driver.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "cuCtxSetCurrent", refused.Call)
	require.Equal(t, asked, fake.Get("eventCalls"))
	fake.Set("killed", 0)
	require.NoError(t, c.Await(e))
}

func TestCallsOfLaunchesAllocateNothing(t *testing.T) {
	_, _, c := open(t)
	s, err := c.NewStream()
	require.NoError(t, err)
	e, err := c.NewEvent()
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if c.Record(e, s) != nil || c.Await(e) != nil {
			panic("refused")
		}
	}))
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

func TestCuBLASLtBefore12_1IsNotUsedAndTellsWhy(t *testing.T) {
	for version, want := range map[int64]string{11605: "11.6.5", 110902: "11.9.2", 120003: "12.0.3", 120100: "", 130002: ""} {
		fake := cudatest.Start(t)
		fake.Set("ltVersion", version)
		d, libraries, err := Open()
		require.NoError(t, err)
		if want != "" {
			want = "it is cuBLASLt " + want + ", and 12.1 is needed"
		}
		require.Equal(t, driver.Library{Name: "cuBLASLt", File: filepath.Join(fake.Folder, "libcublasLt.so.12"), Problem: want}, libraries[2])
		c, err := d.Open(0)
		require.NoError(t, err)
		_, err = c.NewAffine(0)
		require.Equal(t, want != "", errors.Is(err, errors.ErrUnsupported), version)
	}
}

// withDNN8 leaves the fake driver with a cuDNN of version 8 alone.
func withDNN8(t *testing.T) *cudatest.Fake {
	fake := cudatest.Start(t)
	require.NoError(t, os.Remove(filepath.Join(fake.Folder, "libcudnn.so.9")))
	fake.Set("dnnVersion", 8907)
	return fake
}

func TestDriverWithCuDNN8PassesTheSuite(t *testing.T) {
	fake := withDNN8(t)
	d, libraries, err := Open()
	require.NoError(t, err)
	require.Equal(t, driver.Library{Name: "cuDNN", File: filepath.Join(fake.Folder, "libcudnn.so.8")}, libraries[3])
	cudatest.RunDriver(t, d, fake)
}

func TestCuDNNThatCannotBeUsedIsNotAndTellsWhy(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, fake *cudatest.Fake)
		want    string
	}{
		"turned off":     {func(t *testing.T, f *cudatest.Fake) { t.Setenv("WEFT_CUDNN", "0") }, "it is not looked for: WEFT_CUDNN=0"},
		"another major":  {func(t *testing.T, f *cudatest.Fake) { f.Set("dnnVersion", 8907) }, "it is cuDNN 8.9.7, which its name does not say"},
		"one to come":    {func(t *testing.T, f *cudatest.Fake) { f.Set("dnnVersion", 100000) }, "it is cuDNN 10.0.0, which its name does not say"},
		"for newer CUDA": {func(t *testing.T, f *cudatest.Fake) { f.Set("dnnCUDA", 13000) }, "cuDNN 9.6.0 is made for CUDA 13.0, and the driver supports CUDA 12.4"},
		"a part missing": {func(t *testing.T, f *cudatest.Fake) {
			require.NoError(t, os.Remove(filepath.Join(f.Folder, "libcudnn_cnn.so.9")))
			require.NoError(t, os.Remove(filepath.Join(f.Folder, "libcudnn_heuristic.so.9")))
		}, "of the libraries beside it, of cuDNN 9.6.0, libcudnn_heuristic.so.9 is missing, libcudnn_cnn.so.9 is missing"},
		"a part is text": {func(t *testing.T, f *cudatest.Fake) {
			file := filepath.Join(f.Folder, "libcudnn_ops.so.9")
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.WriteFile(file, []byte("text"), 0o644))
		}, "of the libraries beside it, of cuDNN 9.6.0, libcudnn_ops.so.9 does not load: "},
		"a part is older": {func(t *testing.T, f *cudatest.Fake) {
			text, err := os.ReadFile(filepath.Join(f.Folder, "libcuda.so.1"))
			require.NoError(t, err)
			file := filepath.Join(f.Folder, "libcudnn_graph.so.9")
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.WriteFile(file+".5.1", text, 0o755))
			require.NoError(t, os.Symlink(filepath.Base(file)+".5.1", file))
		}, "of the libraries beside it, of cuDNN 9.6.0, libcudnn_graph.so.9 is of version 9.5.1"},
		"a part is newer, which its name does not say": {func(t *testing.T, f *cudatest.Fake) {
			f.Set("dnnVersion", 90500)
			text, err := os.ReadFile(filepath.Join(f.Folder, "libcuda.so.1")) // a fake of its own, of 9.6.0
			require.NoError(t, err)
			file := filepath.Join(f.Folder, "libcudnn_graph.so.9")
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.WriteFile(file, text, 0o755))
		}, "of the libraries beside it, of cuDNN 9.5.0, libcudnn_graph.so.9 is of version 9.6.0"},
		"half of it": {func(t *testing.T, f *cudatest.Fake) { f.Set("dnnIncomplete", 1) }, "cudnnCnnVersionCheck: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED: the fake says so"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := cudatest.Start(t)
			c.prepare(t, fake)
			d, libraries, err := Open()
			require.NoError(t, err)
			require.Contains(t, libraries[3].Problem, c.want)
			open, err := d.Open(0)
			require.NoError(t, err)
			_, err = open.NewDNN(0)
			require.ErrorIs(t, err, errors.ErrUnsupported)
		})
	}
	fake := withDNN8(t)
	require.NoError(t, os.Remove(filepath.Join(fake.Folder, "libcudnn_cnn_train.so.8")))
	_, libraries, err := Open()
	require.NoError(t, err)
	require.Equal(t, "of the libraries beside it, of cuDNN 8.9.7, libcudnn_cnn_train.so.8 is missing", libraries[3].Problem)
	fake = withDNN8(t)
	fake.Set("dnnVersion", 8100)
	_, libraries, err = Open()
	require.NoError(t, err)
	require.Equal(t, "it is cuDNN 8.1.0, and 8.2 is needed", libraries[3].Problem)
}

func TestAPartOfCuDNNThatTheLinkerFindsAndDoesNotLoadTellsWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "libcudnn_ops.so.9")
	require.EqualError(t, checkPart(nil, file, 90600, "9.6.0"), file+" is missing")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o644))
	require.ErrorContains(t, checkPart(nil, file, 90600, "9.6.0"), file+" does not load: ")
}

func TestPoolsKeepWhatIsFree(t *testing.T) {
	fake := cudatest.Start(t)
	d, _, err := Open()
	require.NoError(t, err)
	_, err = d.Open(0)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1}, []int{fake.Get("pools"), fake.Get("keepingPools")})
}
