package convolution

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

func checkAny[T Float](t *testing.T, rounds int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range rounds {
		s := Shape{Batch: r.IntN(3), Groups: 1 + r.IntN(3), Channels: r.IntN(6), Filters: r.IntN(18), Axes: [3]Axis{NoAxis, NoAxis, NoAxis}}
		for i := 2 - r.IntN(3); i < 3; i++ {
			kernel, dilation := 1+r.IntN(3), 1+r.IntN(2)
			span := (kernel-1)*dilation + 1
			before, behind := r.IntN(4), r.IntN(3)
			s.Axes[i] = axis(max(r.IntN(9), span-before-behind), kernel, 1+r.IntN(3), dilation, before, behind)
		}
		newTrial(s, anyLayouts(r), uniform[T](r)).check(t)
	}
}

func TestConvolutionsEqualTheDefinition(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 5
	}
	checkAny[float32](t, rounds, 1)
	checkAny[float64](t, rounds, 2)
}

// Shapes that reach every kernel, several blocks of a sum, bands, strips and parts.
func TestLargeConvolutionsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	one := [3]Axis{NoAxis, axis(1, 1, 1, 1, 0, 0), axis(5, 3, 1, 1, 1, 1)}
	few := testing.Short()
	for filters := 1; filters <= 17; filters++ {
		if few && filters%5 != 0 {
			continue
		}
		newTrial(Shape{1, 1, filters%4 + 1, filters, one}, [4]layout{}, uniform[float32](r)).check(t)
	}
	for i, s := range []Shape{
		{1, 1, 130, 2, [3]Axis{NoAxis, axis(2, 2, 1, 1, 1, 1), axis(3, 2, 1, 1, 1, 0)}},
		{1, 1, 1, 33, [3]Axis{NoAxis, axis(40, 2, 1, 1, 1, 1), axis(41, 1, 1, 1, 0, 0)}},
		{1, 1, 2, 5, [3]Axis{NoAxis, axis(37, 7, 2, 1, 3, 3), axis(35, 7, 2, 1, 3, 3)}},
		{1, 1, 3, 12, [3]Axis{NoAxis, axis(9, 7, 2, 1, 3, 3), axis(230, 7, 2, 1, 3, 3)}},
		{18, 1, 2, 2, [3]Axis{NoAxis, axis(4, 2, 1, 1, 0, 0), axis(4, 2, 1, 1, 0, 0)}},
		{1, 1, 40, 40, [3]Axis{NoAxis, axis(4, 1, 1, 1, 0, 0), axis(4, 1, 1, 1, 0, 0)}},
		{2, 2, 13, 20, [3]Axis{NoAxis, axis(7, 1, 1, 1, 0, 0), axis(9, 1, 1, 1, 0, 0)}},
		{3, 2, 37, 35, [3]Axis{NoAxis, axis(2, 1, 1, 1, 0, 0), axis(3, 1, 1, 1, 0, 0)}},
		{19, 1, 520, 3, [3]Axis{axis(2, 1, 1, 1, 0, 0), axis(3, 1, 1, 1, 0, 0), axis(2, 1, 1, 1, 0, 0)}},
		{2, 1, 600, 1, [3]Axis{NoAxis, NoAxis, NoAxis}},
		{1, 70, 1, 1, [3]Axis{NoAxis, axis(6, 3, 1, 1, 1, 1), axis(9, 3, 1, 1, 1, 1)}},
		{1, 1, 1, 1, [3]Axis{NoAxis, NoAxis, axis(4000, 9, 1, 3, 4, 4)}},
		{1, 1, 2, 3, [3]Axis{NoAxis, NoAxis, axis(4000, 3, 1, 1, 1, 1)}},
		{2, 1, 1, 40, [3]Axis{NoAxis, axis(20, 2, 1, 1, 0, 0), axis(34, 3, 1, 1, 0, 0)}},
		{1, 1, 70, 9, [3]Axis{NoAxis, axis(4, 3, 1, 1, 1, 0), axis(18, 3, 1, 1, 0, 0)}},
	} {
		if few && i%3 != 0 {
			continue
		}
		newTrial(s, [4]layout{}, uniform[float32](r)).check(t)
		if !few {
			newTrial(s, anyLayouts(r), uniform[float64](r)).check(t)
		}
	}
}

