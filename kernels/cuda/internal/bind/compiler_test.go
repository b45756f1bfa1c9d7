//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// scaled has a kernel, a template, and a function that is neither.
const scaled = `
template <class T> __device__ T twice(T x) { return x + x; }
extern "C" __global__ void scale(const float *x, float *y, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = factor * x[i];
}
template <class T> __global__ void doubled(T *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
`

func TestARealNVRTCCompilesForEveryArchitectureThatItKnows(t *testing.T) {
	c, library := openCompiler(99000)
	for version := 14; c == nil && version > 11; version-- {
		c, library = openCompiler(1000 * version)
	}
	if c == nil {
		t.Skip(library.Problem)
	}
	checkCompiler(t, &cudaDriver{compiler: func() (*compilerCalls, driver.Library) { return c, library }})
}

func TestTheFakeNVRTCCompilesAsARealOneDoes(t *testing.T) {
	_, d, _ := open(t)
	checkCompiler(t, d.(driver.Compiler))
}

func checkCompiler(t *testing.T, d driver.Compiler) {
	for _, capability := range [][2]int{{8, 0}, {9, 9}} {
		made, err := d.Compile(&driver.Program{Source: scaled, Names: []string{"doubled<double>", "doubled<int>"}, Major: capability[0], Minor: capability[1]})
		require.NoError(t, err)
		require.Contains(t, made.PTX, ".entry scale(")
		require.Len(t, made.Lowered, 2)
		for _, name := range made.Lowered {
			require.Contains(t, made.PTX, ".entry "+name+"(")
		}
		require.Equal(t, capability == [2]int{9, 9}, made.Image == made.PTX, "devices that are not known get PTX")
	}
	var refused *driver.CompileError
	_, err := d.Compile(&driver.Program{Source: "\n\nextern \"C\" __global__ void f(float *x) { *x = nothing; }", Major: 9})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "NVRTC_ERROR_COMPILATION", refused.Status.String())
	require.ErrorIs(t, err, fault.ErrParameter)
	require.Contains(t, refused.Log, "kernel.cu")
	require.Contains(t, refused.Log, "nothing")
	_, err = d.Compile(&driver.Program{Source: scaled, Options: []string{"--no-such-option"}, Major: 9})
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "NVRTC_ERROR_INVALID_OPTION", refused.Status.String())
	_, err = d.Compile(&driver.Program{Source: scaled, Names: []string{"nowhere<float>"}, Major: 9})
	require.ErrorAs(t, err, &refused)
	_, err = d.Compile(&driver.Program{Source: scaled, Major: 2})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "and the device has 2.0")
}

func TestNVRTCThatIsMissingOrNewerThanTheDriverIsTold(t *testing.T) {
	fake := cudatest.Start(t)
	require.NoError(t, os.Remove(filepath.Join(fake.Folder, "libnvrtc.so.12")))
	require.NoError(t, os.Remove(filepath.Join(fake.Folder, "libnvrtc.so.11.2")))
	d, _, err := Open()
	require.NoError(t, err)
	library := d.(driver.Compiler).NVRTC()
	require.Equal(t, "NVRTC", library.Name)
	if library.File == "" { // the system has none
		require.Contains(t, library.Problem, "libnvrtc.so.12, libnvrtc.so.11.2")
		_, err = d.(driver.Compiler).Compile(&driver.Program{Source: scaled})
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorContains(t, err, "libnvrtc.so.12")
	}
	fake = cudatest.Start(t)
	fake.Set("compilerVersion", 13000)
	d, _, err = Open()
	require.NoError(t, err)
	library = d.(driver.Compiler).NVRTC()
	require.Equal(t, "it is NVRTC 13.0, and the driver supports CUDA 12.4", library.Problem)
	require.True(t, strings.HasPrefix(library.File, fake.Folder))
}

func TestNVRTCIsLoadedWhenItIsFirstAskedFor(t *testing.T) {
	fake := cudatest.Start(t)
	name := filepath.Join(fake.Folder, "libnvrtc.so.12")
	require.NoError(t, os.Rename(name, name+".later"))
	d, _, err := Open()
	require.NoError(t, err)
	require.NoError(t, os.Rename(name+".later", name))
	require.Equal(t, driver.Library{Name: "NVRTC", File: name}, d.(driver.Compiler).NVRTC())
	_, err = d.(driver.Compiler).Compile(&driver.Program{Source: scaled, Major: 9})
	require.NoError(t, err)
}
