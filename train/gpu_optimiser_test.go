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

// TestClippingByNormOnAGPUIsThreeLaunchesForAnyNumberOfGradients clips arrays of several shapes and element types, and a view, eagerly and in a
// captured step. The norm is that of the CPU but for the order of its sum.
func TestClippingByNormOnAGPUIsThreeLaunchesForAnyNumberOfGradients(t *testing.T) {
	if !*onReal {
		cudatest.Install(t)
	}
	ctx := context.Background()
	cpu := nd.DefaultEnv()
	gradientsIn := func(env *nd.Env, d dtype.DType, count int) (all []*nd.Array) {
		for i := range count {
			all = append(all, nd.Arange[float32](0, float32(3+i), 1).AddScalar(float64(i%5)-2).Cast(d).To(env.Device()))
			require.NoError(t, all[i].Wait(ctx))
		}
		return all
	}
	equal := func(want, got []*nd.Array) {
		for i := range want {
			x, err := nd.ValuesAs[float64](want[i])
			require.NoError(t, err)
			y, err := nd.ValuesAs[float64](got[i])
			require.NoError(t, err)
			require.InDeltaSlice(t, x, y, 1e-6)
		}
	}
	gpu := cpu.WithDevice(device.GPU(0))
	for _, count := range []int{1, 70, 160} {
		want, got := gradientsIn(cpu, dtype.Float32, count), gradientsIn(gpu, dtype.Float32, count)
		require.NoError(t, optim.ClipNorm(gradientsIn(gpu, dtype.Float32, 1), 1e9).Wait(ctx))
		before := launches(t, gpu.Device())
		norm := optim.ClipNorm(got, 0.5)
		require.NoError(t, norm.Wait(ctx))
		require.Equal(t, before+3, launches(t, gpu.Device()), count)
		equal([]*nd.Array{optim.ClipNorm(want, 0.5)}, []*nd.Array{norm})
		equal(want, got)
	}
	mixed := func(env *nd.Env) []*nd.Array {
		all := append(gradientsIn(env, dtype.Float64, 3), gradientsIn(env, dtype.Float16, 2)...)
		return append(all, nd.Arange[float32](0, 12, 1).Reshape(3, 4).To(env.Device()).T())
	}
	want, got := mixed(cpu), mixed(gpu)
	optim.ClipNorm(want, 1.5)
	optim.ClipNorm(got, 1.5)
	equal(want, got)

	for name, make := range map[string]func(env *nd.Env) []*nd.Array{
		"twice the same, and an empty one": func(env *nd.Env) []*nd.Array {
			g := nd.Arange[float32](0, 12, 1).Reshape(3, 4).To(env.Device())
			return []*nd.Array{g, g.T(), nd.ZerosIn(env, dtype.Float32, 0), g.Index(nd.Span(0, 1))}
		},
		"parts": func(env *nd.Env) []*nd.Array {
			long := nd.Arange[float64](0, 40000, 1).MulScalar(1e-4)
			return []*nd.Array{long.To(env.Device()), nd.OnesIn(env, dtype.Float64, 3), long.Index(nd.Span(0, 16385)).To(env.Device())}
		},
		"more than a launch takes": func(env *nd.Env) []*nd.Array { return gradientsIn(env, dtype.Float32, 163) },
	} {
		t.Run(name, func(t *testing.T) {
			want, got := make(cpu), make(gpu)
			equal([]*nd.Array{optim.ClipNorm(want, 1)}, []*nd.Array{optim.ClipNorm(got, 1)})
			equal(want, got)
		})
	}

	source, g := nd.FromSlice([]float32{3, 4}).To(gpu.Device()), []*nd.Array{nd.ZerosIn(gpu, dtype.Float32, 2), nd.OnesIn(gpu, dtype.Float32, 300)}
	var norm *nd.Array
	step := gpu.Capture(func(env *nd.Env) {
		nd.CopyInto(g[0], source.In(env))
		norm = optim.ClipNorm([]*nd.Array{g[0].In(env), g[1]}, 2)
	})
	defer step.Release()
	for range 4 {
		step.Replay()
		require.NoError(t, norm.Wait(ctx))
	}
	left, err := nd.ValuesAs[float64](nd.Stack(0, g[0].Norm(2), g[1].Norm(2)).Norm(2))
	require.NoError(t, err)
	require.InDelta(t, 2, left[0], 1e-5)
}
