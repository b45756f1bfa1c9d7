package ops

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/storage"
)

func TestResultsEqualTheReference(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachCase(t, func(t *testing.T, c testCase) {
		want, imaginary := c.reference()
		got := c.call(env, c.place(env, rowMajor))
		require.Len(t, got, len(want))
		if imaginary != nil {
			requireComplexClose(t, want, imaginary, got, complexRowOf(c.op).ulps)
			return
		}
		for i := range want {
			requireClose(t, want[i], got[i], c.row.ulps)
		}
	})
}

func TestResultsDoNotDependOnTheLayoutOfOperands(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachCase(t, func(t *testing.T, c testCase) {
		want := c.run(t, env)
		for how := range layouts {
			for i, x := range c.call(env, c.place(env, how)) {
				require.Equal(t, want[i], mustBytes(t, x), "%v", how)
			}
		}
	})
}

// TestRepeatedOperandsActLikeCopies gives each operand strides of zero along each axis in turn.
func TestRepeatedOperandsActLikeCopies(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachCase(t, func(t *testing.T, c testCase) {
		if c.op.Mutates != nil || c.row.prepare != nil {
			return // several elements in one place cannot be updated, or are not legal
		}
		for i, shape := range c.sample.Shapes {
			for axis := range shape {
				if shape[axis] < 2 || storage.Count(shape) == 0 {
					continue
				}
				operands := c.place(env, rowMajor)
				narrow := slices.Clone(operands[i].view.Strides)
				narrow[axis] = 0
				v := operands[i].view
				v.Strides = narrow
				repeated := NewTensor(v, env)
				operands[i] = Invoke(Copy, nil, repeated)[0]
				want := c.call(env, operands)
				operands[i] = repeated
				for j, x := range c.call(env, operands) {
					require.Equal(t, mustBytes(t, want[j]), mustBytes(t, x), "operand %d repeated along axis %d", i, axis)
				}
			}
		}
	})
}

func TestEnginesAndDevicesAgreeInEveryBit(t *testing.T) {
	perDevice, naive := newEnv(t, "perdevice"), newEnv(t, "naive")
	eachCase(t, func(t *testing.T, c testCase) {
		want := c.run(t, perDevice)
		require.Equal(t, want, c.run(t, naive), "naive")
		require.Equal(t, want, c.run(t, simOf(perDevice)), "sim(0)")
		require.Equal(t, want, c.run(t, simOf(naive)), "naive on sim(0)")
	})
}

func TestResultsDoNotDependOnTheNumberOfWorkers(t *testing.T) {
	var envs []*Env
	for _, workers := range []int{1, 2, 8} {
		envs = append(envs, newEnv(t, "perdevice", poolOf(t, workers)))
	}
	eachCase(t, func(t *testing.T, c testCase) {
		want := c.run(t, envs[0])
		for _, env := range envs[1:] {
			require.Equal(t, want, c.run(t, env))
		}
	})
}

// TestKernelsExistForEveryAcceptedType looks for the kernels that calls of an operator name.
func TestKernelsExistForEveryAcceptedType(t *testing.T) {
	eachCase(t, func(t *testing.T, c testCase) {
		if c.op.View != nil {
			return
		}
		call := &Call{Operator: c.op, Params: c.sample.Params}
		for _, a := range c.in {
			call.Inputs = append(call.Inputs, Operand{a.shape, a.dtype})
		}
		c.op.Infer(call)
		for _, d := range []device.Device{device.CPU(0), device.Sim(0)} {
			for range 2 { // found, then remembered
				found, err := call.kernelFor(d)
				require.NoError(t, err)
				require.Equal(t, d.OnHost(), found.host != nil)
				require.Equal(t, d.OnHost(), found.remote == nil)
			}
		}
	})
}

// TestSpecialValuesFollowIEEE gives element-wise operators all pairs of zeros, infinities, NaN, and the extremes.
func TestSpecialValuesFollowIEEE(t *testing.T) {
	env := newEnv(t, "perdevice")
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64, 5e-324}
	for _, op := range All() {
		if op.Form != FormUnary && op.Form != FormBinary {
			continue
		}
		for _, d := range floating {
			if !slices.Contains(op.Accepts, d) {
				continue
			}
			t.Run(fmt.Sprint(op.Name, " ", d), func(t *testing.T) {
				in := []array{}
				for axis := range op.Inputs {
					shape := []int{1, 1}
					shape[axis] = len(special)
					in = append(in, made(d, shape, func(index []int) float64 { return rounded(d, special[index[axis]]) }))
				}
				operands := []*Tensor{}
				for _, a := range in {
					operands = append(operands, a.tensor(env))
				}
				got, want := Invoke(op, nil, operands...)[0], operators[op.Name].reference(in, nil)[0]
				requireClose(t, want, got, operators[op.Name].ulps)
				for i, v := range valuesOf(t, got) {
					if v == 0 {
						require.Equal(t, math.Signbit(want.values[i]), math.Signbit(v), "sign of element %d", i)
					}
				}
			})
		}
	}
}

