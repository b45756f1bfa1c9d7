//go:build linux && amd64

package ops

import (
	"bytes"
	goflag "flag"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/cudatest"
	"github.com/weft-nd/weft/profile"
	"github.com/weft-nd/weft/storage"

	_ "github.com/weft-nd/weft/kernels/cuda"
)

// onReal makes the tests of GPUs run on those of the machine, in place of the fake driver.
var onReal = goflag.Bool("gpu", false, "run the tests of GPUs on the GPUs of the machine")

// gpuOf returns env on the first GPU, of the fake driver unless the flag -gpu is set.
func gpuOf(t *testing.T, env *Env) *Env {
	if !*onReal {
		withoutLibraries(cudatest.Install(t))
	}
	return env.WithDevice(device.GPU(0))
}

// withoutLibraries leaves cuDNN and cuBLASLt to the second device of the fake driver: the first does what they do by kernels of weft.
func withoutLibraries(fake *cudatest.Fake) {
	fake.Set("dnnDevices", 2)
	fake.Set("ltDevices", 2)
}

// librariesOf returns env on a GPU where cuDNN and cuBLASLt compute, if there is one.
func librariesOf(t *testing.T, env *Env) *Env {
	gpu := gpuOf(t, env)
	if !*onReal {
		return env.WithDevice(device.GPU(1))
	}
	return gpu
}

// fakeGPU returns the fake driver, and skips the test where the GPUs of the machine are in use.
func fakeGPU(t *testing.T) *cudatest.Fake {
	if *onReal {
		t.Skip("a real GPU has no faults on demand")
	}
	return cudatest.Install(t)
}

// otherOrder are the operators whose sums a GPU takes in another order than the CPU: how many units in the last place the results
// may be off on both together.
var otherOrder = map[string]float64{
	"sum": 8, "prod": 60, "mean": 8, "logsumexp": 8, "norm": 16, "clip_norm": 4, "asum": 8, "sumsq": 8, "var": 16, "std": 16, "matmul": 60, "softmax": 4, "log_softmax": 4, "softmax_gradient": 16, "log_softmax_gradient": 16,
	"softmax_cross_entropy": 4, "softmax_cross_entropy_gradient": 16, "linear": 60, "linear_gradient": 60,
	"conv": 60, "conv_max_pool": 60, "conv_max_pool_gradient_data": 60, "conv_max_pool_gradient_weights": 60, "conv_bias": 60, "conv_transpose": 60, "conv_gradient_data": 60, "conv_gradient_weights": 60,
	"self_attention": 60, "self_attention_gradient": 60,
	"layer_norm": 4, "rms_norm": 4, "group_norm": 4, "batch_norm": 4, "batch_norm_inference": 4,
	"layer_norm_gradient": 16, "rms_norm_gradient": 16, "group_norm_gradient": 16, "batch_norm_gradient": 16,
}

// TestGPUsAgreeWithTheCPU runs all cases on the fake driver: in every bit, but for sums.
func TestGPUsAgreeWithTheCPU(t *testing.T) {
	perDevice := newEnv(t, "perdevice")
	gpu := gpuOf(t, perDevice)
	eachCase(t, func(t *testing.T, c testCase) {
		ulps, differs := otherOrder[c.op.Name]
		var want []array
		var imaginary [][]float64
		if differs {
			want, imaginary = c.reference()
		}
		if !differs || want[0].dtype.IsInteger() {
			require.Equal(t, c.run(t, perDevice), c.run(t, gpu))
			return
		}
		results := c.call(gpu, c.place(gpu, rowMajor))
		if imaginary != nil {
			requireComplexClose(t, want, imaginary, results, complexRowOf(c.op).ulps+ulps)
			return
		}
		for i, got := range results {
			requireClose(t, want[i], got, c.row.ulps+ulps)
		}
	})
}

// runsOnCPU reports whether a GPU has no kernel for c.
func runsOnCPU(t *testing.T, c testCase, gpu *Env) bool {
	call := &Call{Operator: c.op, Params: c.sample.Params}
	for _, a := range c.in {
		call.Inputs = append(call.Inputs, Operand{a.shape, a.dtype})
	}
	c.op.Infer(call)
	found, err := call.kernelFor(gpu.device)
	require.NoError(t, err)
	return found.remote == nil
}

func TestOperandsThatOverlapOnAGPUGiveWhatCopiesOfThemGive(t *testing.T) {
	gpu := gpuOf(t, newEnv(t, "perdevice"))
	eachCase(t, func(t *testing.T, c testCase) { requireSameOfCopies(t, c, gpu) })
}

