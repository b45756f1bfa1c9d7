//go:build linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

// wantKernels asks for kernels of a device at the same time.
func wantKernels(t *testing.T, b *Backend, names ...string) (functions []driver.Function, err error) {
	u := unitsOf(t, b)[0]
	c, err := u.use()
	require.NoError(t, err)
	functions = make([]driver.Function, len(names))
	problems := make([]error, len(names))
	var group sync.WaitGroup
	for i, name := range names {
		found, ok := ptx.Find(name)
		require.True(t, ok, name)
		group.Go(func() { functions[i], problems[i] = u.modules.function(c, found) })
	}
	group.Wait()
	return functions, errors.Join(problems...)
}

// TestModulesLoadSideBySide has a driver that loads none of three before the others are on their way.
func TestModulesLoadSideBySide(t *testing.T) {
	b, fake := start(t, map[string]int64{"modulesTogether": 3})
	_, err := wantKernels(t, b, "neg_float32", "exp_float32", "softmax_float32")
	require.NoError(t, err)
	require.Equal(t, 3, fake.Get("modules"))
}

func TestAModuleIsLoadedOnceForAllWhoWantIt(t *testing.T) {
	b, fake := start(t, nil)
	functions, err := wantKernels(t, b, "neg_float32", "add_float32", "neg_float32", "sub_float32", "mul_float32")
	require.NoError(t, err)
	require.Equal(t, 1, fake.Get("modules"))
	require.Equal(t, functions[0], functions[2])
}

func TestAModuleThatDoesNotLoadIsTriedOnce(t *testing.T) {
	b, fake := start(t, map[string]int64{"loadFails": 1})
	for range 2 {
		_, err := wantKernels(t, b, "neg_float32")
		require.ErrorContains(t, err, "the kernels of arithmetic do not load")
	}
	_, err := wantKernels(t, b, "exp_float32")
	require.NoError(t, err)
	require.Equal(t, 1, fake.Get("modules"))
}

// TestNoModuleIsMuchLargerThanTheOthers keeps what the first call of an operator compiles small.
func TestNoModuleIsMuchLargerThanTheOthers(t *testing.T) {
	for _, module := range ptx.Modules() {
		if size := len(ptx.Text(module)); module != "power" {
			require.Less(t, size, 1_300_000, module)
		}
	}
}