// Depthwise filters of 3 by 3 elements have a kernel of their own, with the bits of the others: those of spread images.
func TestSmallDepthwiseConvolutionsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for width := 1; width <= 36; width += 1 + r.IntN(2) {
		if testing.Short() && width%4 != 0 {
			continue
		}
		before, behind := r.IntN(4), r.IntN(3)
		columns := axis(max(width, 3-before-behind), 3, 1, 1, before, behind)
		before, behind = r.IntN(4), r.IntN(3)
		s := Shape{2, 3, 1, 1, [3]Axis{NoAxis, axis(max(r.IntN(7), 3-before-behind), 3, 1, 1, before, behind), columns}}
		checkDepthwise[float32](t, r, s)
		checkDepthwise[float64](t, r, s)
	}
}

func checkDepthwise[T Float](t *testing.T, r *rand.Rand, s Shape) {
	x := newTrial(s, [4]layout{}, uniform[T](r))
	x.check(t)
	other := newTrial(s, [4]layout{spread, turned, spread, spread}, func() T { return 0 })
	for to, from := range map[*placed[T]]*placed[T]{other.data: x.data, other.weights: x.weights, other.result: x.result, other.bias: x.bias} {
		each(to.shape, func(index [5]int) { *to.at(index) = *from.at(index) })
	}
	for _, d := range directions[T]() {
		require.True(t, sameBits(x.run(t, d, 2), other.run(t, d, 2)), "%s: %v", d.name, s)
	}
}

func TestWinogradConvolutionsEqualTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, c := range [][2]Axis{
		{axis(4, 3, 1, 1, 1, 1), axis(5, 3, 1, 1, 1, 1)}, {axis(9, 3, 1, 1, 0, 0), axis(6, 3, 1, 1, 2, 0)}, {axis(4, 3, 1, 1, 2, 5), axis(36, 3, 1, 1, 0, 1)},
	} {
		if testing.Short() && c[0].Data != 9 {
			continue
		}
		s := Shape{1, 1, 16 + r.IntN(4), 16 + r.IntN(20), [3]Axis{NoAxis, c[0], c[1]}}
		require.True(t, s.isWinograd())
		newTrial(s, anyLayouts(r), uniform[float32](r)).check(t)
	}
}

// checkShapes compares what is computed, from the first of result, data and weights on, with the definition, for shapes whose algorithm takes elements
// of so many bytes: every third where tests are short.
func checkShapes(t *testing.T, seed uint64, takes func(s *Shape, size int) bool, first target, shapes []Shape) {
	r := rand.New(rand.NewPCG(seed, 1))
	single, double := directions[float32]()[first:], directions[float64]()[first:]
	for i, s := range shapes {
		if testing.Short() && i%3 != 0 {
			continue
		}
		require.True(t, takes(&s, 4), "%v", s)
		newTrial(s, [4]layout{}, uniform[float32](r)).check(t, single)
		newTrial(s, anyLayouts(r), uniform[float32](r)).check(t, single)
		if !testing.Short() && takes(&s, 8) {
			newTrial(s, anyLayouts(r), uniform[float64](r)).check(t, double)
		}
	}
}