// TestIntegersAreExact gives int64 beyond the precision of float64; overflow wraps round.
func TestIntegersAreExact(t *testing.T) {
	env := newEnv(t, "perdevice")
	numbers := []int64{1<<53 + 1, -(1<<53 + 1), math.MaxInt64, math.MinInt64, 3, -7, 0, 1<<62 - 1}
	bytes := func(x []int64) []byte {
		memory := []byte{}
		for _, v := range x {
			for shift := 0; shift < 64; shift += 8 {
				memory = append(memory, byte(v>>shift))
			}
		}
		return memory
	}
	int64s := func(x []int64) *Tensor { return FromBytes(env, dtype.Int64, bytes(x), []int{len(x)}) }
	for _, op := range All() {
		exact := operators[op.Name].integer
		if exact == nil {
			require.False(t, (op.Form == FormUnary || op.Form == FormBinary) && slices.Contains(op.Accepts, dtype.Int64) && !tells(op), op.Name)
			continue
		}
		t.Run(op.Name, func(t *testing.T) {
			backwards := slices.Clone(numbers)
			slices.Reverse(backwards)
			want := []int64{}
			for i := range numbers {
				want = append(want, exact(numbers[i], backwards[i]))
			}
			operands := []*Tensor{int64s(numbers), int64s(backwards)}
			require.Equal(t, bytes(want), mustBytes(t, Invoke(op, nil, operands[:len(op.Inputs)]...)[0]))
		})
	}
	near := []int64{1<<53 + 1, 1 << 53}
	for name, c := range map[string]struct {
		got  *Tensor
		want []int64
	}{
		"sum":    {Invoke(Sum, ReduceParams{}, int64s(near))[0], []int64{1<<54 + 1}},
		"max":    {Invoke(Max, ReduceParams{}, int64s(near))[0], []int64{1<<53 + 1}},
		"argmax": {Invoke(ArgMax, ReduceParams{}, int64s([]int64{1 << 53, 1<<53 + 1}))[0], []int64{1}},
		"matmul": {Invoke(MatMul, nil, int64s(near), int64s([]int64{1, 1}))[0], []int64{1<<54 + 1}},
		"fill":   {InvokeIn(env, Fill, FillParams{Shape: []int{1}, DType: dtype.Int64, Integer: 1<<53 + 1})[0], []int64{1<<53 + 1}},
	} {
		require.Equal(t, bytes(c.want), mustBytes(t, c.got), name)
	}
	for _, op := range []*Operator{Greater, Equal} {
		got := mustBytes(t, Invoke(op, nil, int64s(near), int64s([]int64{1 << 53, 1 << 53}))[0])
		require.Equal(t, []byte{1, 0}, map[*Operator][]byte{Greater: got, Equal: {1 - got[0], 1 - got[1]}}[op], op.Name)
	}
}

// tells reports whether the results of an element-wise operator are bools.
func tells(op *Operator) bool {
	return operators[op.Name].reference([]array{newArray(dtype.Int64, nil), newArray(dtype.Int64, nil)}[:len(op.Inputs)], nil)[0].dtype == dtype.Bool
}

