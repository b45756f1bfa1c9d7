package ops

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// withoutGradient tells of every operator that makes floats of floats and has no gradient why that is so.
var withoutGradient = map[string]string{
	"adam": inItsPlace, "clip_norm": inItsPlace, "rmsprop": inItsPlace, "sgd": inItsPlace, "running_average": inItsPlace, "rescale": inItsPlace, "update": inItsPlace,
	"covariance_factor": "random.MultivariateNormal promises gradients of the mean alone",
	"dirichlet":         "random.Dirichlet promises none",
	"nextafter":         "for the neighbours of a number, not for calculus",
	"normal_replay":     "looks at the place and the shape of its operand alone",
	"unique":            "read back at once, as how many there are is not known before",
	"unique_counts":     "as unique",
}

const inItsPlace = "updates its operands"

// stepped are the operands that tell no more than a sign, of operators whose other operands have a slope.
var stepped = map[string]int{"copysign": 1, "linear_gradient": 2, "relu_gradient": 0}

// ofComplexAlone are the operators whose operands or results are always complex.
var ofComplexAlone = map[*Operator]bool{Complex: true, ImaginaryPart: true, FFT: true, RFFT: true, IRFFT: true, Eigen: true, Eigenvalues: true}

// inFloat64 returns the cases of op in float64.
func inFloat64(op *Operator) (cases []testCase) {
	if op.Accepts != nil && !slices.Contains(op.Accepts, dtype.Float64) {
		return nil
	}
	for _, s := range op.Samples {
		cases = append(cases, newCase(op, s, dtype.Float64))
	}
	return cases
}

func isFloat(a array) bool { return a.dtype.IsFloat() }

func TestOperatorsThatMakeFloatsOfFloatsHaveAGradientOrAReason(t *testing.T) {
	var without []string
	for _, op := range All() {
		if op.Gradient == nil && slices.ContainsFunc(inFloat64(op), func(c testCase) bool {
			return slices.ContainsFunc(c.in, isFloat) && slices.ContainsFunc(c.row.reference(c.in, c.sample.Params), isFloat)
		}) {
			without = append(without, op.Name)
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(withoutGradient)), without)
}

// TestNoGradientIsComparedWithNothing finds, for each operator with a gradient and each of its float operands, a case of the comparisons
// with central differences where the difference is not zero.
func TestNoGradientIsComparedWithNothing(t *testing.T) {
	for _, op := range All() {
		if op.Gradient == nil || ofComplexAlone[op] {
			continue
		}
		all, moving := map[int]bool{}, map[int]bool{}
		for _, c := range inFloat64(op) {
			results := c.row.reference(c.in, c.sample.Params)
			if !isFloat(results[0]) {
				continue
			}
			var up []array
			for i, y := range results {
				if isFloat(y) {
					up = append(up, weights(y.dtype, y.shape, uint64(1+10*i)))
				}
			}
			for i, x := range c.in {
				if !isFloat(x) {
					continue
				}
				all[i] = true
				moving[i] = moving[i] || slices.ContainsFunc(probes(len(x.values)), func(element int) bool {
					return slope(x, element, func() float64 { return c.weighed(up) }) != 0
				})
			}
		}
		require.NotEmpty(t, all, "%s has a gradient, and no sample in float64", op.Name)
		for i, moves := range moving {
			step, isStepped := stepped[op.Name]
			assert.Equal(t, !operators[op.Name].flat && !(isStepped && step == i), moves, "operand %d of %s", i, op.Name)
		}
	}
}

// TestGradientsDoNotDependOnTheLayoutOfOperandsAndUpstream also gives upstream gradients that are views of one number, as those of sums
// are.
func TestGradientsDoNotDependOnTheLayoutOfOperandsAndUpstream(t *testing.T) {
	env := newEnv(t, "perdevice")
	ones := func(y *Tensor) array { return made(y.DType(), y.Shape(), func([]int) float64 { return 1 }) }
	eachGradient(t, []dtype.DType{dtype.Float64}, func(t *testing.T, c testCase) {
		run := func(how layout, upstream func(i int, y *Tensor) *Tensor) (all [][]byte) {
			recorder, operands, up := &tape{}, c.place(env, how), []*Tensor{}
			for i, x := range operands {
				operands[i] = recorder.watch(x)
			}
			y := floatResults(c.call(env, operands))
			for i, result := range y {
				up = append(up, upstream(i, result))
			}
			for _, g := range recorder.gradient(env, y, up, operands) {
				if g == nil {
					all = append(all, nil)
					continue
				}
				all = append(all, mustBytes(t, g))
			}
			return all
		}
		weighted := func(how layout) func(i int, y *Tensor) *Tensor {
			return func(i int, y *Tensor) *Tensor { return weights(y.DType(), y.Shape(), uint64(i)).placed(env, how) }
		}
		want := run(rowMajor, weighted(rowMajor))
		for how := backward; how < layouts; how++ {
			require.Equal(t, want, run(how, weighted(how)), fmt.Sprint(how))
		}
		want = run(rowMajor, func(_ int, y *Tensor) *Tensor { return ones(y).tensor(env) })
		require.Equal(t, want, run(rowMajor, func(_ int, y *Tensor) *Tensor {
			return Invoke(BroadcastTo, BroadcastParams{y.Shape()}, Number(env, 1, y.DType(), nil))[0]
		}), "a view of one number")
	})
}
