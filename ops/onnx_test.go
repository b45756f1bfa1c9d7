package ops

import (
	encoding "encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// errUnmapped is the reason why a case does not run: it needs what weft has no operator for.
var errUnmapped = errors.New("not mapped")

// onnxCall is one call of an ONNX operator.
type onnxCall struct {
	t   *testing.T
	env *Env
	onnxNode
	in []*Tensor // nil for those left out
}

// list returns the integers of operand i, or of an attribute; given is false where there are neither.
func (c onnxCall) list(i int, attribute string) (all []int, given bool) {
	if i < len(c.in) && c.in[i] != nil {
		for _, v := range valuesOf(c.t, c.in[i]) {
			all = append(all, int(v))
		}
		return all, true
	}
	a, given := c.attributes[attribute]
	return a.integers, given
}

func direct(op *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor { return Invoke(op, nil, c.in...)[0] }
}

// folded applies a binary operator to any number of operands from the left.
func folded(op *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor {
		y := c.in[0]
		for _, x := range c.in[1:] {
			y = Invoke(op, nil, y, x)[0]
		}
		return y
	}
}

// reducing applies before, the reduction and after; both may be nil.
func reducing(op, before, after *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor {
		x := c.in[0]
		axes, _ := c.list(1, "axes")
		if len(axes) == 0 && c.integer("noop_with_empty_axes", 0) == 1 {
			panic(errUnmapped)
		}
		if (op == Max || op == Min) && storage.Count(x.Shape()) == 0 {
			panic(errUnmapped) // an infinity in ONNX, a mistake in NumPy and here
		}
		if before != nil {
			x = Invoke(before, nil, x)[0]
		}
		x = Invoke(op, ReduceParams{Axes: axes, KeepDims: c.integer("keepdims", 1) == 1}, x)[0]
		if after != nil {
			x = Invoke(after, nil, x)[0]
		}
		return x
	}
}

// accumulating keeps the element type, which ONNX does.
func accumulating(op *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor {
		axes, _ := c.list(1, "")
		p := ScanParams{Axis: axes[0], Reverse: c.integer("reverse", 0) == 1, Exclusive: c.integer("exclusive", 0) == 1}
		return casted(Invoke(op, p, c.in[0])[0], c.in[0].DType())
	}
}

func locating(op *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor {
		if c.integer("select_last_index", 0) != 0 {
			panic(errUnmapped)
		}
		return Invoke(op, ReduceParams{Axes: []int{c.integer("axis", 0)}, KeepDims: c.integer("keepdims", 1) == 1}, c.in[0])[0]
	}
}

func softmaxLike(op *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor { return Invoke(op, SoftmaxParams{c.integer("axis", -1)}, c.in[0])[0] }
}

func casted(x *Tensor, to dtype.DType) *Tensor {
	if to == dtype.Invalid {
		panic(errUnmapped)
	}
	return Invoke(Cast, CastParams{to}, x)[0]
}

func reshaped(x *Tensor, shape []int) *Tensor { return Invoke(Reshape, ReshapeParams{shape}, x)[0] }

// onnxOperators are those that one or two of ours are.
var onnxOperators = map[string]func(onnxCall) *Tensor{
	"Add": direct(Add), "Sub": direct(Sub), "Mul": direct(Mul), "Neg": direct(Neg), "Exp": direct(Exp), "Log": direct(Log), "Sqrt": direct(Sqrt),
	"Tanh": direct(Tanh), "Sigmoid": direct(Sigmoid), "Relu": direct(Relu), "Greater": direct(Greater), "Equal": direct(Equal), "Where": direct(Where),
	"MatMul": direct(MatMul), "Gemm": onnxGemm, "Identity": direct(Copy), "Max": folded(Maximum), "Sum": folded(Add),
	"ReduceSum": reducing(Sum, nil, nil), "ReduceMean": reducing(Mean, nil, nil), "ReduceMax": reducing(Max, nil, nil),
	"ReduceMin": reducing(Min, nil, nil), "ReduceProd": reducing(Prod, nil, nil), "ReduceL1": reducing(Asum, nil, nil),
	"ReduceSumSquare": reducing(Sumsq, nil, nil), "ReduceL2": reducing(Sumsq, nil, Sqrt), "ReduceLogSum": reducing(Sum, nil, Log), "ReduceLogSumExp": reducing(LogSumExp, nil, nil),
	"CumSum": accumulating(CumSum), "CumProd": accumulating(CumProd), "ArgMax": locating(ArgMax), "ArgMin": locating(ArgMin),
	"Attention": onnxAttention, "Softmax": softmaxLike(Softmax), "LogSoftmax": softmaxLike(LogSoftmax),
	"Less": direct(Less), "LessOrEqual": direct(LessEqual), "GreaterOrEqual": direct(GreaterEqual), "Min": folded(Minimum), "Abs": direct(Abs),
	"Sign": direct(Sign), "Floor": direct(Floor), "Ceil": direct(Ceil), "Round": direct(Round), "Reciprocal": direct(Reciprocal), "IsNaN": direct(IsNaN),
	"And": direct(LogicalAnd), "Or": direct(LogicalOr), "Xor": direct(LogicalXor), "Not": direct(LogicalNot),
	"BitwiseAnd": direct(BitwiseAnd), "BitwiseOr": direct(BitwiseOr), "BitwiseXor": direct(BitwiseXor), "BitwiseNot": direct(BitwiseInvert),
	"BitShift": func(c onnxCall) *Tensor {
		shift := BitwiseRightShift
		if c.attributes["direction"].text == "LEFT" {
			shift = BitwiseLeftShift
		}
		return Invoke(shift, nil, c.in...)[0]
	},
	"IsInf": func(c onnxCall) *Tensor {
		if c.integer("detect_negative", 1) != 1 || c.integer("detect_positive", 1) != 1 {
			panic(errUnmapped)
		}
		return Invoke(IsInf, nil, c.in...)[0]
	},
	"Mod": func(c onnxCall) *Tensor {
		if c.integer("fmod", 0) == 1 {
			panic(errUnmapped) // with the sign of the dividend
		}
		return Invoke(Remainder, nil, c.in...)[0]
	},
	"MaxPool": pooling(MaxPool), "AveragePool": pooling(AveragePool),
	"GlobalMaxPool": pooledGlobally(Max), "GlobalAveragePool": pooledGlobally(Mean),
	"LayerNormalization": func(c onnxCall) *Tensor {
		p := LayerNormParams{c.integer("axis", -1), c.number("epsilon", 1e-5)}
		shape := c.in[0].Shape()[(p.Axis+len(c.in[0].Shape()))%len(c.in[0].Shape()):]
		bias := newArray(c.in[0].DType(), shape).tensor(c.env)
		if len(c.in) > 2 {
			bias = c.in[2]
		}
		return Invoke(LayerNorm, p, c.in[0], broadcasted(c.in[1], shape), broadcasted(bias, shape))[0]
	},
	"RMSNormalization": func(c onnxCall) *Tensor {
		p := LayerNormParams{c.integer("axis", -1), c.number("epsilon", 1e-5)}
		shape := c.in[0].Shape()[(p.Axis+len(c.in[0].Shape()))%len(c.in[0].Shape()):]
		return Invoke(RMSNorm, p, c.in[0], broadcasted(c.in[1], shape))[0]
	},
	"BatchNormalization": func(c onnxCall) *Tensor {
		p := BatchNormParams{c.number("epsilon", 1e-5)}
		if c.integer("training_mode", 0) == 1 {
			return Invoke(BatchNorm, p, c.in[:3]...)[0]
		}
		return Invoke(BatchNormInference, p, c.in...)[0]
	},
	"InstanceNormalization": func(c onnxCall) *Tensor {
		return Invoke(GroupNorm, GroupNormParams{c.in[0].Shape()[1], c.number("epsilon", 1e-5)}, c.in...)[0]
	},
	"GroupNormalization": func(c onnxCall) *Tensor {
		return Invoke(GroupNorm, GroupNormParams{c.integer("num_groups", 1), c.number("epsilon", 1e-5)}, c.in...)[0]
	},
	"Div": func(c onnxCall) *Tensor {
		if !c.in[0].DType().IsFloat() {
			panic(errUnmapped) // ONNX truncates quotients of integers
		}
		return Invoke(Div, nil, c.in...)[0]
	},
	"Constant": func(c onnxCall) *Tensor {
		if c.attributes["value"].tensor.data == nil {
			panic(errUnmapped)
		}
		return c.attributes["value"].tensor.tensor(c.env)
	},
	"Shape": func(c onnxCall) *Tensor {
		if len(c.attributes) > 0 {
			panic(errUnmapped)
		}
		return made(dtype.Int64, []int{len(c.in[0].Shape())}, func(i []int) float64 { return float64(c.in[0].Shape()[i[0]]) }).tensor(c.env)
	},
	"Transpose": func(c onnxCall) *Tensor {
		axes, _ := c.list(1, "perm")
		return Invoke(Transpose, TransposeParams{axes}, c.in[0])[0]
	},
	"Reshape": func(c onnxCall) *Tensor {
		shape, _ := c.list(1, "shape")
		for axis, n := range shape {
			if n == 0 && c.integer("allowzero", 0) == 0 {
				shape[axis] = c.in[0].Shape()[axis]
			}
		}
		return reshaped(c.in[0], shape)
	},
	"Flatten": func(c onnxCall) *Tensor {
		shape, axis := c.in[0].Shape(), c.integer("axis", 1)
		if axis < 0 {
			axis += len(shape)
		}
		return reshaped(c.in[0], []int{storage.Count(shape[:axis]), storage.Count(shape[axis:])})
	},
	"Squeeze": func(c onnxCall) *Tensor {
		axes, given := c.list(1, "axes")
		rank, shape := len(c.in[0].Shape()), []int{}
		for axis, n := range c.in[0].Shape() {
			if given && !slices.Contains(axes, axis) && !slices.Contains(axes, axis-rank) || !given && n != 1 {
				shape = append(shape, n)
			}
		}
		return reshaped(c.in[0], shape)
	},
	"Unsqueeze": func(c onnxCall) *Tensor {
		axes, _ := c.list(1, "axes")
		rest, shape := c.in[0].Shape(), make([]int, len(c.in[0].Shape())+len(axes))
		for axis := range shape {
			if shape[axis] = 1; !slices.Contains(axes, axis) && !slices.Contains(axes, axis-len(shape)) {
				shape[axis], rest = rest[0], rest[1:]
			}
		}
		return reshaped(c.in[0], shape)
	},
	"Expand": func(c onnxCall) *Tensor {
		shape, _ := c.list(1, "")
		return Invoke(BroadcastTo, BroadcastParams{joint(array{shape: c.in[0].Shape()}, array{shape: shape})}, c.in[0])[0]
	},
	"Concat": func(c onnxCall) *Tensor { return Invoke(Concat, ConcatParams{c.integer("axis", 0)}, c.in...)[0] },
	"Gather": func(c onnxCall) *Tensor { return Invoke(Take, TakeParams{c.integer("axis", 0), "raise"}, c.in...)[0] },
	"GatherElements": func(c onnxCall) *Tensor {
		return Invoke(TakeAlongAxis, TakeAlongAxisParams{Axis: c.integer("axis", 0), Mode: "raise"}, c.in...)[0]
	},
	"ScatterElements": func(c onnxCall) *Tensor {
		return Invoke(PutAlongAxis, PutAlongAxisParams{Axis: c.integer("axis", 0), Mode: "raise", Reduction: reductionOf(c)}, c.in...)[0]
	},
	"Scatter": func(c onnxCall) *Tensor {
		return Invoke(PutAlongAxis, PutAlongAxisParams{Axis: c.integer("axis", 0), Mode: "raise", Reduction: ReduceNone}, c.in...)[0]
	},
	"GatherND": func(c onnxCall) *Tensor {
		return Invoke(GatherND, GatherNDParams{Batch: c.integer("batch_dims", 0)}, c.in...)[0]
	},
	"ScatterND": func(c onnxCall) *Tensor {
		return Invoke(ScatterND, ScatterNDParams{Reduction: reductionOf(c)}, c.in...)[0]
	},
	"OneHot": onnxOneHot,
	"Pow":    onnxPow, "Clip": onnxClip, "Trilu": onnxTriangle,
	"Pad": onnxPad,
	"Tile": func(c onnxCall) *Tensor {
		x := c.in[0]
		repeats, _ := c.list(1, "")
		single, repeated, tiled := []int{}, []int{}, []int{}
		for axis, n := range x.Shape() {
			single, repeated, tiled = append(single, 1, n), append(repeated, repeats[axis], n), append(tiled, repeats[axis]*n)
		}
		return reshaped(Invoke(BroadcastTo, BroadcastParams{repeated}, reshaped(x, single))[0], tiled)
	},
	"DepthToSpace": func(c onnxCall) *Tensor {
		n, b := c.in[0].Shape(), c.integer("blocksize", 0)
		if c.attributes["mode"].text == "CRD" {
			x := reshaped(c.in[0], []int{n[0], n[1] / (b * b), b, b, n[2], n[3]})
			return reshaped(Invoke(Transpose, TransposeParams{[]int{0, 1, 4, 2, 5, 3}}, x)[0], []int{n[0], n[1] / (b * b), n[2] * b, n[3] * b})
		}
		x := reshaped(c.in[0], []int{n[0], b, b, n[1] / (b * b), n[2], n[3]})
		return reshaped(Invoke(Transpose, TransposeParams{[]int{0, 3, 4, 1, 5, 2}}, x)[0], []int{n[0], n[1] / (b * b), n[2] * b, n[3] * b})
	},
	"SpaceToDepth": func(c onnxCall) *Tensor {
		n, b := c.in[0].Shape(), c.integer("blocksize", 0)
		x := reshaped(c.in[0], []int{n[0], n[1], n[2] / b, b, n[3] / b, b})
		return reshaped(Invoke(Transpose, TransposeParams{[]int{0, 3, 5, 1, 2, 4}}, x)[0], []int{n[0], n[1] * b * b, n[2] / b, n[3] / b})
	},
	"Slice": onnxSlice,
	"Cast":  func(c onnxCall) *Tensor { return casted(c.in[0], onnxTypes[c.integer("to", 0)]) },
	"Conv":  onnxConv, "ConvTranspose": onnxConvTranspose,
	"CastLike": func(c onnxCall) *Tensor {
		return casted(c.in[0], c.in[1].DType())
	},
}

// firstOutput are operators of which the first output is compared, where a case has more.
var firstOutput = []string{"MaxPool", "LayerNormalization", "BatchNormalization"}

func broadcasted(x *Tensor, shape []int) *Tensor {
	return Invoke(BroadcastTo, BroadcastParams{slices.Clone(shape)}, x)[0]
}

func pooledGlobally(op *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor {
		axes := []int{}
		for axis := range c.in[0].Shape()[2:] {
			axes = append(axes, axis+2)
		}
		return Invoke(op, ReduceParams{Axes: axes, KeepDims: true}, c.in[0])[0]
	}
}

func pooling(op *Operator) func(onnxCall) *Tensor {
	return func(c onnxCall) *Tensor {
		p := PoolParams{CeilMode: c.integer("ceil_mode", 0) == 1, CountPadding: c.integer("count_include_pad", 0) == 1}
		p.Kernel, _ = c.list(1, "kernel_shape")
		given := false
		if p.Stride, given = c.list(1, "strides"); !given {
			p.Stride = slices.Repeat([]int{1}, len(p.Kernel))
		}
		p.Padding, _ = c.list(1, "pads")
		p.Dilation, _ = c.list(1, "dilations")
		automatic := c.attributes["auto_pad"].text
		if automatic == "SAME_UPPER" || automatic == "SAME_LOWER" {
			before, after := []int{}, []int{}
			for i, n := range c.in[0].Shape()[2:] {
				total := max(0, ((n-1)/p.Stride[i])*p.Stride[i]+p.Kernel[i]-n)
				less, more := total/2, total-total/2
				if automatic == "SAME_LOWER" {
					less, more = more, less
				}
				before, after = append(before, less), append(after, more)
			}
			p.Padding = append(before, after...)
		}
		return Invoke(op, p, c.in[0])[0]
	}
}

func onnxSlice(c onnxCall) *Tensor {
	starts, _ := c.list(1, "starts")
	ends, _ := c.list(2, "ends")
	axes, given := c.list(3, "axes")
	steps, stepped := c.list(4, "steps")
	spans := []storage.Span{}
	for _, n := range c.in[0].Shape() {
		spans = append(spans, storage.Span{Count: n, Step: 1})
	}
	for i := range starts {
		axis, step := i, 1
		if given {
			axis = (axes[i] + len(spans)) % len(spans)
		}
		if stepped {
			step = steps[i]
		}
		n := c.in[0].Shape()[axis]
		clamped := func(at int) int {
			if at < 0 {
				at += n
			}
			if step < 0 {
				return min(max(at, -1), n-1)
			}
			return min(max(at, 0), n)
		}
		start, end := clamped(starts[i]), clamped(ends[i])
		count := (end - start + step - 1) / step
		if step < 0 {
			count = (start - end - step - 1) / -step
		}
		spans[axis] = storage.Span{Start: start, Count: max(count, 0), Step: step}
	}
	return Invoke(Slice, SliceParams{spans}, c.in[0])[0]
}

// runGraph computes the outputs of a graph. A mistake in an element type means that the case does not run: weft has
// arithmetic for some only.
func runGraph(t *testing.T, env *Env, g onnxGraph, values map[string]*Tensor) (err error) {
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case error:
			if !errors.Is(caught, errUnmapped) && !errors.Is(caught, fault.ErrDType) {
				panic(caught)
			}
			err = caught
		default:
			panic(caught)
		}
	}()
	for _, c := range g.constants {
		if c.data == nil {
			return errUnmapped
		}
		values[c.name] = c.tensor(env)
	}
	for _, n := range g.nodes {
		run, found := onnxOperators[n.operator]
		if !found || len(n.outputs) != 1 && !slices.Contains(firstOutput, n.operator) {
			return errUnmapped
		}
		c := onnxCall{t: t, env: env, onnxNode: n}
		for _, name := range n.inputs {
			c.in = append(c.in, values[name])
		}
		values[n.outputs[0]] = run(c)
	}
	return nil
}