// layoutDecides reports whether the layout of operands decides who computes op on a real GPU, a library or a kernel of weft: their sums
// have other orders.
func layoutDecides(op *Operator) bool { return *onReal && strings.HasPrefix(op.Name, "self_attention") }

func TestResultsOnAGPUDoNotDependOnTheLayoutOfOperands(t *testing.T) {
	gpu := gpuOf(t, newEnv(t, "perdevice"))
	eachCase(t, func(t *testing.T, c testCase) {
		if c.op.View != nil || slices.Contains([]string{"matmul", "linear", "linear_gradient"}, c.op.Name) || runsOnCPU(t, c, gpu) { // the layout of matrices decides who computes their product
			return
		}
		if layoutDecides(c.op) {
			want, _ := c.reference()
			for how := range layouts {
				for i, x := range c.call(gpu, c.place(gpu, how)) {
					requireClose(t, want[i], x, c.row.ulps+otherOrder[c.op.Name])
				}
			}
			return
		}
		want := c.run(t, gpu)
		for how := range layouts {
			for i, x := range c.call(gpu, c.place(gpu, how)) {
				require.Equal(t, want[i], mustBytes(t, x), "%v", how)
			}
		}
	})
}

func TestCastsAndFillsOnAGPUEqualThoseOfTheCPU(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	numbers := []float64{0, 1, -1, 0.5, -2.5, 127, 128, 255, 256, 300, -129, 65504, 65520, 1e5, -1e5, 1 << 31, 1 << 32, -(1 << 31), 1 << 53, 1 << 63, 1 << 64, 1e300, -1e300, 1e-8, 5.960464477539063e-08, 3.4e38, 1e-40}
	for _, from := range all {
		values := []float64{}
		for _, v := range numbers {
			values = append(values, rounded(from, v))
		}
		on := func(e *Env) *Tensor {
			return Invoke(Cast, CastParams{from}, array{dtype.Float64, []int{len(values)}, values, nil}.tensor(env))[0].In(e)
		}
		for _, to := range all {
			want, got := Invoke(Cast, CastParams{to}, on(env))[0], Invoke(Cast, CastParams{to}, on(gpu))[0]
			require.Equal(t, mustBytes(t, want), mustBytes(t, got), "%v to %v", from, to)
		}
		for _, v := range numbers {
			p := FillParams{Shape: []int{3}, DType: from, Value: v, Integer: int(max(-1e18, min(v, 1e18)))}
			require.Equal(t, mustBytes(t, InvokeIn(env, Fill, p)[0]), mustBytes(t, InvokeIn(gpu, Fill, p)[0]), "%v of %v", v, from)
		}
	}
}

func TestWhatAGPUHasNoKernelForRunsOnTheCPUAndIsCounted(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	log := profile.New(100)
	defer gpu.Engine().Observe(log)()
	before := Fallbacks()["recurrence"]
	x := array{dtype.Float32, []int{3}, []float64{3, 1, 2}, nil}.tensor(gpu)
	doubled := Invoke(Add, nil, x, x)[0]
	order := Invoke(Recurrence, ScanParams{Axis: 0}, Invoke(Div, nil, x, x)[0], doubled)[0]
	require.Equal(t, device.GPU(0), order.Env().Device())
	more := Invoke(Add, nil, order, order)[0]
	require.Equal(t, []float64{12, 16, 24}, valuesOf(t, more))
	require.Equal(t, before+1, Fallbacks()["recurrence"])
	var table bytes.Buffer
	require.NoError(t, log.WriteTable(&table))
	require.Contains(t, table.String(), "recurrence (on cpu for gpu)")
	require.True(t, strings.Contains(table.String(), "copy"))
}

