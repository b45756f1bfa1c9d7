package train_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/data"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
	"github.com/weft-nd/weft/optim"
	"github.com/weft-nd/weft/train"
)

func TestLossThatIsNotFiniteNamesTheOperatorAndLeavesTheModel(t *testing.T) {
	last := func(e *train.Event) bool { return e.Kind == train.Stepped && e.Step == 8 }
	// badly changes the model before step 9.
	badly := func(change func(tr *train.Trainer)) func(*train.Trainer) {
		return with(train.Func(func(_ context.Context, e *train.Event) error {
			if last(e) {
				change(e.Trainer)
			}
			return nil
		}))
	}
	scale, turn := nd.Ones[float32](1), nd.Ones[complex64](1)
	for name, c := range map[string]struct {
		change   func(*train.Trainer)
		operator string
		origin   string
	}{
		"logarithm of zero": {badly(func(tr *train.Trainer) {
			nd.Set(scale, float32(0), 0)
		}), "log", "the first result that is not finite is that of log of float32 (8,3) at finite_test.go:"},
		"overflow of complex numbers": {badly(func(tr *train.Trainer) {
			nd.Set(turn, complex64(1e30i), 0)
		}), "square", "the first result that is not finite is that of square of complex64 (8,3) at finite_test.go:"},
		"overflow in the model": {badly(func(tr *train.Trainer) {
			for name, p := range tr.Model.Named() {
				if name == "4.weight" {
					nd.CopyInto(p, nd.Full[float32](3e38, 8, classes))
				}
			}
		}), "linear", "the first result that is not finite is that of linear"},
		"parameter": {badly(func(tr *train.Trainer) {
			for name, p := range tr.Model.Named() {
				if name == "0.bias" {
					nd.CopyInto(p, nd.Full(float32(math.NaN()), 8))
				}
			}
		}), "", "the parameter 0.bias has elements that are not finite already"},
		"batch": {func(tr *train.Trainer) {
			seen := 0
			tr.Loader = data.NewLoader(data.Map(newSet(tr.Env), func(b data.Batch) (data.Batch, error) {
				if seen++; seen == 9 {
					b.Inputs = b.Inputs.MulScalar(math.Inf(1))
				}
				return b, nil
			}), size)
		}, "", "the batch has elements that are not finite"},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, func(t *testing.T, way func(*train.Trainer)) {
				nd.Set(scale, float32(1), 0)
				nd.Set(turn, complex64(1i), 0)
				var before map[string][]byte
				tr := newTrainer(way, func(tr *train.Trainer) {
					tr.Loss = func(outputs, labels *nd.Array) *nd.Array {
						logarithm := outputs.Square().AddScalar(1).Mul(scale).Log().Mean()
						return nn.SoftmaxCrossEntropy(outputs, labels).Add(logarithm).Add(outputs.Mul(turn).Square().Abs().Mean())
					}
				}, c.change, with(train.Func(func(_ context.Context, e *train.Event) error {
					if last(e) {
						before = bits(t, e.Trainer)
					}
					return nil
				})))
				err := tr.Fit(context.Background(), 4)
				var problem *train.NotFinite
				require.ErrorAs(t, err, &problem)
				require.Equal(t, 9, problem.Step)
				require.Equal(t, 2, problem.Epoch)
				require.Equal(t, c.operator, problem.Operator)
				require.ErrorContains(t, err, c.origin)
				require.True(t, math.IsNaN(problem.Loss) || math.IsInf(problem.Loss, 0))
				after := bits(t, tr)
				for name := range before {
					if name != "generator" { // that draws for a step that fails too
						require.Equal(t, before[name], after[name], name)
					}
				}
			})
		})
	}
}

// TestLargeGradientsAreStepsLikeOthers has gradients that are finite, but no sums of them.
func TestLargeGradientsAreStepsLikeOthers(t *testing.T) {
	ways(t, func(t *testing.T, way func(*train.Trainer)) {
		large := func(tr *train.Trainer) {
			tr.Optimiser = optim.NewSGD(nn.Params(tr.Model), 1e-38)
			tr.Loss = func(outputs, labels *nd.Array) *nd.Array {
				return nn.SoftmaxCrossEntropy(outputs, labels).MulScalar(1e38)
			}
		}
		got, want, sums := newTrainer(way, large), newTrainer(large), 0
		got.Gradients = func(gradients []*nd.Array) {
			for _, g := range gradients {
				require.True(t, finite(t, g))
				if !finite(t, g.Asum()) {
					sums++
				}
			}
		}
		require.Equal(t, handMade(t, want, 1), bits(t, fit(t, got, 1)))
		require.Positive(t, sums)
	})
}

func finite(t *testing.T, a *nd.Array) bool {
	ok, err := nd.Item[bool](a.IsFinite().AllTrue())
	require.NoError(t, err)
	return ok
}