// requireLike compares with the tolerance of the ONNX project's own runner, floats to 1e-3 of their value.
func requireLike(t *testing.T, want onnxTensor, got *Tensor) {
	t.Helper()
	require.Equal(t, want.dtype, got.DType())
	require.Equal(t, fault.FormatShape(want.shape), fault.FormatShape(got.Shape()))
	values := valuesOf(t, got)
	if !want.dtype.IsFloat() {
		require.Equal(t, want.data, append([]byte{}, mustBytes(t, got)...))
		return
	}
	size := want.dtype.Size()
	for i, g := range values {
		w := codecs[want.dtype].get(unsafe.Pointer(&want.data[i*size]))
		if g == w || g != g && w != w {
			continue
		}
		require.InDelta(t, w, g, 1e-7+1e-3*max(w, -w), "element %d", i)
	}
}

// sharedFolder returns a folder below "shared" beside the repository, and skips the test where there is none.
func sharedFolder(t *testing.T, path ...string) string {
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		wanted := filepath.Join(append([]string{folder, "shared"}, path...)...)
		if info, err := os.Stat(wanted); err == nil && info.IsDir() {
			return wanted
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Skipf("no folder %s beside the repository", filepath.Join(append([]string{"shared"}, path...)...))
		}
		folder = parent
	}
}

