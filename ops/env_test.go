package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/profile"
	"github.com/weft-nd/weft/resource"
)

func vector(env *Env, v ...float64) *Tensor {
	return array{dtype.Float64, []int{len(v)}, v, nil}.tensor(env)
}

func TestResultsBelongToTheEngineAndDeviceOfTheirOperands(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, place := range []*Env{env, simOf(env), env.WithDevice(device.Sim(1))} {
		y := Invoke(Add, nil, vector(place, 1), vector(place, 2))[0]
		require.Equal(t, place.Device(), y.Device())
		require.Same(t, env.engine, y.Env().Engine())
		require.Equal(t, []float64{3}, valuesOf(t, y))
	}
}

func TestOperandsOfTwoEnginesDoNotMeet(t *testing.T) {
	a, b := newEnv(t, "perdevice"), newEnv(t, "naive")
	for _, other := range []*Tensor{vector(b, 1), Scalar(b, 1, dtype.Float64)} {
		e := mistake(t, func() { Invoke(Add, nil, vector(a, 1), other) })
		require.ErrorContains(t, e, "two engines")
		require.ErrorIs(t, e, fault.ErrDevice)
	}
	require.ErrorContains(t, mistake(t, func() { vector(a, 1).In(b) }), "engine")
}

func TestOperandsOnTwoDevicesDoNotMeet(t *testing.T) {
	env := newEnv(t, "perdevice")
	e := mistake(t, func() { Invoke(Add, nil, vector(env, 1), vector(simOf(env), 1)) })
	require.ErrorContains(t, e, "the operands are on cpu(0) and sim(0)")
	require.ErrorIs(t, e, fault.ErrDevice)
}

func TestScalarsGoWhereTheirFellowOperandsAre(t *testing.T) {
	env := newEnv(t, "perdevice")
	two := Scalar(env, 2, dtype.Float64)
	for _, place := range []*Env{env, simOf(env)} {
		for _, operands := range [][]*Tensor{{vector(place, 3), two}, {two, vector(place, 3)}} {
			y := Invoke(Mul, nil, operands...)[0]
			require.Equal(t, place.Device(), y.Device())
			require.Equal(t, []float64{6}, valuesOf(t, y))
		}
	}
	require.Equal(t, device.CPU(0), Invoke(Mul, nil, two, two)[0].Device())
	require.Equal(t, []float64{-2}, valuesOf(t, Invoke(Mul, nil, Scalar(env, -1.9, dtype.Int64), array{dtype.Int64, []int{}, []float64{2}, nil}.tensor(env))[0]))
}

func TestScalarsAdaptToTheTypeOfTheirFellowOperands(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, c := range []struct{ array, scalar, want dtype.DType }{
		{dtype.Float32, dtype.Float64, dtype.Float32}, {dtype.Float64, dtype.Float32, dtype.Float64}, {dtype.Float32, dtype.Int64, dtype.Float32},
		{dtype.Int64, dtype.Int64, dtype.Int64}, {dtype.Int64, dtype.Uint8, dtype.Int64}, {dtype.Int64, dtype.Float64, dtype.Float64}, {dtype.Bool, dtype.Int64, dtype.Int64},
		{dtype.Bool, dtype.Float32, dtype.Float32}, {dtype.Float32, dtype.Bool, dtype.Float32},
	} {
		x, s := array{c.array, []int{1}, []float64{1}, nil}.tensor(env), Scalar(env, 1, c.scalar)
		for _, operands := range [][]*Tensor{{x, s}, {s, x}} {
			y := Invoke(Add, nil, operands...)[0]
			require.Equal(t, c.want, y.DType(), "%v with the scalar %v", c.array, c.scalar)
			require.Equal(t, []float64{2}, valuesOf(t, y))
		}
	}
	for _, operands := range [][]*Tensor{
		{Scalar(env, 1, dtype.Float32), Scalar(env, 1, dtype.Float64)}, {Scalar(env, 1, dtype.Float64), Scalar(env, 1, dtype.Float32)},
	} {
		require.Equal(t, dtype.Float64, Invoke(Add, nil, operands...)[0].DType(), "scalars among themselves")
	}
}

