package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/autograd"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestGradientsAreWrittenOrAddedToDestinations(t *testing.T) {
	x, y := nd.FromSlice([]float64{1, 2}), nd.FromSlice([]float64{5})
	g := []*nd.Array{nd.Full(7.0, 2), nd.Full(7.0, 1)}
	into := func(write func(t *autograd.Tape, loss *nd.Array)) {
		tape := autograd.NewTape()
		write(tape, tape.Watch(x).Square().Mul(tape.Watch(y)).Sum())
	}
	into(func(t *autograd.Tape, loss *nd.Array) { t.GradientInto(g, loss, x, y) })
	require.Equal(t, []float64{10, 20}, values(t, g[0]))
	require.Equal(t, []float64{5}, values(t, g[1]))
	for range 2 {
		into(func(t *autograd.Tape, loss *nd.Array) { t.GradientAddInto(g, loss, x, y) })
	}
	require.Equal(t, []float64{30, 60}, values(t, g[0]))
	require.Equal(t, []float64{15}, values(t, g[1]))
	into(func(t *autograd.Tape, loss *nd.Array) { t.GradientAddInto([]*nd.Array{g[0], g[0]}, loss, x, x) })
	require.Equal(t, []float64{50, 100}, values(t, g[0]), "one destination for a source named twice")
	into(func(t *autograd.Tape, loss *nd.Array) { t.GradientAddInto([]*nd.Array{x}, loss, x) })
	require.Equal(t, []float64{11, 22}, values(t, x), "a step into what the tape has saved")
}

func TestDestinationsThatDoNotFitLeaveTheTapeUnused(t *testing.T) {
	x := nd.FromSlice([]float64{1, 2})
	tape := autograd.NewTape()
	loss := tape.Watch(x).Square().Sum()
	cases := map[string]struct {
		dsts []*nd.Array
		want error
	}{
		"none":    {nil, fault.ErrMisuse},
		"nil":     {[]*nd.Array{nil}, fault.ErrMisuse},
		"shape":   {[]*nd.Array{nd.Zeros[float64](3)}, fault.ErrShape},
		"dtype":   {[]*nd.Array{nd.Zeros[float32](2)}, fault.ErrDType},
		"device":  {[]*nd.Array{nd.Zeros[float64](2).To(device.Sim(0))}, fault.ErrDevice},
		"watched": {[]*nd.Array{autograd.NewTape().Watch(x)}, fault.ErrMisuse},
	}
	for name, c := range cases {
		for _, call := range []func(){func() { tape.GradientInto(c.dsts, loss, x) }, func() { tape.GradientAddInto(c.dsts, loss, x) }} {
			err := nd.Try(call)
			require.ErrorIs(t, err, c.want, name)
			require.Contains(t, err.Error(), "accumulate_test.go", name)
		}
	}
	require.Equal(t, []float64{2, 4}, values(t, tape.Gradient(loss, x)[0]))
}