// Several images, bands and parts; rows and columns of tiles that are not whole; several blocks of channels and of filters, and some in groups.
func TestWinogradGradientsEqualTheDefinition(t *testing.T) {
	checkShapes(t, 15, func(s *Shape, _ int) bool { return s.isWinogradGradient() }, toWeights, []Shape{
		{3, 1, 17, 35, [3]Axis{NoAxis, axis(9, 3, 1, 1, 1, 1), axis(13, 3, 1, 1, 1, 1)}},
		{1, 2, 16, 16, [3]Axis{NoAxis, axis(16, 3, 1, 1, 0, 0), axis(20, 3, 1, 1, 2, 0)}},
		{5, 1, 16, 20, [3]Axis{NoAxis, axis(7, 3, 1, 1, 1, 1), axis(7, 3, 1, 1, 1, 1)}},
		{1, 1, 19, 16, [3]Axis{NoAxis, axis(5, 3, 1, 1, 0, 1), axis(242, 3, 1, 1, 0, 1)}},
		{1, 1, 70, 140, [3]Axis{NoAxis, axis(12, 3, 1, 1, 1, 1), axis(16, 3, 1, 1, 1, 1)}},
		{1, 1, 33, 17, [3]Axis{NoAxis, axis(41, 3, 1, 1, 1, 1), axis(37, 3, 1, 1, 5, 4)}},
	})
}

// Small images whose gradient is folded, of several vectors in a row, blocks of channels and blocks of filters.
func TestFoldedGradientsEqualTheDefinition(t *testing.T) {
	checkShapes(t, 9, func(s *Shape, _ int) bool { return s.isFolding() }, toResult, []Shape{
		{3, 1, 20, 50, [3]Axis{NoAxis, axis(12, 5, 1, 1, 0, 0), axis(12, 5, 1, 1, 0, 0)}},
		{1, 2, 3, 17, [3]Axis{NoAxis, axis(9, 2, 1, 3, 0, 1), axis(30, 5, 1, 4, 1, 0)}},
		{2, 1, 1, 530, [3]Axis{NoAxis, axis(4, 3, 1, 1, 0, 0), axis(5, 4, 1, 1, 0, 0)}},
		{1, 1, 33, 16, [3]Axis{NoAxis, axis(6, 2, 1, 2, 0, 0), axis(7, 5, 1, 1, 1, 1)}},
		{1, 1, 2, 20, [3]Axis{NoAxis, axis(2, 9, 1, 1, 4, 4), axis(19, 9, 1, 2, 3, 0)}},
		{2, 1, 5, 16, [3]Axis{NoAxis, NoAxis, axis(40, 21, 1, 1, 0, 0)}},
	})
}

// Several groups, blocks of a sum and axes; a single image, or filter.
func TestConvolutionsOfWholeImagesEqualTheDefinition(t *testing.T) {
	checkShapes(t, 18, func(s *Shape, _ int) bool { return s.isWhole() }, toResult, []Shape{
		{5, 2, 3, 4, [3]Axis{NoAxis, axis(3, 3, 1, 1, 0, 0), axis(4, 4, 2, 1, 0, 0)}},
		{1, 1, 40, 17, [3]Axis{NoAxis, axis(4, 4, 1, 1, 0, 0), axis(4, 4, 1, 1, 0, 0)}},
		{19, 1, 37, 1, [3]Axis{NoAxis, axis(5, 5, 1, 1, 0, 0), axis(3, 3, 1, 1, 0, 0)}},
		{33, 1, 6, 21, [3]Axis{axis(2, 2, 1, 1, 0, 0), axis(3, 3, 1, 1, 0, 0), axis(2, 2, 1, 1, 0, 0)}},
		{4, 1, 1, 7, [3]Axis{NoAxis, NoAxis, axis(600, 600, 1, 1, 0, 0)}},
		{2, 3, 2, 1, [3]Axis{NoAxis, NoAxis, axis(9, 9, 3, 1, 0, 0)}},
	})
	for _, s := range []Shape{
		{2, 1, 3, 4, [3]Axis{NoAxis, axis(3, 3, 1, 1, 0, 0), axis(4, 3, 1, 1, 0, 0)}},
		{2, 1, 3, 4, [3]Axis{NoAxis, axis(3, 3, 1, 1, 0, 0), axis(3, 4, 1, 1, 1, 0)}},
		{2, 1, 3, 4, [3]Axis{NoAxis, NoAxis, axis(5, 3, 1, 2, 0, 0)}},
	} {
		require.False(t, s.isWhole(), "%v", s)
	}
}

