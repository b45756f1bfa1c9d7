package cuda

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device/devicetest"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

var onReal = flag.Bool("gpu", false, "run the tests named Real on the GPUs of the machine")

func realBackend(t *testing.T) *Backend {
	if !*onReal {
		t.Skip("the flag -gpu is not set")
	}
	count, err := Default().Count()
	require.NoError(t, err)
	require.NotZero(t, count)
	return Default()
}

func TestRealModulesLoad(t *testing.T) {
	b := realBackend(t)
	u, err := b.unit(0)
	require.NoError(t, err)
	c, err := u.use()
	require.NoError(t, err)
	for _, module := range ptx.Modules() {
		begin := time.Now()
		_, err := c.Load(ptx.Text(module))
		require.NoError(t, err, module)
		t.Logf("%s compiled in %v", module, time.Since(begin))
	}
}

func TestRealBackendPassesTheSuite(t *testing.T) { devicetest.RunAll(t, realBackend(t)) }
