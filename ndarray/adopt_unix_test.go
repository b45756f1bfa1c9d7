//go:build linux || darwin

package ndarray_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
)

// Short calls are computed by who calls them. A signal would end the process.
func TestTouchingAdoptedMemoryThatIsGoneIsAnErrorOfShortCallsToo(t *testing.T) {
	const most = 100_000
	file, err := os.Create(filepath.Join(t.TempDir(), "mapped"))
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, file.Truncate(8*most))
	memory, err := syscall.Mmap(int(file.Fd()), 0, 8*most, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(memory)) }()
	numbers := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(memory))), most)
	calls := []func() *nd.Array{}
	exponent := nd.Adopt(numbers[:1]).Reshape()
	for _, count := range []int{100, 300, 5_000, most} {
		x, dst, changed := nd.Adopt(numbers[:count]), nd.Zeros[float64](count), nd.Adopt(numbers[:count])
		base := nd.Ones[float64](count)
		calls = append(calls, func() *nd.Array { return x.Sum() }, func() *nd.Array { return x.Neg() }, func() *nd.Array {
			nd.AddInto(dst, x, x)
			return dst
		}, func() *nd.Array {
			nd.AddInto(changed, dst, dst)
			return changed
		}, func() *nd.Array {
			nd.Set(x, 1.0, 3)
			return x
		}, func() *nd.Array { return base.Pow(exponent) }, func() *nd.Array {
			nd.PowInto(base, base, exponent)
			return base
		})
	}
	for _, call := range calls {
		for range 2 {
			_, err := nd.Values[float64](call())
			require.NoError(t, err)
		}
	}
	number := nd.Adopt(numbers[:100])
	_, err = nd.At[float64](number, 3)
	require.NoError(t, err)
	require.NoError(t, file.Truncate(0))
	_, err = nd.At[float64](number, 3)
	require.Error(t, err)
	for i, call := range calls {
		_, err := nd.Values[float64](call())
		require.Error(t, err, "call %d", i)
	}
}
