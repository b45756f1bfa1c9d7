package optim_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/optim"
)

// constructors are those of the rules, with all that their states have.
var constructors = map[string]func(params []*nd.Array) *optim.Optimiser{
	"sgd":   func(p []*nd.Array) *optim.Optimiser { return optim.NewSGD(p, 0.1, optim.Momentum(0.9)) },
	"adam":  func(p []*nd.Array) *optim.Optimiser { return optim.NewAdam(p, 0.1, optim.WeightDecay(0.1, p[0])) },
	"adamw": func(p []*nd.Array) *optim.Optimiser { return optim.NewAdamW(p, 0.1) },
	"rmsprop": func(p []*nd.Array) *optim.Optimiser {
		return optim.NewRMSProp(p, 0, optim.Momentum(0.5), optim.Scheduled(optim.WarmUp(3, optim.StepDecay(0.1, 0.5, 2))))
	},
}

// An optimiser with the state of another makes its steps, to the bit.
func TestStatesContinueWhereTheyWereTaken(t *testing.T) {
	for format, through := range map[string]func(path string, arrays map[string]*nd.Array) (map[string]*nd.Array, error){
		"memory": func(_ string, arrays map[string]*nd.Array) (map[string]*nd.Array, error) { return arrays, nil },
		"npz": func(path string, arrays map[string]*nd.Array) (map[string]*nd.Array, error) {
			require.NoError(t, nd.SaveNPZ(path, arrays))
			return nd.LoadNPZ(path)
		},
		"safetensors": func(path string, arrays map[string]*nd.Array) (map[string]*nd.Array, error) {
			require.NoError(t, nd.SaveSafetensors(path, arrays, nil))
			arrays, _, err := nd.LoadSafetensors(path)
			return arrays, err
		},
	} {
		for name, construct := range constructors {
			for _, set := range []bool{false, true} {
				t.Run(fmt.Sprint(name, "/", format, " ", set), func(t *testing.T) {
					params := []*nd.Array{nd.FromSlice([]float32{1, -2, 3}), nd.Full[float32](0.5)}
					steps := func(o *optim.Optimiser, from, to int) {
						for step := from; step < to; step++ {
							g := []*nd.Array{nd.FromSlice([]float32{float32(step), -1, 0.25}), nd.Full[float32](0.1)}
							require.NoError(t, o.Step(context.Background(), g))
						}
					}
					first := construct(params)
					steps(first, 0, 4)
					if set {
						first.SetLearningRate(0.0321)
					}
					state, err := through(filepath.Join(t.TempDir(), "state"), first.State())
					require.NoError(t, err)
					copies := []*nd.Array{params[0].Copy(), params[1].Copy()}
					second := construct(copies)
					require.NoError(t, second.SetState(state))
					require.Equal(t, 4, second.Steps())
					require.Equal(t, first.LearningRate(), second.LearningRate())
					steps(first, 4, 8)
					steps(second, 4, 8)
					for i := range params {
						want, err := params[i].MarshalBinary()
						require.NoError(t, err)
						got, err := copies[i].MarshalBinary()
						require.NoError(t, err)
						require.Equal(t, want, got)
					}
				})
			}
		}
	}
}

func TestStateBeforeTheRateWasSetGoesBackToTheSchedule(t *testing.T) {
	opt := optim.NewSGD([]*nd.Array{nd.Ones[float32](2)}, 0, optim.Scheduled(optim.Constant(0.5)))
	before := opt.State()
	opt.SetLearningRate(3)
	require.Equal(t, 3.0, opt.LearningRate())
	require.NoError(t, opt.SetState(before))
	require.Equal(t, 0.5, opt.LearningRate())
}

func TestStateThatDoesNotFitIsRefusedAndChangesNothing(t *testing.T) {
	construct := func() *optim.Optimiser { return optim.NewSGD([]*nd.Array{nd.Ones[float32](2)}, 0.1) }
	for name, c := range map[string]struct {
		change func(state map[string]*nd.Array)
		text   string
	}{
		"missing":        {func(s map[string]*nd.Array) { delete(s, "0.velocity") }, "no array 0.velocity"},
		"too much":       {func(s map[string]*nd.Array) { s["1.velocity"] = nd.Ones[float32](2) }, "array 1.velocity, of another rule"},
		"another shape":  {func(s map[string]*nd.Array) { s["0.velocity"] = nd.Ones[float32](3) }, "shape \\[3\\]"},
		"another dtype":  {func(s map[string]*nd.Array) { s["0.velocity"] = nd.Ones[float64](2) }, "float64"},
		"no steps":       {func(s map[string]*nd.Array) { delete(s, "steps") }, "no int64 number steps"},
		"rate no number": {func(s map[string]*nd.Array) { s["rate"] = nd.FromSlice([]float64{math.NaN()}, []int{}...) }, "rate is NaN"},
		"rate of array":  {func(s map[string]*nd.Array) { s["rate"] = nd.Ones[float64](1) }, "rate has shape \\[1\\]"},
		"in error": {func(s map[string]*nd.Array) {
			s["0.velocity"] = nd.Ones[float32](3).Take(nd.FromSlice([]int64{0, 9}), 0)
		}, "array 0.velocity: .*index 9"},
		"negative steps": {func(s map[string]*nd.Array) { s["steps"] = nd.FromSlice([]int64{-1}, []int{}...) }, "-1 steps"},
	} {
		t.Run(name, func(t *testing.T) {
			opt, other := construct(), construct()
			require.NoError(t, other.Step(context.Background(), []*nd.Array{nd.Ones[float32](2)}))
			state := other.State()
			c.change(state)
			require.Regexp(t, c.text, opt.SetState(state).Error())
			require.Zero(t, opt.Steps())
			velocity, err := nd.Values[float32](opt.State()["0.velocity"])
			require.NoError(t, err)
			require.Equal(t, []float32{0, 0}, velocity)
		})
	}
}