// TestNodeCasesOfONNX runs the cases of the ONNX project's backend test that consist of our operators.
func TestNodeCasesOfONNX(t *testing.T) {
	if encoding.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the cases are stored with the low byte first")
	}
	models, err := filepath.Glob(filepath.Join(sharedFolder(t, "conformance", "onnx-node"), "*", "model.onnx"))
	require.NoError(t, err)
	env, ran, used := newEnv(t, "perdevice"), 0, map[string]int{}
	for _, model := range models {
		folder := filepath.Dir(model)
		message, err := os.ReadFile(model)
		require.NoError(t, err)
		g := readModel(message)
		if slices.ContainsFunc(g.nodes, func(n onnxNode) bool { return onnxOperators[n.operator] == nil }) {
			continue
		}
		values, readable := map[string]*Tensor{}, true
		read := func(kind string, i int) onnxTensor {
			message, err := os.ReadFile(filepath.Join(folder, "test_data_set_0", fmt.Sprintf("%s_%d.pb", kind, i)))
			require.NoError(t, err)
			tensor := readTensor(message)
			readable = readable && tensor.data != nil && len(tensor.data) == storage.Count(tensor.shape)*tensor.dtype.Size()
			return tensor
		}
		for i, name := range g.inputs {
			if tensor := read("input", i); readable {
				values[name] = tensor.tensor(env)
			}
		}
		want := read("output", 0)
		if !readable {
			continue
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			if err := runGraph(t, env, g, values); err != nil {
				t.Skip(err)
			}
			requireLike(t, want, values[g.outputs[0]])
			ran++
			for _, n := range g.nodes {
				used[n.operator]++
			}
		})
	}
	t.Logf("%d of %d cases ran: %v", ran, len(models), used)
	require.GreaterOrEqual(t, ran, 491, "cases that ran before no longer do")
}
