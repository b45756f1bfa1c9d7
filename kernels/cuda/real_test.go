package cuda

import (
	"flag"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/device/devicetest"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/kernels/cuda/internal/bind"
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

func TestRealDriverPassesTheSuite(t *testing.T) {
	realBackend(t)
	d, _, err := bind.Open()
	require.NoError(t, err)
	cudatest.RunDriver(t, d, nil)
}

func TestRealBackendPassesTheSuite(t *testing.T) { devicetest.RunAll(t, realBackend(t)) }

func TestRealWorkIsKept(t *testing.T) {
	b := realBackend(t)
	opened, err := b.NewStream(0)
	require.NoError(t, err)
	s := opened.(*stream)
	p, err := b.Allocate(0, 32)
	require.NoError(t, err)
	host := []float32{1, 2, 3, 4, 1, 0, 0, 1}
	at := device.Pointer{Host: unsafe.Pointer(&host[0])}
	view := func(i int) device.View {
		return device.View{Pointer: p.Add(16 * i), DType: dtype.Float32, Shape: []int{2, 2}, Strides: []int{2, 1}}
	}
	step := func() {
		add, _ := b.Kernel("add/float32")
		require.NoError(t, add.Launch(s, &device.Arguments{Outputs: []device.View{view(0)}, Inputs: []device.View{view(0), view(0)}}))
		matmul, _ := b.Kernel("matmul/float32")
		require.NoError(t, matmul.Launch(s, &device.Arguments{Outputs: []device.View{view(1)}, Inputs: []device.View{view(0), view(0)}}))
	}
	require.NoError(t, s.Copy(p, at, 32))
	step()
	require.NoError(t, s.Capture())
	step()
	w, err := s.Captured()
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, w.Enqueue(s))
	}
	require.NoError(t, s.Copy(at, p, 32))
	e, err := s.Record()
	require.NoError(t, err)
	require.NoError(t, e.Wait())
	require.Equal(t, []float32{8, 16, 24, 32, 448, 640, 960, 1408}, host)
	require.NoError(t, s.Close())
}