func TestMovingToAnotherDeviceKeepsTheContents(t *testing.T) {
	env := newEnv(t, "perdevice")
	x := vector(env, 1, 2)
	moved := x.In(simOf(env))
	y := Invoke(Square, nil, moved)[0]
	InvokeInto(Neg, nil, []*Tensor{moved}, moved)
	require.Equal(t, []float64{1, 4}, valuesOf(t, y))
	require.Equal(t, []float64{-1, -2}, valuesOf(t, x), "both handles see one array")
	require.Equal(t, device.Sim(0), y.Device())
}

func TestDevicesThatAreNotThereAreErrors(t *testing.T) {
	env := newEnv(t, "naive")
	e := mistake(t, func() { env.WithDevice(device.Sim(99)) })
	require.ErrorIs(t, e, fault.ErrDevice)
	require.ErrorContains(t, e, "sim(99)")
}

// blocked returns a Tensor that is not there before release is called.
func blocked(t *testing.T, env *Env) (x *Tensor, release func()) {
	gate := make(chan struct{})
	x = vector(env, 1)
	op := &engine.Operation{
		Name: "gate", Host: true, Accesses: []engine.Access{{Var: x.view.Synced.Var(), Mode: engine.Update}},
		Function: engine.FunctionOf(func(*engine.RunContext) error {
			<-gate
			return nil
		}),
	}
	env.engine.Push(op)
	release = func() { close(gate) }
	return x, release
}

func TestOperatorsNotStartedCarryTheCauseOfTheirScope(t *testing.T) {
	reason := errors.New("the user went home")
	for _, kind := range []string{"perdevice", "naive"} {
		for _, on := range []device.Device{device.CPU(0), device.Sim(0)} {
			t.Run(fmt.Sprint(kind, on), func(t *testing.T) {
				env := newEnv(t, kind).WithDevice(on)
				ctx, cancel := context.WithCancelCause(context.Background())
				x, release := blocked(t, env)
				scoped := env.WithScope(ctx)
				running := Invoke(Add, nil, x, vector(env, 1))[0]
				cancelled := Invoke(Add, nil, x, vector(scoped, 1))[0]
				result := Invoke(Neg, nil, cancelled)[0]
				cancel(reason)
				release()
				require.Equal(t, []float64{2}, valuesOf(t, running), "an operator without the scope runs")
				for range 2 {
					for _, y := range []*Tensor{cancelled, result} {
						require.ErrorIs(t, y.Wait(context.Background()), reason)
					}
				}
				require.Equal(t, []float64{1}, valuesOf(t, x), "the operand is intact")
			})
		}
	}
}

func TestScopesOfOperandsAreUnited(t *testing.T) {
	for ended := range 3 {
		env := newEnv(t, "perdevice")
		x, release := blocked(t, env)
		operands, cancels := []*Tensor{x}, []context.CancelFunc{}
		for range 2 {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			cancels = append(cancels, cancel)
			operands = append(operands, vector(env.WithScope(ctx), 1))
		}
		y := Invoke(Concat, ConcatParams{}, operands...)[0]
		if ended < 2 {
			cancels[ended]()
		}
		release()
		if err := y.Wait(context.Background()); ended < 2 {
			require.ErrorIs(t, err, context.Canceled)
		} else {
			require.NoError(t, err)
		}
	}
}

// TestScopesDoNotGather adds an array of one scope to a sum of another again and again.
func TestScopesDoNotGather(t *testing.T) {
	env := newEnv(t, "perdevice")
	a, cancelA := context.WithCancel(context.Background())
	b, cancelB := context.WithCancel(context.Background())
	defer cancelA()
	defer cancelB()
	sum, x := vector(env.WithScope(a), 0), vector(env.WithScope(b), 1)
	sum = Invoke(Add, nil, sum, x)[0]
	united := sum.env
	for range 100 {
		sum = Invoke(Add, nil, sum, x)[0]
		require.Same(t, united, sum.env)
	}
	require.Equal(t, []float64{101}, valuesOf(t, sum))
	require.Len(t, united.scope, 2)
	require.Empty(t, united.WithoutScope().scope)
}

