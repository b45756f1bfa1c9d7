package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// gaussian is a number whose parts are small integers, of which sums of products are exact.
func gaussian[C dtype.Complex](r *rand.Rand) C {
	return C(complex(float64(r.IntN(19)-9), float64(r.IntN(19)-9)))
}

// complexMatrices returns the ways to lay out a batch of complex matrices.
func complexMatrices[C dtype.Complex](r *rand.Rand, shape []int) []device.View {
	last := len(shape) - 1
	flipped, wide, one := append([]int{}, shape...), append([]int{}, shape...), append([]int{}, shape...)
	flipped[last-1], flipped[last] = shape[last], shape[last-1]
	wide[last] += 3
	result := views(
		newFilled(r, shape, rowMajor, gaussian[C]),
		swapped(newFilled(r, flipped, rowMajor, gaussian[C])),
		span(newFilled(r, wide, rowMajor, gaussian[C]), last, 1, shape[last]+1),
		newFilled(r, shape, scattered, gaussian[C]),
		newFilled(r, shape, broadcast, gaussian[C]),
	)
	if last > 1 {
		one[0] = 1
		repeated := newFilled(r, one, scattered, gaussian[C])
		repeated.Shape, repeated.Strides = shape, append([]int{0}, repeated.Strides[1:]...)
		result = append(result, repeated)
	}
	return result
}

func checkComplexMatmul[C dtype.Complex](t *testing.T) {
	r := random()
	for _, c := range []struct {
		batch   []int
		m, k, n int
	}{
		{nil, 1, 1, 1}, {nil, 1, 1, 2}, {nil, 2, 3, 3}, {nil, 2, 3, 4}, {nil, 1, 70, 9}, {nil, 9, 70, 1}, {nil, 7, 300, 40}, {nil, 40, 300, 7},
		{nil, 3, 1, 129}, {nil, 0, 3, 2}, {nil, 3, 0, 2}, {nil, 1, 0, 5}, {nil, 1, 5, 0}, {[]int{3}, 2, 6, 7}, {[]int{3}, 7, 6, 2},
		{[]int{2, 3}, 1, 33, 20}, {[]int{0}, 1, 2, 4},
	} {
		with := func(rows, columns int) []int { return append(append([]int{}, c.batch...), rows, columns) }
		for _, x := range complexMatrices[C](r, with(c.m, c.k)) {
			for _, y := range complexMatrices[C](r, with(c.k, c.n)) {
				want := make([]C, 0, product(with(c.m, c.n)))
				xs, ys := elements[C](x), elements[C](y)
				for b := range product(c.batch) {
					for i := range c.m {
						for j := range c.n {
							var sum C
							for l := range c.k {
								sum += xs[(b*c.m+i)*c.k+l] * ys[(b*c.k+l)*c.n+j]
							}
							want = append(want, sum)
						}
					}
				}
				for _, dst := range complexMatrices[C](r, with(c.m, c.n))[:4] {
					a := device.Arguments{Outputs: views(dst), Inputs: views(x, y)}
					run(t, name[C]("matmul"), &a)
					requireEqual(t, want, elements[C](dst), c)
					requireScratch(t, name[C]("matmul"), a, MatMulScratch(dst, x, y))
				}
			}
		}
	}
}

func TestComplexMatmulEqualsItsDefinitionWithFewAndWithManyRows(t *testing.T) {
	checkComplexMatmul[complex64](t)
	checkComplexMatmul[complex128](t)
}
