package cpu

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// castTo returns x as another element type, row-major.
func castTo(t *testing.T, x device.View, d dtype.DType) device.View {
	result := newView(random(), d, x.Shape, rowMajor)
	require.NoError(t, castView(parallel.Serial(), transfer{result, x}))
	return result
}

// checkHalves compares products of halves with those of float32, which require does.
func checkHalves(t *testing.T, d dtype.DType, require func(product, output device.View)) {
	r := random()
	for _, size := range [][3]int{{1, 1, 9}, {5, 7, 3}, {33, 70, 600}, {3, 0, 4}, {4, 5, 0}} {
		m, n, k := size[0], size[1], size[2]
		for _, x := range matrices[float32](r, []int{2, m, k}) {
			for _, y := range matrices[float32](r, []int{2, k, n})[:4] {
				halfX, halfY := castTo(t, x, d), swapped(castTo(t, swapped(y), d))
				product := newView(r, dtype.Float32, []int{2, m, n}, rowMajor)
				a := &device.Arguments{Outputs: views(product), Inputs: views(castTo(t, halfX, dtype.Float32), castTo(t, halfY, dtype.Float32))}
				run(t, "matmul/float32", a)
				output := newView(r, d, []int{2, m, n}, layout(r.IntN(2)))
				half := device.Arguments{Outputs: views(output), Inputs: views(halfX, halfY)}
				run(t, "matmul/"+d.String(), &half)
				require(product, output)
				requireScratch(t, "matmul/"+d.String(), half, MatMulScratch(output, halfX, halfY))
			}
		}
	}
}

func TestProductsOfHalvesAreThoseOfFloat32RoundedOnce(t *testing.T) {
	defer func(before bool) { usesGonum = before }(usesGonum)
	usesGonum = false // which sums float32 in another order
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		features.EachNarrow(func() {
			if gemm.HasBFloat16() && d == dtype.BFloat16 {
				return // has sums of its own
			}
			checkHalves(t, d, func(product, output device.View) {
				require.Equal(t, elements[uint16](castTo(t, product, d)), elements[uint16](output), "%v %v", d, product.Shape)
			})
		})
	}
}

func TestProductsOfBFloat16ByInstructionsAreNearThoseOfFloat32(t *testing.T) {
	if !gemm.HasBFloat16() {
		t.Skip("neither AMX nor AVX512_BF16")
	}
	features.EachNarrow(func() {
		if !gemm.HasBFloat16() {
			return
		}
		checkHalves(t, dtype.BFloat16, func(product, output device.View) {
			got := elements[float32](castTo(t, output, dtype.Float32))
			for i, want := range elements[float32](product) {
				require.InDelta(t, want, got[i], 0x1p-8*math.Abs(float64(want))+1e-3)
			}
		})
	})
}

func checkIntegers[D, T dtype.Integer](t *testing.T) {
	r := random()
	anything := func(r *rand.Rand) T { return T(r.Uint64()) }
	for _, size := range [][3]int{{1, 1, 9}, {5, 7, 3}, {20, 40, 90}, {3, 2, 2100}, {2, 3, 0}} {
		m, n, k := size[0], size[1], size[2]
		for _, how := range []layout{rowMajor, scattered, broadcast} {
			x, y := newFilled(r, []int{3, m, k}, how, anything), newFilled(r, []int{3, k, n}, how, anything)
			output := newView(r, dtype.Of[D](), []int{3, m, n}, layout(r.IntN(2)))
			a := device.Arguments{Outputs: views(output), Inputs: views(x, y)}
			run(t, name[T]("matmul"), &a)
			xs, ys, got := elements[T](x), elements[T](y), elements[D](output)
			for i := range got {
				batch, row, column := i/(m*n), i/n%m, i%n
				want := D(0)
				for l := range k {
					want += D(xs[(batch*m+row)*k+l]) * D(ys[(batch*k+l)*n+column])
				}
				require.Equal(t, want, got[i], "%v %v", size, how)
			}
			requireScratch(t, name[T]("matmul"), a, MatMulScratch(output, x, y))
		}
	}
}

func TestProductsOfIntegersWrapRound(t *testing.T) {
	checkIntegers[int16, int16](t)
	checkIntegers[int32, int32](t)
	checkIntegers[int64, int64](t)
	checkIntegers[uint8, uint8](t)
	checkIntegers[uint16, uint16](t)
	checkIntegers[uint32, uint32](t)
	checkIntegers[uint64, uint64](t)
}

func TestProductsOfInt8AreInt32(t *testing.T) { checkIntegers[int32, int8](t) }
