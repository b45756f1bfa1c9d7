//go:build linux && amd64

package train_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cuda"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/optim"
)

// TestAStepOfAnOptimiserOnAGPUIsOneLaunchWithTheBitsOfTheCPU makes steps on some arrays, with states that are wider than those of 16 bits.
func TestAStepOfAnOptimiserOnAGPUIsOneLaunchWithTheBitsOfTheCPU(t *testing.T) {
	if !*onReal {
		cudatest.Install(t)
	}
	ctx := context.Background()
	for name, construct := range map[string]func(params []*nd.Array) *optim.Optimiser{
		"sgd": func(p []*nd.Array) *optim.Optimiser { return optim.NewSGD(p, 0.2) },
		"nesterov": func(p []*nd.Array) *optim.Optimiser {
			return optim.NewSGD(p, 0.2, optim.Momentum(0.9), optim.Nesterov())
		},
		"adam":    func(p []*nd.Array) *optim.Optimiser { return optim.NewAdam(p, 0.02) },
		"adamw":   func(p []*nd.Array) *optim.Optimiser { return optim.NewAdamW(p, 0.02) },
		"rmsprop": func(p []*nd.Array) *optim.Optimiser { return optim.NewRMSProp(p, 0.005) },
	} {
		for _, d := range []dtype.DType{dtype.Float32, dtype.Float16, dtype.BFloat16} {
			t.Run(name+" "+d.String(), func(t *testing.T) {
				step := func(on device.Device) (values [][]float64) {
					env := nd.DefaultEnv().WithDevice(on)
					numbers := func(seed, count int) *nd.Array {
						all := make([]float32, count)
						for i := range all {
							all[i] = float32(math.Sin(float64(seed*1000 + i)))
						}
						a := nd.FromSliceIn(env, all, count).Cast(d)
						require.NoError(t, a.Wait(ctx))
						return a
					}
					params := []*nd.Array{numbers(1, 50), numbers(2, 7), numbers(3, 3)}
					gradients := []*nd.Array{numbers(4, 50), numbers(5, 7), numbers(6, 3)}
					optimiser := construct(params)
					require.NoError(t, optimiser.Step(ctx, gradients)) // makes states
					require.NoError(t, params[0].Wait(ctx))
					before := launches(t, on)
					require.NoError(t, optimiser.Step(ctx, gradients))
					for _, p := range params {
						require.NoError(t, p.Wait(ctx))
					}
					if on.Kind == device.KindGPU {
						require.Equal(t, before+1, launches(t, on))
					}
					for _, p := range params {
						v, err := nd.ValuesAs[float64](p)
						require.NoError(t, err)
						values = append(values, v)
					}
					return values
				}
				require.Equal(t, step(device.CPU(0)), step(device.GPU(0)))
			})
		}
	}
}

// launches returns how many there were on a GPU; none on a CPU.
func launches(t *testing.T, on device.Device) int {
	if on.Kind != device.KindGPU {
		return 0
	}
	stats, err := cuda.Default().Stats(on.Index)
	require.NoError(t, err)
	return stats.Launches
}
