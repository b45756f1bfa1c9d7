package autograd_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/storage"
)

// TestUsedTapesHoldNothing keeps a tape and a loss alive, and counts the memory of what went into them.
func TestUsedTapesHoldNothing(t *testing.T) {
	const elements = 1 << 16
	place, size := device.Sim(1), int64(elements*8)
	failing := &autograd.Function{
		Name:     "failing",
		Forward:  func(in []*nd.Array) (outputs, saved []*nd.Array) { return []*nd.Array{in[0].Square()}, in },
		Backward: func(_, _ []*nd.Array) []*nd.Array { return nil },
	}
	for name, end := range map[string]func(tape *autograd.Tape, loss *nd.Array){
		"gradient": func(tape *autograd.Tape, loss *nd.Array) { tape.Gradient(loss) },
		"close":    func(tape *autograd.Tape, _ *nd.Array) { tape.Close() },
		"panic in the middle of a gradient": func(tape *autograd.Tape, loss *nd.Array) {
			x := nd.Ones[float64](1)
			loss = failing.Call(tape.Watch(x).To(place))[0].Add(loss)
			require.ErrorIs(t, nd.Try(func() { tape.Gradient(loss.Sum(), x) }), fault.ErrMisuse)
		},
	} {
		t.Run(name, func(t *testing.T) {
			tape := autograd.NewTape()
			loss := func() *nd.Array {
				x := tape.Watch(nd.Full(0.5, elements).To(place).Copy())
				for range 3 {
					x = x.Exp()
				}
				return x.Sum()
			}()
			_, err := nd.Values[float64](loss)
			require.NoError(t, err)
			require.GreaterOrEqual(t, heldOn(place, 4*size+1<<12), 4*size, "the source and three results")
			end(tape, loss)
			require.Less(t, heldOn(place, size-1), size)
			runtime.KeepAlive(tape)
			runtime.KeepAlive(loss)
		})
	}
}

// TestTheBackwardPassLetsGoOfWhatItHasUsed counts memory within the pass: the gradient of the first function of a chain is taken last.
func TestTheBackwardPassLetsGoOfWhatItHasUsed(t *testing.T) {
	const elements, links = 1 << 16, 8
	place, size := device.Sim(1), int64(elements*8)
	require.LessOrEqual(t, heldOn(place, 1<<12), int64(1<<12))
	within := int64(-1)
	first := &autograd.Function{
		Name:    "first",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) { return []*nd.Array{in[0].Exp()}, nil },
		Backward: func(_, upstream []*nd.Array) []*nd.Array {
			require.NoError(t, upstream[0].Wait(t.Context()))
			within = heldOn(place, 3*size+1<<12)
			return []*nd.Array{upstream[0].Copy()}
		},
	}
	tape, x := autograd.NewTape(), nd.Full(0.5, elements).To(place).Copy()
	loss := func() *nd.Array {
		y := first.Call(tape.Watch(x))[0]
		for range links {
			y = y.Tanh()
		}
		return y.Sum()
	}()
	require.NoError(t, loss.Wait(t.Context()))
	require.GreaterOrEqual(t, heldOn(place, (links+1)*size+1<<12), (links+1)*size, "the source, and the result of each link")
	require.NoError(t, tape.Gradient(loss, x)[0].Wait(t.Context()))
	require.GreaterOrEqual(t, within, int64(0))
	require.LessOrEqual(t, within, 3*size+1<<12, "the source, the gradient, and what the last rule looked at")
	runtime.KeepAlive(tape)
	runtime.KeepAlive(loss)
}

// inUseOn returns what is in use on d when all that was called is done. The collector does not run meanwhile.
func inUseOn(t *testing.T, d device.Device) int64 {
	require.NoError(t, nd.DefaultEnv().Engine().WaitAll(t.Context()))
	return storage.Usage()[d.String()].InUse
}

func TestWhatABackwardPassMakesOnItsWayGoesBackWithoutTheCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const elements = 1 << 16
	place, size := device.Sim(1), int64(elements*8)
	x := nd.Full(0.5, elements).To(place).Copy()
	for name, f := range map[string]function{
		"a chain":         func(x *nd.Array) *nd.Array { return x.Exp().Tanh().Exp() },
		"sums of paths":   func(x *nd.Array) *nd.Array { return x.Exp().Mul(x.Square()).Add(x).Add(x.Exp()) },
		"views":           func(x *nd.Array) *nd.Array { return x.Reshape(256, 256).T().Exp().Reshape(elements).Mul(x) },
		"passed on twice": func(x *nd.Array) *nd.Array { y := x.Exp(); return y.Add(y).Add(x).MulScalar(2) },
	} {
		t.Run(name, func(t *testing.T) {
			want := values(t, slope(f, x))
			tape := autograd.NewTape()
			loss := f(tape.Watch(x)).Sum()
			before := inUseOn(t, place)
			gradients := tape.Gradient(loss, x)
			require.LessOrEqual(t, inUseOn(t, place), before+size+size/4, "the gradient alone is new, and numbers")
			require.Equal(t, want, values(t, gradients[0]))
		})
	}
}

func TestFunctionsMayKeepTheGradientsThatTheySee(t *testing.T) {
	const elements = 1 << 16
	var seen []*nd.Array
	keeping := &autograd.Function{
		Name:    "keeping",
		Forward: func(in []*nd.Array) (outputs, saved []*nd.Array) { return []*nd.Array{in[0].MulScalar(2)}, nil },
		Backward: func(_, upstream []*nd.Array) []*nd.Array {
			seen = upstream
			return []*nd.Array{upstream[0].MulScalar(2)}
		},
	}
	tape, x := autograd.NewTape(), nd.Full(3.0, elements)
	loss := keeping.Call(tape.Watch(x))[0].Square().Sum()
	gradient := tape.Gradient(loss, x)[0]
	require.Equal(t, 24.0, values(t, gradient)[elements-1])
	require.Equal(t, 12.0, values(t, seen[0])[elements-1])
}

func TestHigherOrdersUseWhatInnerPassesHaveMade(t *testing.T) {
	const elements = 1 << 16
	outer, x := autograd.NewTape(), nd.Full(2.0, elements)
	watched := outer.Watch(x)
	inner := autograd.NewTape()
	first := inner.Gradient(inner.Watch(watched).Square().Mul(watched).Sum(), watched)[0]
	require.Equal(t, 8.0, values(t, first)[0]) // of x²·x with x² alone watched: 2x·x
	second := outer.Gradient(first.Sum(), x)[0]
	require.Equal(t, 8.0, values(t, second)[elements-1])
}
