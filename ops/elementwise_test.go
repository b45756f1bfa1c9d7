package ops

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

func TestElementwiseKernelsExistForEveryAcceptedType(t *testing.T) {
	for _, op := range append(All(), Cast) {
		if op.Form != FormUnary && op.Form != FormBinary && op != Where {
			continue
		}
		for _, d := range op.Accepts {
			call := &Call{Operator: op, Inputs: []Operand{{[]int{2}, d}, {[]int{2}, d}, {[]int{2}, d}}[:len(op.Inputs)]}
			op.Infer(call)
			_, err := call.kernelFor(device.CPU(0))
			require.NoError(t, err)
		}
	}
	for _, from := range castable {
		for _, to := range castable {
			call := &Call{Operator: Cast, Params: CastParams{to}, Inputs: []Operand{{[]int{2}, from}}}
			if from.IsComplex() && !to.IsComplex() && to != dtype.Bool {
				require.Panics(t, func() { Cast.Infer(call) })
				continue
			}
			Cast.Infer(call)
			_, err := call.kernelFor(device.CPU(0))
			require.NoError(t, err)
		}
	}
	for _, d := range castable {
		condition := Operand{[]int{2}, dtype.Bool}
		call := &Call{Operator: Where, Inputs: []Operand{condition, {[]int{2}, d}, {[]int{2}, d}}}
		Where.Infer(call)
		_, err := call.kernelFor(device.CPU(0))
		require.NoError(t, err)
	}
}

// TestIntegersOfEveryTypeWrapRound gives the extremes of each type to the operators that may leave its range.
func TestIntegersOfEveryTypeWrapRound(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, d := range integral {
		if d.Size() == 8 {
			continue // float64 does not hold the extremes: TestIntegersAreExact has those
		}
		low, high := integerRange(d)
		numbers := []float64{low, low + 1, high, high - 1, 0, 1, 2, 7}
		if low < 0 {
			numbers = append(numbers, -1, -2, -7)
		}
		x := made(d, []int{len(numbers), 1}, func(index []int) float64 { return numbers[index[0]] })
		y := made(d, []int{len(numbers)}, func(index []int) float64 { return numbers[index[0]] })
		for _, op := range []*Operator{Add, Sub, Mul, FloorDivide, Remainder, Pow, Maximum, Minimum, BitwiseAnd, BitwiseOr, BitwiseXor} {
			exact := operators[op.Name].integer
			want := made(d, []int{len(numbers), len(numbers)}, func(index []int) float64 {
				return float64(modulo(d, exact(int64(numbers[index[0]]), int64(numbers[index[1]]))))
			})
			requireClose(t, want, Invoke(op, nil, x.tensor(env), y.tensor(env))[0], 0)
		}
		for _, op := range []*Operator{Neg, Abs, Square, Sign, Positive, Round} {
			want := made(d, []int{len(numbers)}, func(index []int) float64 {
				return float64(modulo(d, operators[op.Name].integer(int64(numbers[index[0]]))))
			})
			requireClose(t, want, Invoke(op, nil, y.tensor(env))[0], 0)
		}
	}
}

// modulo returns v modulo two to the power of the bits of d, in its range.
func modulo(d dtype.DType, v int64) int64 {
	unused := 64 - 8*d.Size()
	if d.Kind() == dtype.KindUnsigned {
		return int64(uint64(v) << unused >> unused)
	}
	return v << unused >> unused
}

// TestShiftsByTooManyPlacesAreDefined shifts numbers by counts from below zero to beyond their width.
func TestShiftsByTooManyPlacesAreDefined(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := array{dtype.Int8, []int{2, 1}, []float64{-3, 5}, nil}
	by := array{dtype.Int8, []int{6}, []float64{0, 1, 7, 8, 100, -1}, nil}
	require.Equal(t, []float64{-3, -6, -128, 0, 0, 0, 5, 10, -128, 0, 0, 0}, valuesOf(t, Invoke(BitwiseLeftShift, nil, x.tensor(env), by.tensor(env))[0]))
	require.Equal(t, []float64{-3, -2, -1, -1, -1, -1, 5, 2, 0, 0, 0, 0}, valuesOf(t, Invoke(BitwiseRightShift, nil, x.tensor(env), by.tensor(env))[0]))
}
