package ops

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// mistake runs call, which must panic with *fault.Error, and returns that. The text must tell a line of a test.
func mistake(t *testing.T, call func()) (e *fault.Error) {
	t.Helper()
	defer func() {
		t.Helper()
		caught := recover()
		err, isError := caught.(error)
		require.True(t, isError && errors.As(err, &e), "the call gave %v, want a *fault.Error", caught)
		require.Regexp(t, `^weft: .* at \w+_test\.go:\d+$`, e.Error())
		require.NotNil(t, e.Cause)
	}()
	call()
	return nil
}

// requireNames requires that the text of e tells the operator and the shapes of its operands.
func requireNames(t *testing.T, e *fault.Error, c testCase) {
	t.Helper()
	require.Contains(t, e.Error(), c.op.Name)
	for _, a := range c.in {
		require.Contains(t, e.Error(), fault.FormatShape(a.shape))
	}
}

func TestMistakesNameTheLineOfTheCall(t *testing.T) {
	env := newEnv(t, "perdevice")
	a, b := newArray(dtype.Float32, []int{3, 2}).tensor(env), newArray(dtype.Float64, []int{4, 2}).tensor(env)
	_, _, line, _ := runtime.Caller(0)
	e := mistake(t, func() { Invoke(Add, nil, a, b) })
	require.Equal(t, fmt.Sprintf("weft: add: shapes (3,2) and (4,2) do not broadcast (axis 0: 3 against 4) "+
		"[float64 (3,2), float64 (4,2)] on cpu(0) at mistakes_test.go:%d", line+1), e.Error())
	require.ErrorIs(t, e, fault.ErrShape)
}

func TestMistakenShapesAndParametersAreErrors(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, op := range All() {
		for _, s := range operators[op.Name].bad {
			dtypes := dtypesOf(op)
			d := dtypes[len(dtypes)-1] // No operand of it is cast, as a float16 may be.
			t.Run(fmt.Sprintf("%s %s", op.Name, describe(s)), func(t *testing.T) {
				c := testCase{op: op, sample: s, dtype: d}
				for i, shape := range s.Shapes {
					a := newArray(d, shape)
					if fixed, ok := operators[op.Name].fixed[i]; ok {
						a.dtype = fixed
					}
					c.in = append(c.in, a)
				}
				pushed := env.engine.Stats().Pushed
				requireNames(t, mistake(t, func() { c.call(env, c.place(env, rowMajor)) }), c)
				require.Equal(t, pushed, env.engine.Stats().Pushed, "something was pushed")
			})
		}
	}
}

func TestMistakenOperandsAreErrors(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, op := range All() {
		if len(op.Inputs) == 0 {
			e := mistake(t, func() { Invoke(op, op.Samples[0].Params) })
			require.ErrorContains(t, e, op.Name+": without operands nothing tells where to run")
			e = mistake(t, func() { Invoke(op, op.Samples[0].Params, newArray(dtype.Float32, nil).tensor(env)) })
			require.ErrorContains(t, e, "1 operands given")
			continue
		}
		c := newCase(op, op.Samples[0], dtypesOf(op)[0])
		operands := c.place(env, rowMajor)
		t.Run(op.Name, func(t *testing.T) {
			require.ErrorIs(t, mistake(t, func() { Invoke(op, c.sample.Params) }), fault.ErrMisuse, "no operands")
			require.ErrorContains(t, mistake(t, func() { InvokeIn(env, op, c.sample.Params) }), "0 operands given", "no operands")
			for i := range operands {
				missing := slices.Clone(operands)
				missing[i] = nil
				require.ErrorContains(t, mistake(t, func() { Invoke(op, c.sample.Params, missing...) }), fmt.Sprintf("%s: operand %d is nil", op.Name, i))
			}
			if !op.variadic() {
				e := mistake(t, func() { Invoke(op, c.sample.Params, append(operands[:len(operands):len(operands)], operands[0])...) })
				require.ErrorContains(t, e, fmt.Sprintf("%s: %d operands given", op.Name, len(operands)+1))
			}
		})
	}
}

func TestMistakenTypesAreErrors(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, op := range All() {
		for _, d := range dtype.All() {
			if len(op.Inputs) == 0 || op.Accepts == nil && !hasFixed(op) || slices.Contains(dtypesOf(op), d) {
				continue
			}
			t.Run(fmt.Sprint(op.Name, " ", d), func(t *testing.T) {
				c := newCase(op, op.Samples[0], dtypesOf(op)[0])
				c.imag = nil
				for i := range c.in {
					c.in[i].dtype = d // the labels and indices, too
				}
				operands := c.place(env, rowMajor)
				defer func() {
					if e, ok := recover().(*fault.Error); ok {
						require.ErrorIs(t, e, fault.ErrDType)
						require.Regexp(t, `^weft: .*`+d.String()+`.* at cases_test\.go:\d+$`, e.Error())
						return
					}
					require.True(t, convertible(d) || hasFixed(op) && d.IsInteger(), "%v was taken", d)
				}()
				for _, x := range c.call(env, operands) {
					if _, err := bytesOf(x); err != nil { // The numbers that d makes of floats may not be legal, as those of singular matrices.
						require.ErrorIs(t, err, fault.ErrParameter)
					}
				}
			})
		}
	}
}

func hasFixed(op *Operator) bool { return operators[op.Name].fixed != nil }

// convertible reports whether operands of type d may be converted to one that arithmetic is defined for.
func convertible(d dtype.DType) bool { return slices.Contains(castable, d) }

func TestParametersOfAnotherTypeAreErrors(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, op := range All() {
		c := newCase(op, op.Samples[0], dtypesOf(op)[0])
		c.sample.Params = struct{ Nonsense int }{}
		require.ErrorIs(t, mistake(t, func() { c.call(env, c.place(env, rowMajor)) }), fault.ErrParameter, op.Name)
		if op.Params != nil {
			c.sample.Params = nil
			require.ErrorIs(t, mistake(t, func() { c.call(env, c.place(env, rowMajor)) }), fault.ErrParameter, op.Name)
		}
	}
}

// TestMistakesChangeNothing calls with a released operand behind one that would be updated.
func TestMistakesChangeNothing(t *testing.T) {
	env := simOf(newEnv(t, "perdevice"))
	vector := func(v float64) *Tensor { return array{dtype.Float32, []int{1}, []float64{v}, nil}.tensor(env) }
	weight, velocity, gradient := vector(1), vector(2), vector(3)
	gradient.Release()
	before := weight.view.Synced.Var().Sequence()
	mistake(t, func() { Invoke(SGD, SGDParams{LearningRates: []float64{1}}, weight, velocity, gradient) })
	require.Equal(t, before, weight.view.Synced.Var().Sequence())
	require.Equal(t, []float64{1}, valuesOf(t, weight))
	require.Equal(t, []float64{2}, valuesOf(t, velocity))
}
