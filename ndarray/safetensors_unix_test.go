//go:build linux || darwin

package ndarray_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// saved returns a file with the arrays.
func saved(t *testing.T, arrays map[string]*nd.Array) (path string) {
	path = filepath.Join(t.TempDir(), "model.safetensors")
	require.NoError(t, nd.SaveSafetensors(path, arrays, nil))
	return path
}

// loadedFrom returns the arrays of a file.
func loadedFrom(t *testing.T, path string) map[string]*nd.Array {
	arrays, _, err := nd.LoadSafetensors(path)
	require.NoError(t, err)
	return arrays
}

// faultsTellTheirAddress touches a mapping of an empty file.
func faultsTellTheirAddress(t *testing.T) (told bool) {
	file, err := os.Create(filepath.Join(t.TempDir(), "empty"))
	require.NoError(t, err)
	defer file.Close()
	memory, err := syscall.Mmap(int(file.Fd()), 0, 1, syscall.PROT_READ, syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(memory)) }()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _, told = recover().(interface{ Addr() uintptr }) }()
	return memory[0] > 0
}

// TestTouchingWhatAFileHasLostIsAnErrorOfTheOperation makes a mapped file shorter; a signal would end the process.
func TestTouchingWhatAFileHasLostIsAnErrorOfTheOperation(t *testing.T) {
	if !faultsTellTheirAddress(t) {
		t.Skip("an emulator does not tell which address was touched in vain")
	}
	const rows, columns = 512, 2048 // 4 MiB: enough for several workers
	path := saved(t, map[string]*nd.Array{"w": nd.Ones[float32](rows, columns), "small": nd.Ones[float32](4)})
	arrays := loadedFrom(t, path)
	w := arrays["w"]
	require.Equal(t, []float32{rows * columns}, values[float32](t, w.SumKeepDims().Reshape(1)))
	require.NoError(t, os.Truncate(path, 64<<10))
	destination := nd.Zeros[float32](rows, columns)
	for name, operation := range map[string]func() error{
		"sum":     func() error { return w.Sum().Wait(context.Background()) },
		"exp":     func() error { return w.Exp().Wait(context.Background()) },
		"matmul":  func() error { return w.MatMul(w.T()).Wait(context.Background()) },
		"copy":    func() error { return w.T().Copy().Wait(context.Background()) },
		"device":  func() error { return w.To(device.Sim(0)).AddScalar(1).Wait(context.Background()) },
		"values":  func() error { _, err := nd.Values[float32](w); return err },
		"at":      func() error { _, err := nd.At[float32](w, rows-1, 0); return err },
		"write":   func() error { return nd.SaveNPY(filepath.Join(t.TempDir(), "a"), w) },
		"marshal": func() error { _, err := w.MarshalBinary(); return err },
		"into": func() error {
			nd.AddInto(destination, w, w)
			return destination.Wait(context.Background())
		},
		"read": func() error {
			return nd.Read(context.Background(), w, func(elements []float32) error {
				if elements[len(elements)-1] == 1 {
					return nil
				}
				return fmt.Errorf("read %v", elements[len(elements)-1])
			})
		},
	} {
		err := operation()
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
		require.ErrorIs(t, err, fault.ErrPanic, name)
		require.ErrorContains(t, err, path, name)
	}
	require.Contains(t, w.Index(nd.Span(rows-1, rows)).String(), "was made shorter")
	require.Equal(t, "[1. 1.]", w.Index(0, nd.Span(0, 2)).String(), "what is there can be used")
	require.Equal(t, "1.0", arrays["w"].Index(0, 0).String())
}

func TestLoadingSafetensorsCopiesNothingAndWritesStayInMemory(t *testing.T) {
	path := saved(t, map[string]*nd.Array{"w": floats(3), "v": floats(2)})
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	first, second := loadedFrom(t, path), loadedFrom(t, path)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	defer file.Close()
	_, err = file.WriteAt([]byte{0, 0, 0x80, 0x3f}, int64(len(before)-4)) // the last element of w, by its name behind v
	require.NoError(t, err)
	require.Equal(t, "[0. 1. 1.]", first["w"].String(), "the page was not read before")
	_, err = file.WriteAt(before[len(before)-4:], int64(len(before)-4))
	require.NoError(t, err)
	nd.Set[float32](first["w"], 9, 0)
	require.Equal(t, "[9. 1. 2.]", first["w"].String())
	require.Equal(t, "[0. 1. 2.]", second["w"].String())
	require.Equal(t, "[0. 1.]", first["v"].String())
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoError(t, nd.SaveSafetensors(path, map[string]*nd.Array{"w": nd.Ones[float32](3)}, nil)) // replaces the file, not its contents
	require.Equal(t, "[0. 1. 2.]", second["w"].String())
}

// mappings returns how many parts of files called so are mapped.
func mappings(t *testing.T, path string) int {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip("this system does not tell what is mapped")
	}
	return strings.Count(string(maps), path)
}

func TestAMappingLivesAsLongAsItsArrays(t *testing.T) {
	path := saved(t, map[string]*nd.Array{"w": floats(100), "v": floats(2), "empty": floats(0)})
	arrays := loadedFrom(t, path)
	require.NotZero(t, mappings(t, path))
	view := arrays["w"].Index(nd.SpanBy(nd.Open, nd.Open, -50))
	arrays["v"].Release()
	arrays = nil
	for range 5 {
		runtime.GC()
	}
	require.NotZero(t, mappings(t, path))
	require.Equal(t, "[99. 49.]", view.String())
	runtime.KeepAlive(view)
	view = nil
	require.Eventually(t, func() bool {
		runtime.GC()
		return mappings(t, path) == 0
	}, time.Minute, time.Millisecond)
	require.Nil(t, arrays)
}