func TestWrongDataOnAGPUIsAnErrorOfWhatDependsOnIt(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	on := func(e *Env, d dtype.DType, shape []int, v ...float64) *Tensor {
		return array{d, shape, v, nil}.tensor(e)
	}
	calls := map[string]func(e *Env) *Tensor{
		"take": func(e *Env) *Tensor {
			return Invoke(Take, TakeParams{0, "raise"}, on(e, dtype.Float32, []int{3}, 1, 2, 3), on(e, dtype.Int8, []int{3}, -3, -4, 7))[0]
		},
		"scatter_add": func(e *Env) *Tensor {
			return Invoke(ScatterAdd, ScatterParams{[]int{2}, 0, "raise"}, on(e, dtype.Float32, []int{2}, 1, 2), on(e, dtype.Uint64, []int{2}, 0, 2))[0]
		},
		"one_hot": func(e *Env) *Tensor {
			return Invoke(OneHot, OneHotParams{2, dtype.Float32}, on(e, dtype.Int64, []int{2}, 1, -1))[0]
		},
		"take_along_axis": func(e *Env) *Tensor {
			return Invoke(TakeAlongAxis, TakeAlongAxisParams{0, "raise", true}, on(e, dtype.Float32, []int{2}, 1, 2), on(e, dtype.Int8, []int{3}, 0, -3, 5))[0]
		},
		"put_points": func(e *Env) *Tensor {
			x := on(e, dtype.Float32, []int{2, 2}, 1, 2, 3, 4)
			return Invoke(PutPoints, PutPointsParams{ReduceNone}, x, on(e, dtype.Float32, []int{2}, 5, 6), on(e, dtype.Int64, []int{2}, 0, 1), on(e, dtype.Int64, []int{2}, 1, 2))[0]
		},
		"gather_nd": func(e *Env) *Tensor {
			return Invoke(GatherND, GatherNDParams{}, on(e, dtype.Float32, []int{2, 0}), on(e, dtype.Int32, []int{1, 2}, 1, 0))[0]
		},
		"softmax_cross_entropy": func(e *Env) *Tensor {
			return Invoke(SoftmaxCrossEntropy, nil, on(e, dtype.Float32, []int{2, 2}, 1, 2, 3, 4), on(e, dtype.Int64, []int{2}, 1, 2))[0]
		},
		"max_pool_select": func(e *Env) *Tensor {
			return Invoke(MaxPoolSelect, nil, on(e, dtype.Float32, []int{1, 1, 2}, 1, 2), on(e, dtype.Int32, []int{1, 1, 3}, -1, 1, -2))[0]
		},
	}
	calls["bincount"] = func(e *Env) *Tensor {
		return Invoke(Bincount, BincountParams{3}, on(e, dtype.Int64, []int{4}, 1, 2, -5, 7))[0]
	}
	calls["mask_take"] = func(e *Env) *Tensor {
		return Invoke(MaskTake, MaskTakeParams{0, 2}, on(e, dtype.Float32, []int{3}, 1, 2, 3), on(e, dtype.Bool, []int{3}, 1, 0, 0))[0]
	}
	calls["mask_put"] = func(e *Env) *Tensor {
		return Invoke(MaskPut, MaskPutParams{0, ReduceNone}, on(e, dtype.Int8, []int{3}, 1, 2, 3), on(e, dtype.Bool, []int{3}, 1, 1, 1), on(e, dtype.Int8, []int{2}, 4, 5))[0]
	}
	calls["searchsorted"] = func(e *Env) *Tensor {
		return Invoke(SearchSorted, SearchSortedParams{Checked: true}, on(e, dtype.Float32, []int{4}, 1, 3, 2, math.NaN()), on(e, dtype.Float32, []int{1}, 2))[0]
	}
	causes := map[string]error{"mask_take": fault.ErrShape, "mask_put": fault.ErrShape, "searchsorted": fault.ErrParameter}
	for name, call := range calls {
		of := causes[name]
		if of == nil {
			of = fault.ErrIndex
		}
		cause := func(e *Env) string {
			for range 3 {
				Invoke(Neg, nil, on(e, dtype.Float32, []int{1}, 1))
			}
			good, bad := Invoke(Neg, nil, on(e, dtype.Float32, []int{1}, 1))[0], call(e)
			behind := Invoke(Neg, nil, bad)[0]
			_, err := bytesOf(good)
			require.NoError(t, err)
			for _, x := range []*Tensor{bad, behind, bad} {
				_, err = bytesOf(x)
				require.ErrorIs(t, err, of, name)
			}
			text, _, _ := strings.Cut(err.Error(), " [")
			return text
		}
		want, before := cause(env), Fallbacks()[name]
		require.Equal(t, want, cause(gpu))
		require.Equal(t, before, Fallbacks()[name], "%s ran on the GPU", name)
	}
}

