package ops

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
)

// TestRecurrentOperatorsCarryWhatIsNoNumberAsTheReferenceDoes puts NaN and infinities into one element of each operand in turn.
func TestRecurrentOperatorsCarryWhatIsNoNumberAsTheReferenceDoes(t *testing.T) {
	env := newEnv(t, "perdevice")
	for _, op := range []*Operator{LSTM, LSTMInference, LSTMGradient, GRU, GRUInference, GRUGradient, RNN, RNNGradient} {
		for i, name := range op.Inputs {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				t.Run(fmt.Sprint(op.Name, " ", name, " ", v), func(t *testing.T) {
					c := newCase(op, op.Samples[0], dtype.Float64)
					if c.in[i].dtype == dtype.Int64 {
						return
					}
					c.in[i].values[0] = v
					want := c.row.reference(c.in, c.sample.Params)
					for j, got := range c.call(env, c.place(env, rowMajor)) {
						for k, x := range valuesOf(t, got) {
							w := want[j].values[k]
							require.True(t, math.Abs(x-w) < 1e-12 || x == w || math.IsNaN(x) && math.IsNaN(w), "result %d element %d is %v, want %v", j, k, x, w)
						}
					}
				})
			}
		}
	}
}

func TestLengthsThatAreNotInt64AreErrors(t *testing.T) {
	env := newEnv(t, "naive")
	for _, op := range []*Operator{LSTM, GRU, RNN, LSTMGradient, GRUGradient, RNNGradient} {
		c := newCase(op, op.Samples[0], dtype.Float32)
		for i := range c.in {
			if c.in[i].dtype == dtype.Int64 {
				c.in[i].dtype = dtype.Int32
			}
		}
		require.ErrorIs(t, mistake(t, func() { c.call(env, c.place(env, rowMajor)) }), fault.ErrDType)
	}
}
