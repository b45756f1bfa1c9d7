//go:build linux && (amd64 || arm64)

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

func TestProgramsAreCompiledForTheDevicesThatNVRTCAndWeftTake(t *testing.T) {
	const source = `extern "C" __global__ void seven(float *x) { x[threadIdx.x] = 7; }`
	for capability, problems := range map[int64][2]string{
		61: {"Fake GPU, has compute capability 6.1, and 7.0 is needed", "gpu(0) has compute capability 6.1, and 7.0 is needed"},
		70: {"it was not compiled for this device: NVRTC compiles for compute capability 7.5 or more", "and the device has 7.0"},
	} {
		b, fake := start(t, map[string]int64{"lastCapability": capability})
		m, err := b.Compile(source, CompileOptions{})
		require.NoError(t, err)
		k, err := m.Kernel("seven", "float *x")
		require.NoError(t, err)
		launch := func(index int) error {
			s, err := b.NewStream(index)
			if err != nil {
				return err
			}
			defer func() { require.NoError(t, s.Close()) }()
			p, err := b.Allocate(index, 16)
			require.NoError(t, err)
			x := device.View{Pointer: p, DType: dtype.Float32, Shape: []int{4}, Strides: []int{1}}
			return k.Launch(s, &device.Arguments{Outputs: []device.View{x}, Integers: device.Over(4, 4).Integers()})
		}
		require.NoError(t, launch(0))
		require.ErrorContains(t, launch(1), problems[0])
		fake.Set("computeCapability", capability)
		_, err = b.Compile(source, CompileOptions{})
		require.ErrorContains(t, err, problems[1])
	}
}