// Gradients of weights by dot products: rows that are joined and not, tiles of all sizes, filters whose gradients are copied first,
// several bands, parts, blocks of channels and cuts of filters.
func TestDotGradientsEqualTheDefinition(t *testing.T) {
	least := leastDotBlocks
	defer func() { leastDotBlocks = least }()
	leastDotBlocks = 1
	checkShapes(t, 12, (*Shape).isDots, toWeights, []Shape{
		{2, 1, 1, 6, [3]Axis{NoAxis, axis(9, 5, 1, 1, 2, 2), axis(28, 5, 1, 1, 2, 2)}},
		{1, 1, 1, 20, [3]Axis{NoAxis, axis(9, 3, 1, 1, 0, 0), axis(28, 5, 1, 1, 0, 0)}},
		{1, 20, 1, 1, [3]Axis{NoAxis, axis(7, 3, 1, 1, 1, 1), axis(7, 3, 1, 1, 1, 1)}},
		{1, 1, 2, 11, [3]Axis{NoAxis, axis(9, 3, 1, 1, 0, 0), axis(28, 5, 1, 1, 0, 0)}},
		{3, 37, 1, 1, [3]Axis{NoAxis, axis(4, 2, 2, 1, 0, 0), axis(31, 2, 2, 1, 0, 0)}},
		{19, 2, 3, 4, [3]Axis{NoAxis, axis(3, 2, 1, 1, 1, 0), axis(4, 2, 1, 1, 0, 0)}},
		{1, 1, 70, 8, [3]Axis{NoAxis, axis(2, 1, 1, 1, 0, 0), axis(15, 3, 1, 2, 2, 2)}},
		{2, 1, 2, 5, [3]Axis{axis(3, 2, 1, 1, 0, 0), axis(4, 2, 2, 1, 1, 1), axis(5, 3, 3, 1, 0, 1)}},
		{1, 1, 1, 2, [3]Axis{NoAxis, NoAxis, axis(2100, 7, 1, 1, 3, 3)}},
		{2, 1, 2, 1, [3]Axis{NoAxis, axis(1100, 2, 1, 1, 0, 0), axis(1, 1, 1, 1, 0, 0)}},
	})
}

// Winograd's minimal filtering errs little more than the sums that it stands for.
func TestWinogradErrsAtMostTwiceAsMuchAsSums(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	s := Shape{1, 1, 64, 16, [3]Axis{NoAxis, axis(16, 3, 1, 1, 1, 1), axis(16, 3, 1, 1, 1, 1)}}
	x := newTrial(s, [4]layout{}, func() float32 { return float32(r.NormFloat64()) })
	require.True(t, s.isWinogradGradient())
	for number, d := range directions[float32]() {
		values, _ := x.expected(d)
		distance := func(got []float32) float64 {
			sum := 0.0
			for i, v := range got {
				sum += (float64(v) - values[i]) * (float64(v) - values[i])
			}
			return math.Sqrt(sum / float64(len(got)))
		}
		minimal := distance(x.run(t, d, 2))
		d.scratch = func(s *Shape, o *Operands, workers int) int {
			switch number {
			case 1:
				return backwardPass[float32](s, workers).scratch()
			case 2:
				return newGradient[float32](s, workers).scratch()
			}
			return forwardPass[float32](s, o, workers).scratch()
		}
		d.run = func(x *trial[float32], t *parallel.Thread, workers int, temporary unsafe.Pointer) {
			if number == 2 {
				g := *newGradient[float32](&x.Shape, workers)
				g.data, g.result, g.weights = x.data.Tensor, x.result.Tensor, x.weights.Tensor
				g.run(t, temporary)
				return
			}
			p := forwardPass[float32](&x.Shape, x.operands(), workers).call()
			p.read, p.write, p.weights = x.data.Tensor, x.result.Tensor, x.weights.Tensor
			p.bias, p.biasStride = (*float32)(x.bias.Start), x.bias.Strides[0]
			if number == 1 {
				p = backwardPass[float32](&x.Shape, workers).call()
				p.read, p.write, p.weights = x.result.Tensor, x.data.Tensor, x.weights.Tensor
			}
			p.run(t, temporary)
		}
		direct := distance(x.run(t, d, 2))
		t.Logf("%s: %.3g by minimal filtering, %.3g by sums", d.name, minimal, direct)
		require.Less(t, minimal, 2*direct)
		require.NotEqual(t, minimal, direct)
	}
}