func TestUnionOfContextsEndsWithTheFirst(t *testing.T) {
	type key struct{}
	reason := errors.New("enough")
	a, cancelA := context.WithCancel(context.WithValue(context.Background(), key{}, "a"))
	defer cancelA()
	b, cancelB := context.WithCancelCause(context.Background())
	u := scope{a, b}.context()
	require.NoError(t, u.Err())
	require.Equal(t, "a", u.Value(key{}))
	derived, cancel := context.WithCancel(u)
	defer cancel()
	require.Equal(t, u.Done(), u.Done())
	cancelB(reason)
	<-u.Done()
	<-derived.Done()
	require.ErrorIs(t, u.Err(), context.Canceled)
	require.Equal(t, reason, context.Cause(u))
	require.Equal(t, "a", u.Value(key{}))
	require.Nil(t, scope{}.context())
}

func TestEnvsDeriveWithoutChangingTheirOrigin(t *testing.T) {
	env := newEnv(t, "naive")
	g := resource.NewGenerator(1)
	derived := simOf(env).WithGenerator(g).WithScope(context.Background())
	require.Same(t, g, derived.Generator())
	require.NotSame(t, g, env.Generator())
	require.Equal(t, device.CPU(0), env.Device())
	require.Empty(t, env.scope)
	require.Equal(t, env.WithSeed(7).Generator().Next(), derived.WithSeed(7).Generator().Next())
}

// order records the names of operations in the order in which they end.
type order struct {
	mu    sync.Mutex
	names []string
}

func (o *order) Observe(r *profile.Record) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names = append(o.names, r.Name)
}

// block keeps a lane of sim(0) busy until release is called.
func block(env *Env, p engine.Property) (release func()) {
	launching, gate := make(chan struct{}), make(chan struct{})
	env.engine.Push(&engine.Operation{Name: "gate", Device: device.Sim(0), Property: p, Function: engine.FunctionOf(func(*engine.RunContext) error {
		close(launching)
		<-gate
		return nil
	})})
	<-launching
	return func() { close(gate) }
}

func TestOperatorsOfHigherPriorityRunFirst(t *testing.T) {
	env := simOf(newEnv(t, "perdevice"))
	x := vector(env, 1, 2)
	require.NoError(t, Invoke(Copy, nil, x)[0].Wait(context.Background()))
	var log order
	defer env.engine.Observe(&log)()
	release := block(env, engine.Normal)
	for _, c := range []struct {
		op       *Operator
		priority int
	}{{Exp, 0}, {Sin, -1}, {Cos, 5}, {Tanh, 3}} {
		InvokeOne(c.op, nil, x.In(env.WithPriority(c.priority)))
	}
	release()
	require.NoError(t, env.engine.WaitAll(context.Background()))
	require.Equal(t, []string{"gate", "cos", "tanh", "exp", "sin"}, log.names)
}

func TestCopiesToADeviceHaveThePriorityOfWhatNeedsThem(t *testing.T) {
	env := newEnv(t, "perdevice")
	var log order
	defer env.engine.Observe(&log)()
	release := block(env, engine.CopyToDevice)
	for i, op := range []*Operator{Exp, Sin, Cos} { // which follow their copies
		InvokeOne(op, nil, vector(env, 1, 2).In(simOf(env).WithPriority(i)))
	}
	release()
	require.NoError(t, env.engine.WaitAll(context.Background()))
	require.Equal(t, []string{"cos", "sin", "exp"}, slices.DeleteFunc(log.names, func(name string) bool { return name == "copy" || name == "gate" }))
}

func TestTheHighestPriorityOfOperandsCounts(t *testing.T) {
	env := newEnv(t, "naive")
	at := func(priority int) *Tensor { return vector(env, 1).In(env.WithPriority(priority)) }
	for _, c := range []struct{ a, b, want int }{{0, 0, 0}, {-2, -1, -1}, {3, 0, 3}, {-1, 0, 0}, {2, 7, 7}} {
		require.Equal(t, c.want, InvokeOne(Add, nil, at(c.a), at(c.b)).Env().Priority())
		require.Equal(t, c.want, InvokeOne(Add, nil, at(c.b), at(c.a)).Env().Priority())
	}
}