// TestOperatorsOnAGPUByLibrariesAgreeWithTheCPU runs the cases of convolutions and layers: not all are for cuDNN and cuBLASLt, such as
// those of float64, of no elements, with other padding on one side than on the other, or of a layer that ends with an activation.
func TestOperatorsOnAGPUByLibrariesAgreeWithTheCPU(t *testing.T) {
	gpu := librariesOf(t, newEnv(t, "perdevice"))
	before := Fallbacks()
	counter := map[bool]string{true: "convolutions", false: "affineProducts"}
	byLibrary, others := map[string]int{}, map[string]int{}
	var operators []*Operator
	for _, op := range All() {
		if _, isSum := otherOrder[op.Name]; isSum && (strings.HasPrefix(op.Name, "conv") || op == Linear) {
			operators = append(operators, op)
		}
	}
	eachCaseOf(t, operators, 1, func(t *testing.T, c testCase) {
		ulps, isConvolution := otherOrder[c.op.Name], c.op != Linear
		done := 0
		if !*onReal {
			done = fakeGPU(t).Get(counter[isConvolution])
		}
		want, _ := c.reference()
		for i, got := range c.call(gpu, c.place(gpu, rowMajor)) {
			requireClose(t, want[i], got, c.row.ulps+ulps)
		}
		if !*onReal && fakeGPU(t).Get(counter[isConvolution]) > done {
			byLibrary[counter[isConvolution]]++
			byLibrary[c.op.Name]++
		} else {
			others[counter[isConvolution]]++
		}
	})
	require.Equal(t, before, Fallbacks())
	if !*onReal {
		require.NotZero(t, byLibrary["convolutions"])
		require.NotZero(t, byLibrary["affineProducts"])
		for _, op := range operators {
			require.NotZero(t, byLibrary[op.Name], op.Name)
		}
		t.Logf("cases by libraries: %v, by kernels of weft: %v", byLibrary, others)
	}
}

// TestConvolutionsOnAGPUByCuDNNTakeAllParameters compares them in every bit, of small integers whose sums are exact.
func TestConvolutionsOnAGPUByCuDNNTakeAllParameters(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := librariesOf(t, env)
	integers := func(d dtype.DType, shape ...int) array {
		a := array{dtype: d, shape: shape}
		for i := range storage.Count(shape) {
			a.values = append(a.values, float64(i*7%5-2))
		}
		return a
	}
	done := 0
	for code := range 48 {
		axes, groups, stride, dilation, padding := code%3+1, code/3%2+1, code/6%2+1, code/12%2+1, code/24
		size := []int{5, 6, 4}[:axes]
		d := []dtype.DType{dtype.Float32, dtype.Float16, dtype.BFloat16}[code/3%3]
		x, w := integers(d, append([]int{2, 2 * groups}, size...)...), integers(d, append([]int{2 * groups, 2}, []int{2, 3, 2}[:axes]...)...)
		p := ConvParams{[]int{stride}, []int{padding}, []int{dilation}, groups}
		run := func(e *Env) (all [][]byte) {
			y := Invoke(Conv, p, x.tensor(e), w.tensor(e))[0]
			all = append(all, mustBytes(t, y))
			gradient := integers(d, y.Shape()...).tensor(e)
			repeated := Invoke(BroadcastTo, BroadcastParams{y.Shape()}, integers(d, slices.Repeat([]int{1}, axes+2)...).tensor(e))[0]
			for _, z := range []*Tensor{
				Invoke(ConvBias, p, x.tensor(e), w.tensor(e), integers(d, 2*groups).tensor(e))[0],
				Invoke(ConvGradientData, ConvGradientDataParams{p.Stride, p.Padding, p.Dilation, groups, size}, gradient, w.tensor(e))[0],
				Invoke(ConvGradientWeights, ConvGradientWeightsParams{p.Stride, p.Padding, p.Dilation, groups, w.shape[2:]}, x.tensor(e), gradient)[0],
				Invoke(ConvGradientData, ConvGradientDataParams{p.Stride, p.Padding, p.Dilation, groups, size}, repeated, w.tensor(e))[0],
				Invoke(ConvTranspose, ConvTransposeParams{Stride: p.Stride, Padding: p.Padding, Dilation: p.Dilation, Groups: groups}, gradient, w.tensor(e))[0],
			} {
				all = append(all, mustBytes(t, z))
			}
			return all
		}
		want := run(env)
		if !*onReal {
			done = fakeGPU(t).Get("convolutions")
		}
		require.Equal(t, want, run(gpu), "%v %v", d, p)
		if !*onReal {
			require.Equal(t, done+6, fakeGPU(t).Get("convolutions"), "%v %v", d, p)
		}
	}
}