// Integers have exact sums: the order of terms cannot hide a mistake.
func TestSumsOfIntegersAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	s := Shape{2, 1, 7, 10, [3]Axis{NoAxis, axis(11, 3, 2, 1, 1, 2), axis(12, 4, 1, 2, 3, 0)}}
	x := newTrial(s, [4]layout{}, func() float32 { return float32(r.IntN(9) - 4) })
	for _, d := range directions[float32]() {
		values, _ := x.expected(d)
		for i, v := range x.run(t, d, 2) {
			require.Equal(t, values[i], float64(v), "%s %d", d.name, i)
		}
	}
}

// What is not finite reaches what it meets and nothing else, and all instruction sets agree about signs of zero.
func TestExtremesReachWhatTheyMeet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1e-30, 0x1p-149, 3e30, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	s := Shape{2, 1, 2, 3, [3]Axis{NoAxis, axis(5, 2, 1, 1, 0, 0), axis(6, 3, 2, 1, 0, 0)}} // Without padding, which is zeros that meet weights.
	for range 10 {
		x := newTrial(s, anyLayouts(r), func() float32 {
			if r.IntN(12) > 0 {
				return special[r.IntN(6)]
			}
			return special[r.IntN(len(special))]
		})
		for _, d := range directions[float32]() {
			var want []float32
			values, _ := x.expected(d)
			features.Each(func(features.Level) {
				got := x.run(t, d, 2)
				if want == nil {
					want = got
				}
				require.True(t, sameBits(want, got), d.name)
			})
			if d.name == "data" {
				continue // The gradient beside the result is zeros, too.
			}
			for i, v := range want {
				if math.Abs(values[i]) < 1e38 || math.IsInf(values[i], 0) || math.IsNaN(values[i]) {
					require.Equal(t, math.IsNaN(values[i]), math.IsNaN(float64(v)), "%s %d: %v, want %v", d.name, i, v, values[i])
				}
			}
		}
	}
}

// There are two filters: a single row is made of products that are rounded, and zero with the sign of the first sum.
func TestSignsOfZeroStayWithoutBias(t *testing.T) {
	s := Shape{1, 1, 1, 2, [3]Axis{NoAxis, NoAxis, axis(3, 1, 1, 1, 0, 0)}}
	x := newTrial(s, [4]layout{}, func() float32 { return -0x1p-100 })
	x.weights.fill(func() float32 { return 0x1p-100 })
	x.bias = &placed[float32]{} // none
	for _, d := range directions[float32]()[:1] {
		for _, v := range x.run(t, d, 1) {
			require.True(t, v == 0 && math.Signbit(float64(v)), "%v", v)
		}
	}
}

// The products of images after the first are added to sums, which takes other temporary memory than the first one does.
func TestPointwiseGradientsOfSeveralImagesStayInTheMemoryTheyAskFor(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	side := axis(16, 1, 1, 1, 0, 0)
	x := newTrial(Shape{2, 1, 4200, 32, [3]Axis{NoAxis, side, side}}, [4]layout{}, uniform[float32](r))
	for _, d := range directions[float32]() {
		require.True(t, sameBits(x.run(t, d, 1), x.run(t, d, 8)), d.name)
	}
}
