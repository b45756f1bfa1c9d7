package ops

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// TestSavedMemoryIsProtected calls every operator with a gradient under a tape and writes to what it has saved.
func TestSavedMemoryIsProtected(t *testing.T) {
	env := newEnv(t, "perdevice")
	eachGradient(t, []dtype.DType{dtype.Float64}, func(t *testing.T, c testCase) {
		recorder, operands := &tape{}, c.place(env, rowMajor)
		for i, x := range operands {
			operands[i] = recorder.watch(x)
		}
		y := Invoke(c.op, c.sample.Params, operands...)[0]
		record, saved := recorder.records[len(recorder.records)-1], c.op.SavedOf(c.sample.Params)
		write := func(x *Tensor) { InvokeInto(Copy, nil, []*Tensor{x.Detach()}, Invoke(Copy, nil, x.Detach())[0]) }
		for i, x := range operands {
			require.Equal(t, saved.Input(i), record.Inputs[i].Value != nil, "operand %d", i)
			if saved.Input(i) {
				require.ErrorIs(t, mistake(t, func() { write(x) }), fault.ErrSaved)
				require.ErrorIs(t, mistake(t, func() { x.Release() }), fault.ErrSaved)
			} else {
				write(x)
			}
		}
		require.Equal(t, saved.Output(0), record.Outputs[0].Value != nil)
		if saved.Output(0) {
			require.ErrorIs(t, mistake(t, func() { write(y) }), fault.ErrSaved)
		}
		recorder.forget()
		for _, x := range operands {
			write(x)
		}
		if c.op.View == nil {
			write(y)
		}
	})
}

func TestOperandsThatOnlyComplexGradientsLookAtAreSavedIfTheyAreComplex(t *testing.T) {
	env, tried := newEnv(t, "perdevice"), 0
	for _, op := range All() {
		if op.SavesComplex&SaveInputs == 0 {
			continue
		}
		tried++
		for _, x := range []*Tensor{vector(env, 1, 2), complexVector(env, dtype.Complex128, 1, 2i)} {
			recorder := &tape{}
			Invoke(op, nil, recorder.watch(x))
			write := func() { InvokeInto(Neg, nil, []*Tensor{x}, x) }
			if x.DType().IsComplex() {
				require.ErrorIs(t, mistake(t, write), fault.ErrSaved, op.Name)
				recorder.forget()
			}
			write()
		}
	}
	require.NotZero(t, tried)
}

func TestWritingSavedMemoryNamesBothLines(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := vector(env, 1, 2)
	recorder := &tape{}
	watched := recorder.watch(x)
	_, _, line, _ := runtime.Caller(0)
	Invoke(Square, nil, watched)
	e := mistake(t, func() { InvokeInto(Neg, nil, []*Tensor{x}, x) })
	require.Regexp(t, regexp.MustCompile(fmt.Sprintf(`saved this memory at recorder_test\.go:%d .* at recorder_test\.go:%d$`, line+1, line+2)), e.Error())
	require.Equal(t, []float64{1, 2}, valuesOf(t, x))
}

func TestUnwatchedCallsAreNotRecorded(t *testing.T) {
	env := newEnv(t, "perdevice")
	recorder := &tape{}
	x := recorder.watch(vector(env, 1, 2))
	for name, y := range map[string]*Tensor{
		"no operand watched": Invoke(Square, nil, vector(env, 1))[0],
		"detached":           Invoke(Square, nil, x.Detach())[0],
		"without a gradient": Invoke(Greater, nil, x, x)[0],
	} {
		require.Equal(t, -1, y.NodeOf(recorder), name)
		require.Empty(t, recorder.records, name)
	}
	require.Equal(t, 0, x.NodeOf(recorder), "Detach makes another handle")
	closed := &tape{closed: true}
	require.Equal(t, -1, Invoke(Square, nil, closed.watch(vector(env, 1)))[0].NodeOf(closed), "watched by a closed recorder")
	require.Empty(t, closed.records)
	InvokeInto(Neg, nil, []*Tensor{x.Detach()}, x.Detach())
	require.Equal(t, []float64{-1, -2}, valuesOf(t, x))
}

func TestTwoRecordersSeeTheSameCall(t *testing.T) {
	env := newEnv(t, "perdevice")
	first, second := &tape{}, &tape{}
	x := first.watch(second.watch(first.watch(vector(env, 3))))
	require.Equal(t, 1, x.NodeOf(first), "watched again, the node is the new one")
	require.Equal(t, 0, x.NodeOf(second))
	only := second.watch(vector(env, 5))
	y := Invoke(Mul, nil, x, only)[0]
	for _, recorder := range []*tape{first, second} {
		require.GreaterOrEqual(t, y.NodeOf(recorder), 0)
		require.Len(t, recorder.records, 1)
		require.Equal(t, y.NodeOf(recorder), recorder.records[0].Outputs[0].Node)
	}
	saved := first.records[0].Inputs
	require.Equal(t, -1, saved[1].Node, "the first does not watch the second operand")
	require.Equal(t, -1, saved[0].Value.NodeOf(first), "saved values lose the recorder's own node")
	require.Equal(t, 0, saved[0].Value.NodeOf(second), "and keep those of others")
	one := vector(env, 1)
	require.Equal(t, []float64{5}, valuesOf(t, first.gradient(env, []*Tensor{y}, []*Tensor{one}, []*Tensor{x})[0]))
	gradients := second.gradient(env, []*Tensor{y}, []*Tensor{one}, []*Tensor{x, only})
	require.Equal(t, []float64{5}, valuesOf(t, gradients[0]))
	require.Equal(t, []float64{3}, valuesOf(t, gradients[1]))

	first.forget()
	require.ErrorIs(t, mistake(t, func() { x.Release() }), fault.ErrSaved)
	second.forget()
	x.Release()
}