func TestOperandsMeetInACommonType(t *testing.T) {
	env := newEnv(t, "perdevice")
	of := func(d dtype.DType) *Tensor {
		return array{dtype: d, shape: []int{2}, values: []float64{1, 0}}.tensor(env)
	}
	for _, c := range []struct {
		got  *Tensor
		want dtype.DType
	}{
		{Invoke(Add, nil, of(dtype.Float32), of(dtype.Float64))[0], dtype.Float64},
		{Invoke(Add, nil, of(dtype.Int32), of(dtype.Int64))[0], dtype.Int64},
		{Invoke(Add, nil, of(dtype.Bool), of(dtype.Int64))[0], dtype.Int64},
		{Invoke(Mul, nil, of(dtype.Bool), of(dtype.Float32))[0], dtype.Float32},
		{Invoke(Add, nil, of(dtype.Float32), of(dtype.Int64))[0], dtype.Float64},
		{Invoke(Div, nil, of(dtype.Int64), of(dtype.Int64))[0], dtype.Float64},
		{Invoke(Div, nil, of(dtype.Bool), of(dtype.Bool))[0], dtype.Float64},
		{Invoke(Greater, nil, of(dtype.Float32), of(dtype.Int64))[0], dtype.Bool},
		{Invoke(Div, nil, of(dtype.Int8), of(dtype.Int8))[0], dtype.Float64},
		{Invoke(Div, nil, of(dtype.Uint16), of(dtype.Int16))[0], dtype.Float64},
		{Invoke(Div, nil, of(dtype.Int8), of(dtype.Float16))[0], dtype.Float16},
		{Invoke(Mean, ReduceParams{}, of(dtype.Int8))[0], dtype.Float64},
		{Invoke(Exp, nil, of(dtype.Int64))[0], dtype.Float64},
		{Invoke(Exp, nil, of(dtype.Uint8))[0], dtype.Float64},
		{Invoke(Sqrt, nil, of(dtype.Bool))[0], dtype.Float64},
		{Invoke(Sum, ReduceParams{}, of(dtype.Bool))[0], dtype.Int64},
		{Invoke(Mean, ReduceParams{}, of(dtype.Int64))[0], dtype.Float64},
		{Invoke(Where, nil, of(dtype.Int64), of(dtype.Float32), of(dtype.Float64))[0], dtype.Float64},
		{Invoke(Concat, ConcatParams{}, of(dtype.Float32), of(dtype.Int64))[0], dtype.Float64},
		{Invoke(MatMul, nil, of(dtype.Float32), of(dtype.Float64))[0], dtype.Float64},
		{Invoke(Take, TakeParams{0, "raise"}, of(dtype.Float32), of(dtype.Int32))[0], dtype.Float32},
		{Invoke(OneHot, OneHotParams{2, dtype.Int64}, of(dtype.Uint8))[0], dtype.Int64},
	} {
		require.Equal(t, c.want, c.got.DType())
		mustBytes(t, c.got)
	}
	require.Equal(t, []float64{0.5, 2}, valuesOf(t, Invoke(Div, nil, array{dtype.Int64, []int{2}, []float64{1, 4}, nil}.tensor(env), array{dtype.Int64, []int{}, []float64{2}, nil}.tensor(env))[0]))
}

func TestViewsShareMemoryWithTheirOperand(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, op := range All() {
		if op.View == nil {
			continue
		}
		for _, s := range op.Samples {
			c := newCase(op, s, dtype.Float64)
			if !slices.Contains(dtypesOf(op), dtype.Float64) {
				continue // TestPartsAreViews has it
			}
			x := c.in[0].tensor(env)
			result := Invoke(op, s.Params, x)[0]
			require.Same(t, x.view.Synced, result.view.Synced, "%s %s", op.Name, describe(s))
			InvokeInto(Neg, nil, []*Tensor{x}, x)
			for i, v := range c.in[0].values {
				c.in[0].values[i] = -v
			}
			requireClose(t, c.row.reference(c.in, s.Params)[0], result, 0)
		}
	}
	transposed := Invoke(Transpose, TransposeParams{}, made(dtype.Float64, []int{2, 3}, func(i []int) float64 { return float64(3*i[0] + i[1]) }).tensor(env))[0]
	copied := Invoke(Reshape, ReshapeParams{[]int{6}}, transposed)[0]
	require.NotSame(t, transposed.view.Synced, copied.view.Synced)
	require.Equal(t, []float64{0, 3, 1, 4, 2, 5}, valuesOf(t, copied))
}

func TestReadsSeeTheValuesAtTheTimeOfTheCall(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := array{dtype.Float64, []int{1}, []float64{1}, nil}.tensor(env)
	results := []*Tensor{}
	for range 50 {
		results = append(results, Invoke(Copy, nil, x)[0])
		InvokeInto(Add, nil, []*Tensor{x}, x, x)
	}
	for i, r := range results {
		require.Equal(t, []float64{math.Exp2(float64(i))}, valuesOf(t, r))
	}
	require.Equal(t, engine.Stats{}.Failed, env.engine.Stats().Failed)
}