// TestRecordedParametersAreOwn changes a slice of parameters after the call.
func TestRecordedParametersAreOwn(t *testing.T) {
	env := newEnv(t, "perdevice")
	recorder := &tape{}
	x := recorder.watch(made(dtype.Float64, []int{2, 3}, func([]int) float64 { return 1 }).tensor(env))
	axes := []int{1}
	y := Invoke(Sum, ReduceParams{Axes: axes}, x)
	axes[0] = 0
	g := recorder.gradient(env, y, []*Tensor{vector(env, 5, 7)}, []*Tensor{x})[0]
	require.Equal(t, []float64{5, 5, 5, 7, 7, 7}, valuesOf(t, g))
}

func TestCastsOfOperandsAreRecorded(t *testing.T) {
	env := newEnv(t, "perdevice")
	recorder := &tape{}
	x := recorder.watch(array{dtype.Float32, []int{1}, []float64{3}, nil}.tensor(env))
	y := Invoke(Mul, nil, x, vector(env, 4))
	g := recorder.gradient(env, y, []*Tensor{vector(env, 2)}, []*Tensor{x})[0]
	require.Equal(t, dtype.Float32, g.DType())
	require.Equal(t, []float64{8}, valuesOf(t, g))
}

// TestEveryArrayIsRecordedBeforeWhatIsComputedFromIt calls from several goroutines under one tape.
func TestEveryArrayIsRecordedBeforeWhatIsComputedFromIt(t *testing.T) {
	env := newEnv(t, "perdevice")
	recorder := &tape{}
	x := recorder.watch(vector(env, 1, 2, 3))
	var running sync.WaitGroup
	results := make([]*Tensor, 8)
	for i := range results {
		running.Go(func() {
			y := x
			for range 50 {
				y = Invoke(Add, nil, y, x)[0]
			}
			results[i] = y
		})
	}
	running.Wait()
	known := map[int]bool{0: true}
	for _, record := range recorder.records {
		for _, in := range record.Inputs {
			require.True(t, known[in.Node])
		}
		require.False(t, known[record.Outputs[0].Node])
		known[record.Outputs[0].Node] = true
	}
	require.Len(t, recorder.records, 8*50)
	for _, y := range results {
		require.Equal(t, []float64{51, 102, 153}, valuesOf(t, y))
	}
}

func TestRulesMayOnlyLookAtWhatIsSaved(t *testing.T) {
	env := newEnv(t, "perdevice")
	careless := *Neg
	careless.Name, careless.Gradient = "neg", func(r *Rule) { r.Set(0, r.Mul(r.Upstream(), r.Input(0))) }
	recorder := &tape{}
	x := recorder.watch(vector(env, 1))
	y := Invoke(&careless, nil, x)
	require.PanicsWithValue(t, "ops: the gradient of neg looks at operand 0, which is not in Saves", func() {
		recorder.gradient(env, y, []*Tensor{vector(env, 1)}, []*Tensor{x})
	})
}

// TestGradientsBesideNumbersAreThoseOfTheHost gives each operator of two operands a number of another Env, on either side.
func TestGradientsBesideNumbersAreThoseOfTheHost(t *testing.T) {
	host := newEnv(t, "perdevice")
	gradient := func(op *Operator, env *Env, isLeft bool) []float64 {
		recorder := &tape{}
		x := recorder.watch(vector(env, 0.25, 0.5))
		operands := []*Tensor{x, Weak(host, 0.75)}
		if isLeft {
			slices.Reverse(operands)
		}
		g := recorder.gradient(env, Invoke(op, nil, operands...), []*Tensor{vector(env, 1, 1)}, []*Tensor{x})[0]
		if g == nil { // of steps
			return nil
		}
		return valuesOf(t, g)
	}
	for _, op := range All() {
		if op.Form != FormBinary || op.Gradient == nil || !slices.Contains(op.Accepts, dtype.Float64) {
			continue
		}
		for _, isLeft := range []bool{false, true} {
			t.Run(fmt.Sprint(op.Name, isLeft), func(t *testing.T) {
				require.Equal(t, gradient(op, host, isLeft), gradient(op, simOf(host), isLeft))
			})
		}
	}
}
